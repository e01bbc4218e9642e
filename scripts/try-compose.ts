/**
 * Runs what deploy/compose.yaml describes as plain processes: PostgreSQL, two servers and a worker with the settings of
 * that file, and nginx with deploy/nginx.conf. Asks through nginx for answers of every kind, restarts the servers under
 * load, and takes the bucket away. Needs a build (`npm run build`), `nginx`, `radosgw ceph-mon ceph-osd`; takes a
 * minute, so CI leaves it out.
 *
 *   node scripts/try-compose.ts
 *
 * What differs from the containers: names of hosts, ports, the database's user, and `resolve`, which nginx has since
 * 1.27.3.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { CEPH_KEYS, Ceph } from '../packages/store/src/testing/ceph.ts';
import { freePort } from '../packages/store/src/testing/free-port.ts';
import { PostgresServer } from '../packages/store/src/testing/postgres-server.ts';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'packages/server/bin/citymodel.js');
const TOKEN = 'token-of-the-operator';
/** Requests that are on their way while servers are restarted. */
const CALLERS = 4;

const directory = await mkdtemp(join(tmpdir(), 'try-compose-'));
const children = new Set<ChildProcess>();
const ceph = await Ceph.start();
const postgres = await PostgresServer.start();
const [balancerPort, ...serverPorts] = [await freePort(), await freePort(), await freePort()];
const address = `http://127.0.0.1:${balancerPort}`;
const settings = await composeSettings();
const servers: ChildProcess[] = [];
let passed = 0;

try {
  await run(['sample', join(directory, 'sample')]);
  for (const [i, port] of serverPorts.entries()) servers[i] = await startServer(i, port);
  program(['worker'], { ...settings.worker, DATA_DIR: await dataOf('worker') });
  await startNginx();

  await check('jobs of an ingestion are done by the worker', async () => {
    await run(['ingest', '--queue', '--wait', '--upload', join(directory, 'sample')]);
    while ((await list()).length === 0) await pause(200);
  });
  const files = await list();
  const gml = files[0]!;
  const whole = Buffer.from(await (await ask(gml, { 'accept-encoding': 'identity' })).arrayBuffer());

  await check('a file, whole and by range', async () => {
    const part = await ask(gml, { range: 'bytes=1000-1999' });
    assert.equal(part.status, 206);
    assert.ok(whole.subarray(1_000, 2_000).equals(Buffer.from(await part.arrayBuffer())));
    assert.equal(part.headers.get('content-range'), `bytes 1000-1999/${whole.length}`);
  });
  await check('gzip as the server made it', async () => {
    // fetch would inflate it.
    const raw = await curl(['-H', 'Accept-Encoding: gzip', gml]);
    assert.ok(raw.length < whole.length / 2);
    assert.ok(gunzipSync(raw).equals(whole));
  });
  await check('304 for what the caller has', async () => {
    const etag = (await ask(gml)).headers.get('etag')!;
    assert.equal((await ask(gml, { 'if-none-match': etag })).status, 304);
  });
  await check('the zip of a city', async () => {
    const zip = await ask('/datacatalog/citygml/47900-latest/citygml.zip');
    const bytes = Buffer.from(await zip.arrayBuffer());
    assert.equal(zip.status, 200);
    assert.equal(Number(zip.headers.get('content-length')), bytes.length);
    assert.equal(bytes.toString('latin1', 0, 2), 'PK');
  });
  await check('an address of 300,000 characters', async () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `bldg_${String(i).padStart(24, '0')}`).join(',');
    const reply = await ask(`/citygml/attributes?url=${encodeURIComponent(gml)}&id=${ids}`);
    assert.notEqual(reply.status, 414);
    assert.notEqual(reply.status, 502);
  });
  await check('a pack, which the worker builds', async () => {
    const reply = await fetch(`${address}/citygml/pack`, {
      method: 'POST',
      body: JSON.stringify({ urls: files }),
    });
    const { id } = (await reply.json()) as { id: string };
    for (;;) {
      const { status } = (await (await ask(`/citygml/pack/${id}/status`)).json()) as { status: string };
      assert.notEqual(status, 'failed');
      if (status === 'succeeded') break;
      await pause(200);
    }
    assert.equal((await ask(`/citygml/pack/${id}.zip`)).status, 200);
  });
  await check("the parts of an operator's upload reach the same server", async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'tus-resumable': '1.0.0' };
    for (let upload = 0; upload < 4; upload++) {
      const begun = await fetch(`${address}/admin/uploads`, {
        method: 'POST',
        headers: { ...headers, 'upload-length': '4000', 'upload-metadata': `filename ${btoa('a.zip')}` },
      });
      assert.equal(begun.status, 201);
      const at = new URL(begun.headers.get('location')!, address);
      for (let offset = 0; offset < 4_000; offset += 1_000) {
        const part = await fetch(at, {
          method: 'PATCH',
          headers: {
            ...headers,
            'upload-offset': String(offset),
            'content-type': 'application/offset+octet-stream',
          },
          body: Buffer.alloc(1_000),
        });
        assert.equal(part.status, 204);
      }
      assert.equal((await fetch(at, { method: 'DELETE', headers })).status, 204);
    }
  });
  await check('both servers are restarted under load, and no request fails', async () => {
    const expected = sha256(whole);
    let isOver = false;
    let answered = 0;
    const load = Array.from({ length: CALLERS }, async () => {
      while (!isOver) {
        const reply = await ask(gml);
        const bytes = Buffer.from(await reply.arrayBuffer());
        assert.equal(reply.status, 200, bytes.toString().slice(0, 200));
        assert.equal(sha256(bytes), expected);
        const post = await fetch(`${address}/datacatalog/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: '{ areas { code } }' }),
        });
        assert.equal(post.status, 200, await post.text());
        answered += 2;
      }
    });
    const failed = Promise.all(load);
    const restarting = (async () => {
      for (const [i, port] of serverPorts.entries()) {
        await stop(servers[i]!);
        servers[i] = await startServer(i, port);
      }
      isOver = true;
    })();
    await Promise.all([restarting, failed]);
    console.log(`  ${answered} requests`);
  });
  await check('503 with Retry-After while the bucket is away, and answers again by itself', async () => {
    await ceph.killGateway();
    for (let i = 0; i < 4; i++) {
      const reply = await ask('/datacatalog/citygml/47900-latest/citygml.zip');
      assert.equal(reply.status, 503, await reply.text());
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
    }
    assert.equal((await ask('/datacatalog/citymodel-datasets')).status, 200);
    await ceph.startGateway();
    for (let i = 0; i < 4; i++) {
      assert.equal((await ask('/datacatalog/citygml/47900-latest/citygml.zip')).status, 200);
    }
  });
  console.log(`${passed} passed, 0 failed`);
} finally {
  // nginx takes its own processes along only when it may.
  for (const child of children) child.kill(child.spawnfile === 'nginx' ? 'SIGTERM' : 'SIGKILL');
  await postgres.stop();
  await ceph[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
}

/** The settings of servers and workers in compose.yaml, with what a person gives it. */
async function composeSettings(): Promise<Record<'server' | 'worker', Record<string, string>>> {
  const text = await readFile(join(ROOT, 'deploy/compose.yaml'), 'utf8');
  const variables: Record<string, string> = {
    ...CEPH_KEYS,
    POSTGRES_PASSWORD: 'unused',
    OBJECT_STORE: ceph.address('compose'),
    PUBLIC_URL: address,
    ADMIN_TOKEN: TOKEN,
  };
  const filled = text.replace(
    /\$\{([A-Z_]+):[-?]([^}]*)\}/g,
    (_, name: string, otherwise: string) => variables[name] ?? otherwise,
  );
  const shared = Object.fromEntries(
    [...filled.matchAll(/^ {4}([A-Z_]+): (.*)$/gm)].map(([, name, value]) => [name!, value!]),
  );
  const [, worker] = /^ {2}worker:\n((?:.+\n)+)/m.exec(filled)!;
  const own = Object.fromEntries(
    [...worker!.matchAll(/^ {6}([A-Z_]+): (.*)$/gm)].map(([, name, value]) => [name!, value!]),
  );
  const here = { DATABASE_URL: postgres.url(), AWS_EC2_METADATA_DISABLED: 'true', HOST: '127.0.0.1' };
  // Callers come from this machine here.
  const server = { ...shared, ...here, TRUSTED_PROXIES: 'loopback' };
  return { server, worker: { ...server, ...own } };
}

function program(args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...env },
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  child.stdout!.resume();
  return child;
}

async function run(args: string[]): Promise<void> {
  const child = program(args, { ...settings.server, DATA_DIR: await dataOf('command') });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, `citymodel ${args.join(' ')}`);
}

async function dataOf(name: string): Promise<string> {
  const data = join(directory, name);
  await mkdir(data, { recursive: true });
  return data;
}

/** A server at its port; resolves when it is ready. */
async function startServer(i: number, port: number): Promise<ChildProcess> {
  const env = { ...settings.server, PORT: String(port), DATA_DIR: await dataOf(`server ${i}`) };
  const child = program(['serve'], env);
  while (
    !(await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    assert.equal(child.exitCode, null, 'a server ended');
    await pause(100);
  }
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
}

async function startNginx(): Promise<void> {
  const upstream = await readFile(join(ROOT, 'deploy/nginx-upstream.compose.conf'), 'utf8');
  const text = await readFile(join(ROOT, 'deploy/nginx.conf'), 'utf8');
  const conf = `${upstream}\n${text}`
    .replace(/^resolver .*\n/m, '')
    .replace('listen 8090', `listen 127.0.0.1:${balancerPort}`)
    .replace(/^ *server server:8080 resolve (.*);$/gm, (_, parameters: string) =>
      serverPorts.map((port) => `server 127.0.0.1:${port} ${parameters};`).join('\n'),
    );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const path = join(directory, 'nginx.conf');
  const main = [
    'daemon off; error_log stderr error;',
    `pid ${directory}/nginx.pid;`,
    'events {}',
    `http { access_log off; ${temporary.join(' ')}`,
    conf,
    '}',
  ];
  if (process.getuid?.() === 0) main.unshift('user root;');
  await writeFile(path, main.join('\n'));
  const nginx = spawn('nginx', ['-c', path, '-p', directory], { stdio: 'inherit' });
  children.add(nginx);
  // Its workers end with it.
  nginx.once('exit', () => children.delete(nginx));
  while (
    !(await fetch(`${address}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    assert.equal(nginx.exitCode, null, 'nginx ended');
    await pause(100);
  }
}

/** Addresses of the GML files of a city; none before it is ingested. */
async function list(): Promise<string[]> {
  const reply = await ask('/datacatalog/citygml/47900');
  if (!reply.ok) return [];
  const { files } = (await reply.json()) as { files: Record<string, { url: string }[]> };
  return Object.values(files)
    .flat()
    .map(({ url }) => url);
}

function ask(target: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(new URL(target, address), { headers });
}

async function curl(args: string[]): Promise<Buffer> {
  const child = spawn('curl', ['-sf', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function check(what: string, work: () => Promise<void>): Promise<void> {
  await work();
  passed++;
  console.log(`✓ ${what}`);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
