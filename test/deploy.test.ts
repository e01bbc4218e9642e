/** What `deploy/` has for operators: each file is held to the program, or to the tool that reads it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readSettings } from '../src/base/settings.ts';
import { setTracer } from '../src/base/tracing.ts';
import { DiskWatch } from '../src/http/observe/disk-checks.ts';
import { Metrics } from '../src/http/observe/metrics.ts';
import { ROOT, tempDirectory } from './support/program.ts';

const DEPLOY = join(ROOT, 'deploy');
const RULES = readFileSync(join(DEPLOY, 'prometheus/citymodel.rules.yaml'), 'utf8');
/** What Prometheus makes of each scrape by itself. */
const OF_PROMETHEUS = new Set(['up']);
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
