/**
 * The service behind nginx's cache and behind Varnish, as `deploy/cache` sets them up: how much they take, and how soon
 * they forget.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../packages/store/src/testing/free-port.ts';
import { PROGRAM, ROOT, runProgram, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

const DEPLOY = join(ROOT, 'deploy');
/** Within which a removal has to be seen by every caller, ms. */
const REMOVAL_MS = 60_000;
/** Browsers of different kinds, a library, and the rare caller without gzip: one of thirty. */
const ENCODINGS = ['gzip, deflate, br', 'gzip, deflate, br, zstd', 'gzip', 'identity'];
const PLAIN_CALLERS = 1 / 30;
/** Requests of the realistic sequence, and how many of them one caller of a view makes. */
const REQUESTS = 4_000;
const A_VIEW = 30;

interface Cache extends AsyncDisposable {
  address: string;
  /** Drops what changed since the last call. */
  purge(): Promise<void>;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

describe('a cache before the service', () => {
  for (const [name, program, start] of [
    ['nginx', 'nginx', startNginx],
    ['Varnish', 'varnishd', startVarnish],
  ] as const) {
    it(`${name} answers nearly all requests, and forgets what is removed`, async (t) => {
      if (spawnSync(program, ['-V']).error !== undefined) return t.skip(`${program} is not installed`);
      const directory = await tempDirectory(t);
      const { data } = await ingestSample(directory);
      await using server = await startServer(data, {
        reachable: true,
        env: { CATALOGUE_GATHER_MS: '1000' },
      });
      const env = { DATA_DIR: data, PUBLIC_URL: server.publicUrl, CATALOGUE_GATHER_MS: '1000' };
      await using cache = await start(directory, server, env);
      const agent = new Agent({ keepAlive: true, maxSockets: 8 });
      t.after(() => agent.destroy());
      const ask = (target: string, headers: Record<string, string> = {}) =>
        fetchFrom(agent, cache.address + (target.startsWith('/') ? target : server.pathOf(target)), headers);

      const { documents, files, gone } = await pathsOf(server);
      await theSame(server, ask, [...documents, ...files.slice(0, 20)]);
      const hits = await ratioOf(ask, documents, files);
      t.diagnostic(`${name}: ${hits.toFixed(3)} of ${REQUESTS} requests were answered by the cache`);
      assert.ok(hits > 0.95, `${hits} of the requests were hits`);
      for (const hidden of ['/metrics', '/status.json', '/admin', '/admin/jobs']) {
        assert.equal((await ask(hidden)).status, 404, hidden);
      }

      await cache.purge();
      for (const path of [gone.file, gone.document]) assert.equal((await ask(path)).status, 200);
      const removed = Date.now();
      const run = await runProgram(['remove', gone.name], env);
      assert.equal(run.code, 0, run.stderr);
      while ((await isThere(ask, gone)) && Date.now() - removed < REMOVAL_MS) {
        await cache.purge();
        await pause(200);
      }
      const seconds = (Date.now() - removed) / 1_000;
      t.diagnostic(`${name}: the removal was seen after ${seconds.toFixed(1)} s`);
      assert.equal(await isThere(ask, gone), false, 'still there after a minute');
      // Files of other packages are still kept.
      assert.equal((await ask(files[0]!, { 'accept-encoding': ENCODINGS[0]! })).headers['x-cache'], 'HIT');
    });
  }
});

/** Whether any caller still finds the package: its files in any encoding, or its row. */
async function isThere(
  ask: (path: string, headers?: Record<string, string>) => Promise<Answer>,
  { file, document, name }: Removed,
): Promise<boolean> {
  for (const encoding of ENCODINGS) {
    const headers = { 'accept-encoding': encoding };
    if ((await ask(file, headers)).status === 200) return true;
  }
  const { body } = await ask(document, { 'accept-encoding': 'identity' });
  return body.includes(name);
}

interface Removed {
  name: string;
  file: string;
  document: string;
}

/**
 * What callers ask for: documents of the catalogue; tilesets, tiles, images and GML; a package that is removed later.
 */
async function pathsOf(server: TestServer): Promise<{ documents: string[]; files: string[]; gone: Removed }> {
  const { datasets } = await server.json<{ datasets: Array<{ format: string; url: string; id: string }> }>(
    '/datacatalog/citymodel-datasets',
  );
  const files: string[] = [];
  const tilesets = datasets.filter(({ format }) => format === '3D Tiles').map(({ url }) => url);
  for (const url of tilesets) {
    const found = await server.json<{ root: TileNode }>(url);
    files.push(url, ...contentsOf(found.root).map((uri) => new URL(uri, url).href));
  }
  const list = await server.json<{ files: Record<string, Array<{ url: string }>> }>(
    '/datacatalog/citygml/47900',
  );
  const gml = Object.values(list.files).flat();
  const documents = [
    '/datacatalog/citymodel-datasets',
    '/datacatalog/summary',
    '/datacatalog/areas',
    '/datacatalog/citygml/47900',
    '/datacatalog/datasets?city_code=47900',
    '/datacatalog/3dtiles/all-bldg-maxlod2-latest/tileset.json',
    '/datacatalog/3dtiles/47900-bldg-lod1-latest/tileset.json',
  ];
  // The last model is the one that goes.
  const url = tilesets.at(-1)!;
  const name = new URL(url).pathname.split('/').at(-2)!;
  const kept = files.filter((file) => !file.includes(`/${name}/`));
  return {
    documents,
    files: [...kept, ...gml.slice(0, 3).map((file) => file.url)].map((url) => server.pathOf(url)),
    gone: { name, file: server.pathOf(url), document: '/datacatalog/citymodel-datasets' },
  };
}

interface TileNode {
  content?: { uri?: string };
  children?: TileNode[];
}

function contentsOf({ content, children = [] }: TileNode): string[] {
  const uri = content?.uri;
  return [...(uri === undefined ? [] : [uri]), ...children.flatMap(contentsOf)];
}

/**
 * Answers through the cache are those of the server: status, bytes, entity tag, CORS, and 304 to the one who has them.
 */
async function theSame(
  server: TestServer,
  ask: (path: string, headers?: Record<string, string>) => Promise<Answer>,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    for (const encoding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding };
      const direct = await server.request(path, { headers });
      // A miss and a hit.
      for (let i = 0; i < 2; i++) {
        const through = await ask(path, headers);
        assert.equal(through.status, 200, path);
        assert.ok(through.body.equals(direct.body), `${path} as ${encoding}`);
        for (const header of ['content-type', 'content-encoding', 'access-control-allow-origin']) {
          assert.equal(
            through.headers[header],
            direct.headers[header],
            `${header} of ${path} as ${encoding}`,
          );
        }
        const { etag } = through.headers;
        // Varnish keeps gzip, and what it inflates has the weak form of its tag.
        assert.ok(etag !== undefined, path);
        const again = await ask(path, { ...headers, 'if-none-match': etag });
        assert.deepEqual([again.status, again.body.length], [304, 0], path);
        assert.equal(through.headers['surrogate-key'], undefined);
      }
      const [whole, part] = [
        await server.request(path, { headers: { 'accept-encoding': 'identity' } }),
        await ask(path, { 'accept-encoding': 'identity', range: 'bytes=2-5' }),
      ];
      // Documents have no ranges at the server; a cache may add them.
      if (part.status === 206) assert.ok(part.body.equals(whole.body.subarray(2, 6)), path);
      else assert.ok(part.status === 200 && part.body.equals(whole.body), path);
    }
  }
}

/**
 * The share of requests that the cache answers by itself. Each caller looks at documents, then at the tiles of some
 * place; popular places are looked at more often, as are the documents.
 */
async function ratioOf(
  ask: (path: string, headers?: Record<string, string>) => Promise<Answer>,
  documents: readonly string[],
  files: readonly string[],
): Promise<number> {
  let seed = 1;
  const random = () => {
    // Park and Miller's minimal standard generator.
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  let hits = 0;
  let total = 0;
  const view = async () => {
    const kind =
      random() < PLAIN_CALLERS ? ENCODINGS.length - 1 : Math.floor(random() * (ENCODINGS.length - 1));
    const headers = { 'accept-encoding': ENCODINGS[kind]! };
    const first = Math.floor(random() ** 2 * files.length);
    const paths = documents.slice(0, 3).concat(documents[Math.floor(random() * documents.length)]!);
    for (let i = 0; paths.length < A_VIEW; i++) paths.push(files[(first + i) % files.length]!);
    for (const path of paths) {
      const { status, headers: answer } = await ask(path, headers);
      assert.equal(status, 200, path);
      total++;
      // STALE, UPDATING: the answer came from the cache, which asks for the next one meanwhile.
      if (/^(HIT|STALE|UPDATING|REVALIDATED)/.test(String(answer['x-cache']))) hits++;
    }
  };
  while (total < REQUESTS) await Promise.all([view(), view(), view(), view()]);
  return hits / total;
}

async function fetchFrom(agent: Agent, url: string, headers: Record<string, string>): Promise<Answer> {
  const [incoming] = await once(get(url, { agent, headers }), 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return { status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) };
}

async function startNginx(
  directory: string,
  server: TestServer,
  env: Record<string, string>,
): Promise<Cache> {
  const port = await freePort();
  const own = join(directory, 'nginx');
  await mkdir(own);
  await writeFile(join(own, 'purged.map'), '');
  const place = (text: string) =>
    text
      .replace('listen 8091', `listen 127.0.0.1:${port}`)
      .replaceAll('/var/cache/nginx', own)
      .replaceAll('/etc/nginx/citymodel-purged.map', join(own, 'purged.map'))
      .replaceAll('127.0.0.1:8080', new URL(server.address).host);
  const parts = await Promise.all(
    ['nginx-upstream.conf', 'cache/nginx-cache.conf'].map((name) => readFile(join(DEPLOY, name), 'utf8')),
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${own}/${name};`,
  );
  const conf = join(own, 'nginx.conf');
  await writeFile(
    conf,
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; error_log stderr error; pid ${own}/pid;
events {} http { access_log off; ${temporary.join(' ')} ${parts.map(place).join('\n')} }\n`,
  );
  const args = ['-c', conf, '-p', own];
  const address = `http://127.0.0.1:${port}`;
  const running = await started('nginx', args, address);
  const reload = `nginx ${args.join(' ')} -s reload`;
  const script = [join(own, 'state'), join(own, 'purged.map'), reload];
  return { ...running, purge: () => runScript('purge-nginx.sh', script, env) };
}

async function startVarnish(
  directory: string,
  server: TestServer,
  env: Record<string, string>,
): Promise<Cache> {
  const port = await freePort();
  const own = join(directory, 'varnish');
  await mkdir(own);
  const vcl = join(own, 'citymodel.vcl');
  const text = await readFile(join(DEPLOY, 'cache/varnish.vcl'), 'utf8');
  await writeFile(vcl, text.replace('"8090"', `"${new URL(server.address).port}"`));
  const address = `http://127.0.0.1:${port}`;
  const args = ['-F', '-n', own, '-a', `127.0.0.1:${port}`, '-f', vcl, '-s', 'malloc,64m', '-T', 'none'];
  // The jail of its package changes to users that a test may not become.
  const running = await started('varnishd', ['-j', 'none', ...args], address);
  return {
    ...running,
    purge: () => runScript('purge-varnish.sh', [join(own, 'state'), address], env),
  };
}

/** Starts a cache in the foreground and waits until it answers; its own processes end with it. */
async function started(
  program: string,
  args: readonly string[],
  address: string,
): Promise<Omit<Cache, 'purge'>> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const ended = once(child, 'exit');
  while (
    !(await fetch(`${address}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    assert.equal(child.exitCode, null, `${program} ended: ${errors}`);
    await pause(50);
  }
  return {
    address,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function runScript(name: string, args: readonly string[], env: Record<string, string>): Promise<void> {
  const program = `${process.execPath} ${PROGRAM}`;
  await promisify(execFile)('/bin/sh', [join(DEPLOY, 'cache', name), ...args], {
    env: { PATH: process.env.PATH, CITYMODEL: program, ...env },
  });
}
