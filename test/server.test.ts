/** Running the server: its start, its end, its log, what it tells operators, and what it does when others are away. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { assertErrorObject, type Catalogue, type FileListResult } from './support/interface-schemas.ts';
import { GML, gml, goodPackage, type Members, PACKAGE, writeZip } from './support/packages.ts';
import {
  finished,
  ROOT,
  removeDirectory,
  runProgram,
  spawnProgram,
  tempDirectory,
} from './support/program.ts';
import { startServer } from './support/server.ts';
import { assertClean, ingestOne, list } from './support/store.ts';

const DATASETS = '/datacatalog/citymodel-datasets';

/** Bytes of a member of `largeStore`: more than fits into the buffers between two ends. */
const LARGE_BYTES = 24 << 20;

/** Data directories that tests take as they are, or copy. */
const stores = new Map<string, Promise<string>>();
after(() => Promise.all([...stores.values()].map(async (data) => removeDirectory(dirname(await data)))));

/** The data directory of one package with the members, which is ingested once for all tests. */
async function storeOf(name: string, members: () => Members): Promise<string> {
  const make = async () => {
    const directory = await tempDirectory();
    const data = join(directory, 'data');
    await ingestOne(data, [await writeZip(join(directory, `${PACKAGE}.zip`), members())]);
    return data;
  };
  if (!stores.has(name)) stores.set(name, make());
  return stores.get(name)!;
}

/** A data directory that the test may change. */
async function smallStore(directory: string): Promise<string> {
  const data = join(directory, 'data');
  await cp(await storeOf('small', goodPackage), data, { recursive: true });
  return data;
}

/** A package with a large member, which does not deflate. */
function largeStore(): Promise<string> {
  return storeOf('large', () => ({
    ...goodPackage(),
    'specification/large.bin': randomBytes(LARGE_BYTES),
  }));
}

describe('the start', () => {
  it('names every mistake in the settings, and ends with 2', async (t) => {
    const directory = await tempDirectory(t);
    const config = join(directory, 'settings.json');
    await writeFile(config, JSON.stringify({ PORT: 99_999, LOG_LEVELS: 'info' }));
    for (const command of ['serve', 'list', 'check', 'remove x', 'ingest x']) {
      const run = await runProgram(command.split(' '), {
        CONFIG_FILE: config,
        DATA_DIR: directory,
        PUBLIC_URL: 'citymodel.example.jp',
        LOG_LEVEL: 'loud',
        MAX_BOUNDS: '0',
        GEOCODER_TIMEOUT_MS: 'soon',
      });
      assert.equal(run.code, 2, `${command}: ${run.stderr}`);
      assert.equal(run.stdout, '');
      for (const name of [
        'PORT',
        'LOG_LEVELS',
        'PUBLIC_URL',
        'LOG_LEVEL',
        'MAX_BOUNDS',
        'GEOCODER_TIMEOUT_MS',
      ]) {
        assert.match(run.stderr, new RegExp(`\\b${name}\\b`), `${command} names ${name}`);
      }
      assert.doesNotMatch(run.stderr, /\n\s+at /);
    }
    for (const [env, pattern] of [
      [{ CONFIG_FILE: join(directory, 'missing.json') }, /missing\.json/],
      [{ OBJECT_STORE: 'ftp://x/y' }, /OBJECT_STORE/],
      [{ DATABASE_URL: 'mysql://x/y' }, /DATABASE_URL/],
      [{ TRUSTED_PROXIES: '999.1.1.1', CMS_HOSTS: 'https://a' }, /CMS_HOSTS[\s\S]*TRUSTED_PROXIES/],
      [{ HOST: 'no-such-host.invalid', PORT: '0' }, /HOST no-such-host\.invalid/],
    ] as Array<[Record<string, string>, RegExp]>) {
      const run = await runProgram(['serve'], { DATA_DIR: directory, ...env });
      assert.equal(run.code, 2, run.stderr);
      assert.match(run.stderr, pattern);
      assert.doesNotMatch(run.stderr, /\n\s+at /);
    }
  });

  it('takes settings from a file, and the environment wins', async (t) => {
    const directory = await tempDirectory(t);
    const data = await smallStore(directory);
    const config = join(directory, 'settings.json');
    await writeFile(
      config,
      JSON.stringify({ MAX_BOUNDS: 2, ATTRIBUTION: 'file', PORT: 1, HOST: '203.0.113.1' }),
    );
    await using server = await startServer(data, { env: { CONFIG_FILE: config } });
    assert.equal(
      (await server.request('/datacatalog/citygml/m:1,2,3')).json<{ error: string }>().error,
      'too many bounds',
    );
  });

  it('uses the Node.js that came along when it is started by an old one', async (t) => {
    const directory = await tempDirectory(t);
    const preload = join(directory, 'old.cjs');
    await writeFile(
      preload,
      "Object.defineProperty(process.versions, 'node', { value: '20.11.1' }); Object.defineProperty(process, " +
        "'version', { value: 'v20.11.1' });",
    );
    const start = (file: string) =>
      spawnSync(process.execPath, ['--require', preload, file, '--version'], { encoding: 'utf8' });
    const run = start(join(ROOT, 'packages/server/bin/citymodel.js'));
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /^\d+\.\d+\.\d+\n$/);
    // Where none came along it says what to do.
    const alone = join(directory, 'citymodel.mjs');
    const text = await readFile(join(ROOT, 'packages/server/bin/citymodel.js'), 'utf8');
    await writeFile(alone, text);
    const lost = start(alone);
    assert.equal(lost.status, 1);
    assert.match(lost.stderr, /needs Node\.js 24.*v20\.11\.1.*npm ci/s);
    // Every Node.js that knows `import()` can read it: nothing younger than 2018.
    assert.doesNotMatch(text, /\?\.|\?\?|\?\?=/);
  });

  it('loads HTTP without the client behind `fetch`, which an import of it compiles', async () => {
    const modules = join(ROOT, 'packages/server/dist/cli');
    for (const name of (await readdir(modules)).filter((file) => file.endsWith('.js'))) {
      assert.doesNotMatch(await readFile(join(modules, name), 'utf8'), /^import .*"(node:)?http";$/m, name);
    }
  });

  it('fails with a clear message when the port is taken', async (t) => {
    const directory = await tempDirectory(t);
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    t.after(() => taken.close());
    const { port } = taken.address() as { port: number };
    const run = await runProgram(['serve'], { DATA_DIR: directory, HOST: '127.0.0.1', PORT: String(port) });
    assert.equal(run.code, 2);
    assert.match(run.stderr, new RegExp(`PORT ${port} cannot be listened on`));
    assert.doesNotMatch(run.stderr, /\n\s+at /, run.stderr);
  });

  it('says in one line that a path cannot be used', async (t) => {
    const directory = await tempDirectory(t);
    const file = join(directory, 'file');
    await writeFile(file, 'x');
    for (const [args, env] of [
      [['sample', file], {}],
      [['list'], { DATA_DIR: file }],
      [['ingest', file], { DATA_DIR: file }],
      [['check'], { DATA_DIR: directory, OBJECT_STORE: file }],
    ] as Array<[string[], Record<string, string>]>) {
      const run = await runProgram(args, env);
      assert.ok(run.code === 1 || run.code === 2, `${args[0]}: ${run.code}`);
      assert.match(run.stderr, /^citymodel: [^\n]+\n$/);
    }
  });

  it('does its work to the end when nobody reads what it prints', async (t) => {
    const directory = await tempDirectory(t);
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const data = join(directory, 'data');
    const child = spawnProgram(['ingest', join(directory, 'missing.zip'), zip], { DATA_DIR: data });
    child.stdout!.destroy();
    const { code, stderr } = await finished(child);
    assert.deepEqual([code, stderr], [1, '']);
    assert.equal((await list(data)).length, 1);
  });

  it('shows help and version', async () => {
    const help = await runProgram(['--help'], {});
    for (const command of ['serve', 'ingest', 'list', 'remove', 'check', 'sample', 'demo']) {
      assert.match(help.stdout, new RegExp(`^ {2}${command} `, 'm'));
    }
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    assert.equal((await runProgram(['--version'], {})).stdout.trim(), version);
    const unknown = await runProgram(['serv'], {});
    assert.notEqual(unknown.code, 0);
    assert.match(unknown.stderr, /unknown command.*serve/s);
  });
});

describe('the sample', () => {
  it('is an island where it is asked for, whose size and version are its own', async (t) => {
    const directory = await tempDirectory(t);
    const run = await runProgram(['sample', directory, '--island', '--no-tiles'], {});
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual((await readdir(directory)).sort(), [
      '47970_mioshima-shi_city_2019_citygml_1_op.zip',
      '47970_mioshima-shi_city_2024_citygml_1_op.zip',
    ]);
    for (const other of [
      ['--size', '60'],
      ['--citygml', '3'],
    ]) {
      const refused = await runProgram(['sample', directory, '--island', ...other], {});
      assert.notEqual(refused.code, 0);
      assert.match(refused.stderr, /--island.*cannot be used with/);
    }
  });
});

describe('the demonstration', () => {
  it('in CityGML 3.0 is served again where the sample of another version is, and ends with npm', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const name = '47950_shiomino-shi_city_2023_citygml_1_op';
    const newest = '47900_aonagi-shi_city_2024_citygml_1_op';
    const former = await writeZip(join(directory, `${name}.zip`), goodPackage(5));
    await ingestOne(data, [former]);
    let status = 0;
    // By npm, as the README says, but without the build that comes before it.
    const child = spawn('npm', ['run', '--ignore-scripts', 'demo', '--', '--citygml', '3'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: directory, DATA_DIR: data, PORT: '0', HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', async (text) => {
      const shown = /is served on (\S+):/.exec(String(text));
      if (shown === null) return;
      status = await fetch(`${shown[1]}/health/live`).then(
        (reply) => reply.status,
        () => 0,
      );
      child.kill('SIGTERM');
    });
    // The program holds its end of the pipe for as long as it runs: this waits for it, not only for npm.
    const run = await finished(child);
    assert.equal(status, 200, `the address that the demonstration shows: ${run.stdout} ${run.stderr}`);
    assert.equal(run.signal, 'SIGTERM');
    const packages = await list(data);
    // Three of CityGML, and what they were converted to.
    assert.ok(packages.length > 20, `${packages.length} packages`);
    assert.notEqual(packages.find((one) => one.name === name)!.features, 5);
    assert.equal(packages.find((one) => one.name === newest)!.spec, '6');
    await assertClean(data);
  });
});

describe('an empty store', () => {
  it('answers with empty arrays, and 404 for the rest', async (t) => {
    await using server = await startServer(join(await tempDirectory(t), 'data'));
    assert.deepEqual(await server.json(DATASETS), {
      datasets: [],
      composite_tilesets: [],
      citygml: [],
      latest_datasets: [],
      latest_citygml: [],
    });
    for (const path of [
      '/datacatalog/3dtiles/all-bldg-lod1-latest/tileset.json',
      '/datacatalog/mvt/13101-luse-latest/tilejson.json',
      '/datacatalog/citygml/13101-latest/citygml.zip',
      '/datacatalog/citygml/m:53394509',
      '/datacatalog/citygml/s:0/0/0/0',
    ]) {
      const reply = await server.request(path);
      assert.equal(reply.status, 404, path);
      assertErrorObject(reply.json());
    }
    assert.equal((await server.request('/health/ready')).status, 200);
  });
});

describe('a running server', () => {
  it('tells Prometheus what it does', async (t) => {
    await using server = await startServer(await smallStore(await tempDirectory(t)));
    await server.request(DATASETS);
    await server.request('/nothing');
    const { citygml } = await server.json<Catalogue>(DATASETS);
    await server.request(citygml[0]!.url);
    const { text, headers } = await server.request('/metrics');
    assert.match(String(headers['content-type']), /^text\/plain/);
    for (const pattern of [
      /^citymodel_http_requests_total\{route="\/datacatalog\/citymodel-datasets",method="GET",status="200"\} 2$/m,
      /^citymodel_http_requests_total\{route="unknown",method="GET",status="404"\} 1$/m,
      /^citymodel_http_request_duration_seconds_bucket\{le="\+Inf",route="\/assets\/\*"\} 1$/m,
      /^citymodel_http_response_bytes_total\{route="\/assets\/\*"\} \d+$/m,
      /^citymodel_catalogue_version [1-9]/m,
      /^citymodel_catalogue_packages\{kind="citygml"\} 1$/m,
      /^citymodel_catalogue_builds_total\{outcome="built"\} 1$/m,
      /^process_resident_memory_bytes \d+/m,
    ]) {
      assert.match(text, pattern);
    }
  });

  it('logs each request in one structured line, without headers, addresses and bodies', async (t) => {
    await using server = await startServer(await smallStore(await tempDirectory(t)));
    await server.request(`${DATASETS}?type_en=bldg`, {
      headers: {
        authorization: 'Bearer secret-token',
        cookie: 'id=secret-cookie',
        'x-forwarded-for': '198.51.100.7',
      },
    });
    const line = await server.logged(({ msg, url }) => msg === 'request' && String(url).includes('type_en'));
    assert.equal(line.method, 'GET');
    assert.equal(line.url, `${DATASETS}?type_en=bldg`);
    assert.equal(line.status, 200);
    assert.equal(typeof line.ms, 'number');
    assert.ok(Number(line.bytes) > 0);
    assert.ok(!Number.isNaN(Date.parse(line.time)));
    assert.doesNotMatch(JSON.stringify(server.log), /secret|198\.51\.100\.7/);
    const started = server.log.find(({ msg }) => msg === 'listening')!;
    assert.equal(started.publicUrl, server.publicUrl);
  });

  it('picks up what another process ingests, without a failed request', async (t) => {
    const directory = await tempDirectory(t);
    const data = await smallStore(directory);
    await using server = await startServer(data);
    const other = await writeZip(
      join(directory, '47207_ishigaki-shi_city_2023_citygml_1_op.zip'),
      goodPackage(5),
    );
    const statuses = new Set<number>();
    let cities = 0;
    const ingesting = ingestOne(data, [other]);
    while (cities < 2) {
      const reply = await server.request(DATASETS);
      statuses.add(reply.status);
      cities = reply.json<Catalogue>().citygml.length;
    }
    await ingesting;
    assert.deepEqual([...statuses], [200]);
    assert.equal((await server.request('/datacatalog/citygml/47207')).status, 200);
  });

  it('finishes a slow download after SIGTERM, within the grace time, and takes no new requests', async () => {
    await using server = await startServer(await largeStore(), { env: { SHUTDOWN_GRACE_S: '60' } });
    const { citygml } = await server.json<Catalogue>(DATASETS);
    const path = server.pathOf(citygml[0]!.url).replace(/\.zip$/, '/specification/large.bin');
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${server.address}${path}`, { agent: false }, resolve).on('error', reject);
    });
    incoming.pause();
    // Listened for from now on: it may be over before the last byte has been taken here.
    const ended = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await server.logged(({ msg }) => msg === 'stopping');
    await refusesConnections(server.address);
    let size = 0;
    for await (const chunk of incoming) size += chunk.length;
    assert.equal(size, LARGE_BYTES);
    await ended;
    assert.equal(server.child.exitCode, 0);
  });

  it('cuts a download off when the grace time is over', async () => {
    await using server = await startServer(await largeStore(), { env: { SHUTDOWN_GRACE_S: '0' } });
    const { citygml } = await server.json<Catalogue>(DATASETS);
    const path = server.pathOf(citygml[0]!.url).replace(/\.zip$/, '/specification/large.bin');
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${server.address}${path}`, { agent: false }, resolve).on('error', reject);
    });
    incoming.pause();
    server.child.kill('SIGTERM');
    await once(server.child, 'exit');
    assert.equal(server.child.exitCode, 0);
    await assert.rejects(async () => {
      for await (const _ of incoming);
    });
  });

  it('answers what is no HTTP with JSON, and goes on', async (t) => {
    await using server = await startServer(await smallStore(await tempDirectory(t)));
    const { hostname, port } = new URL(server.address);
    for (const bytes of [
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'GET / HTTP/9.9\r\n\r\n',
      'hello\r\n\r\n',
    ]) {
      const socket = connect(Number(port), hostname);
      socket.end(bytes, 'latin1');
      let answer = '';
      for await (const chunk of socket) answer += chunk;
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assertErrorObject(JSON.parse(answer.split('\r\n\r\n')[1]!));
    }
    assert.equal((await server.request(DATASETS)).status, 200);
  });
});

describe('a store that fails', () => {
  it('is said by readiness, and requests get 503, never 404', async (t) => {
    const directory = await tempDirectory(t);
    const data = await smallStore(directory);
    const last = join(directory, '47207_ishigaki-shi_city_2023_citygml_1_op.zip');
    await ingestOne(data, [await writeZip(last, goodPackage(5))]);
    await using server = await startServer(data, { expected: [/./] });
    // The server may have opened the last package already, which then goes on to answer: another one is asked for.
    const { citygml } = await server.json<Catalogue>(DATASETS);
    const { url } = citygml.find(({ id }) => id === '47201')!;
    const objects = (await server.request('/health/ready')).json<{ checks: Record<string, string> }>();
    assert.deepEqual(objects.checks, { ...objects.checks, catalogue: 'ok', database: 'ok', objects: 'ok' });
    // The archives are gone, as when a disk is not mounted.
    await rm(join(data, 'objects'), { recursive: true, force: true });
    await rm(join(data, 'store'), { recursive: true, force: true });
    const asset = await server.request(url);
    assert.equal(asset.status, 503, asset.text);
    assertErrorObject(asset.json());
    assert.ok(Number(asset.headers['retry-after']) > 0);
    const unready = await server.request('/health/ready');
    assert.equal(unready.status, 503);
    assert.match(unready.json<{ reason: string }>().reason, /objects/);
    assert.equal((await server.request('/health/live')).status, 200);
    // The catalogue is in memory and goes on.
    assert.equal((await server.request(DATASETS)).status, 200);
    assert.doesNotMatch(asset.text + unready.text, new RegExp(directory));
  });

  it('is said by readiness when it is the database', async (t) => {
    const directory = await tempDirectory(t);
    const data = await smallStore(directory);
    await using server = await startServer(data, { expected: [/./] });
    await writeFile(join(data, 'catalogue.sqlite'), 'this is no database any more'.repeat(1_000));
    await rm(join(data, 'catalogue.sqlite-wal'), { force: true });
    await rm(join(data, 'catalogue.sqlite-shm'), { force: true });
    const search = await server.request('/datacatalog/citygml/m:39272554');
    assert.equal(search.status, 503, search.text);
    assert.ok(Number(search.headers['retry-after']) > 0);
    assert.equal((await server.request(DATASETS)).status, 200);
    const ready = await server.request('/health/ready');
    assert.equal(ready.status, 503, ready.text);
    assert.match(ready.json<{ reason: string }>().reason, /database/);
  });

  it('is said by readiness when the file of the database was deleted', async (t) => {
    const data = await smallStore(await tempDirectory(t));
    await using server = await startServer(data, { expected: [/./] });
    assert.equal((await server.request('/health/ready')).status, 200);
    await rm(join(data, 'catalogue.sqlite'));
    const ready = await server.request('/health/ready');
    assert.equal(ready.status, 503, ready.text);
    assert.match(ready.json<{ reason: string }>().reason, /database/);
    assert.equal((await server.request(DATASETS)).status, 200);
  });
});

describe('an outside geocoder', () => {
  it('is asked for what the gazetteer does not know, and 503 says when it is away', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    await mkdir(data);
    await ingestOne(data, [await writeZip(join(directory, `${PACKAGE}.zip`), { [GML]: gml(3) })]);
    const asked: string[] = [];
    let mode: 'there' | 'nothing' | 'broken' = 'there';
    const stub = createServer((request, response) => {
      asked.push(decodeURIComponent(request.url!));
      if (mode === 'broken') {
        response.writeHead(500).end('oops');
        return;
      }
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify(
          mode === 'nothing'
            ? []
            : [
                {
                  lat: '26.2095',
                  lon: '127.6755',
                  boundingbox: ['26.209', '26.21', '127.675', '127.676'],
                  display_name: 'x',
                },
              ],
        ),
      );
    }).listen(0, '127.0.0.1');
    await once(stub, 'listening');
    t.after(() => stub.closeAllConnections());
    const { port } = stub.address() as { port: number };
    await using server = await startServer(data, {
      env: { GEOCODER_URL: `http://127.0.0.1:${port}/search`, GEOCODER_TIMEOUT_MS: '2000' },
      expected: [/geocod|request failed/],
    });
    const ask = (place: string) => server.request(`/datacatalog/citygml/g:${encodeURIComponent(place)}`);
    const own = await ask('那覇市');
    assert.equal(own.status, 200);
    assert.deepEqual(asked, [], 'the gazetteer comes first');
    const found = await ask('守礼門');
    assert.equal(found.status, 200, found.text);
    assert.match(found.json<FileListResult>().files.bldg![0]!.url, /39272554/);
    assert.equal(asked.length, 1);
    assert.match(asked[0]!, /守礼門/);
    assert.equal((await ask('守礼門')).status, 200);
    assert.equal(asked.length, 1, 'answers are kept');
    mode = 'nothing';
    assert.equal((await ask('どこにもない')).status, 404);
    mode = 'broken';
    const broken = await ask('首里城');
    assert.equal(broken.status, 503);
    assert.ok(Number(broken.headers['retry-after']) > 0);
    assertErrorObject(broken.json());
    stub.closeAllConnections();
    await new Promise((resolve) => stub.close(resolve));
    assert.equal((await ask('識名園')).status, 503);
    assert.equal((await ask('那覇市')).status, 200);
  });
});

/** Bytes that do not deflate, the same in every run. */
function randomBytes(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let state = 0x2545f491;
  for (let at = 0; at < length; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes.writeInt32LE(state, at);
  }
  return bytes;
}

/** Resolves when the address refuses connections: until it is closed, what is still open takes some. */
async function refusesConnections(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  for (let error: NodeJS.ErrnoException | undefined; error?.code !== 'ECONNREFUSED'; ) {
    const socket = connect(Number(port), hostname);
    error = await once(socket, 'connect').then(
      () => undefined,
      (reason) => reason,
    );
    socket.destroy();
  }
}
