/** What `deploy/` has for operators: each file is held to the program, or to the tool that reads it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { setTracer } from '../packages/base/src/tracing.ts';
import { readSettings } from '../packages/server/src/base/settings.ts';
import { DiskWatch } from '../packages/server/src/http/observe/disk-checks.ts';
import { Metrics } from '../packages/server/src/http/observe/metrics.ts';
import { getLive, getReady, PARTS as READY_PARTS } from '../packages/server/src/http/operations/health.ts';
import { freePort } from '../packages/store/src/testing/free-port.ts';
import { ROOT, tempDirectory } from './support/program.ts';

const DEPLOY = join(ROOT, 'deploy');
const RULES = readFileSync(join(DEPLOY, 'prometheus/citymodel.rules.yaml'), 'utf8');
/** What Prometheus makes of each scrape by itself. */
const OF_PROMETHEUS = new Set(['up']);
/** Kinds of Kubernetes and KEDA with the version that is stable. */
const VERSIONS: Record<string, string> = {
  Deployment: 'apps/v1',
  Service: 'v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  ScaledObject: 'keda.sh/v1alpha1',
};
/** Series of a histogram. */
const PARTS = /_(?:bucket|sum|count)$/;

describe('files for operators', () => {
  it('rules fire and are silent as their test says', (t) => {
    const place = { cwd: join(DEPLOY, 'prometheus') };
    run(t, 'promtool', ['check', 'rules', 'citymodel.rules.yaml'], place);
    run(t, 'promtool', ['test', 'rules', 'citymodel.rules.test.yaml'], place);
    const tests = readFileSync(join(DEPLOY, 'prometheus/citymodel.rules.test.yaml'), 'utf8');
    for (const alert of alerts()) assert.match(tests, new RegExp(`alertname: ${alert}\\b`));
  });

  it('figures in rules and dashboard are those of the program', async () => {
    const known = await figures();
    const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/citymodel.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    assert.ok(shown.length > 15);
    const named = [...RULES.matchAll(/^ +expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(
      ([, block, line]) => block ?? line ?? '',
    );
    assert.equal(named.length, alerts().length);
    for (const text of [...named, ...shown]) {
      for (const [name] of text.matchAll(/\b(?:citymodel|process|nodejs)_[a-z_]+\b|\bup\b/g)) {
        const isKnown = OF_PROMETHEUS.has(name) || known.has(name) || known.has(name.replace(PARTS, ''));
        assert.ok(isKnown, `${name} in ${text}`);
      }
    }
  });

  it('every alert has its place in the runbook', () => {
    const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^## (Citymodel\w+)$/gm)].map(([, name]) => name);
    assert.deepEqual(sections, alerts());
  });

  it('nginx of Debian reads its configuration', async (t) => {
    const directory = await tempDirectory(t);
    const conf = join(directory, 'nginx.conf');
    const parts = ['nginx-upstream.conf', 'nginx.conf'].map((name) => `include ${join(DEPLOY, name)};`);
    await writeFile(
      conf,
      `pid ${directory}/pid; error_log stderr; events {} http { access_log off; ${parts.join(' ')} }\n`,
    );
    run(t, 'nginx', ['-t', '-c', conf, '-p', directory]);
  });

  it('nginx hides figures, state and the page of the operator from all but private networks', async (t) => {
    if (spawnSync('nginx', ['-v']).error !== undefined) return t.skip('nginx is not installed');
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url!);
      response.end('seen');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port: upstream } = server.address() as AddressInfo;
    const hidden = [
      ...['/metrics', '/metrics?a', '/%6detrics', '/x/../metrics', '//metrics', '/status.json'],
      ...['/admin', '/admin/jobs', '/%61dmin/jobs', '/x/%2e%2e/admin/'],
    ];
    for (const isInside of [false, true]) {
      await using nginx = await startNginx(await tempDirectory(t), upstream, (text) =>
        // This machine is inside; a caller from elsewhere is one whose address is in no list.
        isInside ? text : text.replace('127.0.0.0/8 1', '127.0.0.0/8 0'),
      );
      asked.length = 0;
      for (const path of hidden) {
        const status = await statusOf(nginx.port, path);
        assert.equal(status, isInside ? 200 : 404, path);
      }
      assert.equal(asked.length, isInside ? hidden.length : 0, asked.join(' '));
      for (const path of ['/', '/datacatalog/areas', '/administration', '/health/live'])
        assert.equal(
          await statusOf(nginx.port, path),
          path === '/administration' && !isInside ? 404 : 200,
          path,
        );
      // Who watches the address asks for what memory answers.
      asked.length = 0;
      assert.equal(await statusOf(nginx.port, '/health'), 200);
      assert.deepEqual(asked, ['/health/ready?for=catalogue']);
    }
  });

  it('settings in environment files are known, and keys are nobody else’s', () => {
    for (const file of readdirSync(join(DEPLOY, 'etc'))) {
      const text = readFileSync(join(DEPLOY, 'etc', file), 'utf8');
      const entries = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]);
      assert.ok(entries.length > 0, file);
      // Throws for values that may not be.
      const settings = readSettings({ DATA_DIR: '/tmp', ...Object.fromEntries(entries) });
      for (const [name] of entries) {
        assert.ok(name!.startsWith('AWS_') || Object.hasOwn(settings, name!), `${name} in ${file}`);
      }
    }
    const policy = readFileSync(join(DEPLOY, 'bucket-policy.json'), 'utf8');
    assert.doesNotMatch(policy, /s3:\*|"Resource": "\*"/);
    JSON.parse(policy);
  });

  it('manifests of Kubernetes fit together and fit the program', async () => {
    const all = manifests();
    const named = (kind: string, name: string) =>
      all.find((one) => one.kind === kind && one.metadata.name === name);
    const commands = readFileSync(join(ROOT, 'packages/server/src/cli/commands.ts'), 'utf8');
    const pods: Record<string, string>[] = [];
    for (const { spec } of all.filter(({ kind }) => kind === 'Deployment')) {
      const { metadata, spec: pod } = spec.template;
      assert.deepEqual(metadata.labels, spec.selector.matchLabels);
      pods.push(metadata.labels);
      const volumes = pod.volumes.map(({ name }: { name: string }) => name);
      for (const container of pod.containers) {
        const env = Object.fromEntries(
          container.env.map(({ name, value }: Record<string, string>) => [name, value]),
        );
        assert.ok(Object.values(env).every((value) => typeof value === 'string'));
        const settings = readSettings({ DATA_DIR: '/tmp', ...env });
        for (const name of Object.keys(env)) assert.ok(Object.hasOwn(settings, name), name);
        const [command = 'serve'] = container.args ?? [];
        assert.match(commands, new RegExp(`^ {2}${command}: async`, 'm'));
        // As the image sets it for servers, and the manifest for workers.
        const port = command === 'serve' ? 8080 : settings.WORKER_PORT;
        const [{ name, containerPort }] = container.ports;
        assert.equal(containerPort, port);
        assert.equal(metadata.annotations['prometheus.io/port'], String(port));
        assert.ok(pod.terminationGracePeriodSeconds > settings.DRAIN_S + settings.SHUTDOWN_GRACE_S);
        for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'].map(
          (key) => container[key],
        )) {
          if (probe === undefined) continue;
          const { pathname, searchParams } = new URL(probe.httpGet.path, 'http://server');
          assert.ok([getLive.path, getReady.path].includes(pathname), pathname);
          for (const part of searchParams.getAll('for')) assert.ok(READY_PARTS.includes(part), part);
          assert.equal(probe.httpGet.port, name);
        }
        for (const mount of container.volumeMounts) assert.ok(volumes.includes(mount.name), mount.name);
      }
    }
    for (const { kind, spec } of all) {
      const target = spec.scaleTargetRef?.name;
      if (target !== undefined) assert.ok(named('Deployment', target), target);
      const selector =
        kind === 'Service' ? spec.selector : kind === 'PodDisruptionBudget' && spec.selector.matchLabels;
      if (selector)
        assert.ok(
          pods.some((labels) => isDeepStrictEqual(labels, selector)),
          kind,
        );
    }
    const known = await figures();
    const scaled = named('ScaledObject', 'citymodel-worker')!.spec.triggers[0].metadata;
    for (const [name] of scaled.query.matchAll(/citymodel_[a-z_]+/g)) assert.ok(known.has(name), name);
    assert.ok(Number(scaled.threshold) > 0);
  });

  it('manifests fit the schemas of Kubernetes', (t) => {
    const script = join(import.meta.dirname, '..', 'scripts', 'check-kubernetes.ts');
    const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    if (stdout.startsWith('skipped')) t.skip(stdout.trim());
    else assert.equal(status, 0, stdout);
  });

  it('units of systemd read', (t) => {
    for (const unit of [
      'citymodel.service',
      'citymodel-worker.service',
      'citymodel-backup.service',
      'citymodel-backup.timer',
    ]) {
      run(t, 'systemd-analyze', ['verify', '--man=no', '--root=/', join(DEPLOY, unit)]);
    }
  });
});

/** A document of YAML; what it has below is looked at by the test. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own
  spec: any;
}

/** All of them, each with a kind of its version. */
function manifests(): Manifest[] {
  const files = ['citymodel.yaml', 'citymodel-keda.yaml'];
  const found = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(DEPLOY, 'kubernetes', file), 'utf8')).map((document) => {
      assert.deepEqual(document.errors, [], file);
      return document.toJS() as Manifest;
    }),
  );
  for (const { apiVersion, kind } of found) assert.equal(VERSIONS[kind], apiVersion, kind);
  return found;
}

/** nginx with the configuration of `deploy/`, as `place` changes it, before a server on a port of this machine. */
async function startNginx(
  directory: string,
  upstream: number,
  place: (text: string) => string,
): Promise<AsyncDisposable & { port: number }> {
  const port = await freePort();
  const parts = ['nginx-upstream.conf', 'nginx.conf'].map((name) =>
    place(readFileSync(join(DEPLOY, name), 'utf8'))
      .replace('listen 8090', `listen 127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${upstream}`),
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const conf = join(directory, 'nginx.conf');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  await writeFile(
    conf,
    `${user} daemon off; master_process off; error_log stderr error; pid ${directory}/pid; events {}
http { access_log off; ${temporary.join(' ')} ${parts.join('\n')} }\n`,
  );
  const child = spawn('nginx', ['-c', conf, '-p', directory], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  while ((await statusOf(port, '/').catch(() => null)) === null) {
    assert.equal(child.exitCode, null, 'nginx has ended');
    await pause(20);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Asks for a path as it stands: `fetch` would resolve its dots. */
async function statusOf(port: number, path: string): Promise<number> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, path, host: '127.0.0.1', agent: false }, resolve).on('error', reject);
  });
  answer.resume();
  return answer.statusCode!;
}

function alerts(): string[] {
  return [...RULES.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!);
}

/** Names of all figures that a process may tell. */
async function figures(): Promise<Set<string>> {
  const metrics = new Metrics();
  metrics.watchStores({
    database: {
      // A backup that lacks nothing.
      all: async () => [['/backup', 1, 0]],
      figures: async () => ({
        connections: { open: 1, idle: 1, waiting: 0 },
        silentConnections: 0,
        isReadOnly: false,
      }),
    } as never,
    objects: {
      figures: async () => ({
        requests: [{ operation: 'GetObject', outcome: 'ok', count: 1, seconds: 1 }],
        places: { inUse: 0, waiting: 0 },
        isAnswering: true,
        slowStreams: 0,
        credentialsEnd: Date.now(),
        cache: { memoryHits: 0, diskHits: 0, misses: 0, memoryBytes: 0 },
      }),
    } as never,
    jobs: { figures: async () => [] } as never,
  });
  metrics.watchDisks(new DiskWatch({ disk: ['/'] }));
  metrics.jobEnded({ kind: 'ingest', outcome: 'failed', ms: 1 });
  setTracer({ isWithin: () => false, begin: assert.fail, figures: () => ({ sent: 1, lost: 0 }) });
  const { text } = await metrics.exposed();
  setTracer(null);
  return new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
}

/** Runs a tool of the system; says that the test is skipped where it is missing. */
function run(t: TestContext, command: string, args: string[], options: { cwd?: string } = {}): void {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') t.skip(`${command} is not installed`);
  else assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
}
