/** Operations 8 to 10 through the built program, over the sample city. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { StatusDocument } from '../packages/server/src/http/operations/status.ts';
import type { PackStatusObject } from '../packages/server/src/pack/packs.ts';
import type { JobRow } from '../packages/store/src/job-store.ts';
import { complaintOf, zipPrograms } from '../packages/zip/src/testing/zip-programs.ts';
import { assertErrorObject } from './support/interface-schemas.ts';
import { ask, assertResolves, fetchPack, finished, membersOf, post, urlsOf } from './support/packs.ts';
import { removeDirectory, runProgram, spawnProgram, tempDirectory } from './support/program.ts';
import { PUBLIC_URL, startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

const CITY = '47900_aonagi-shi_city_2024_citygml_1_op';
const UNKNOWN = 'a'.repeat(64);
/** Polled by workers often, so that no test waits for long; a server that is asked for a pack begins at once. */
const ENV = { JOB_POLL_MS: '100', PACK_RATE: '0' };

let directory: string;
let data: string;

before(async () => {
  directory = await tempDirectory();
  ({ data } = await ingestSample(directory));
});
after(() => removeDirectory(directory));

describe('a pack', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer(data, { env: ENV });
  });
  after(() => server.stop());

  it('holds the files, all that they refer to, and metadata zips in their place', async () => {
    const urls = await urlsOf(server, '47900', 'bldg,fld');
    const metadata = urls[0]!.replace(/\/udx\/.*/, '_metadata.zip');
    const asked = [...urls, metadata, urls[0]!];
    const { id, status, zip } = await fetchPack(server, { urls: asked });
    const sorted = [...new Set(asked)].sort().join(',');
    assert.equal(id, createHash('sha256').update(sorted).digest('hex'));

    const members = await membersOf(zip);
    const names = [...members.keys()];
    for (const url of urls) assert.ok(members.has(`${CITY}/${url.slice(url.indexOf('/udx/') + 1)}`), url);
    assert.ok(names.some((name) => name.startsWith(`${CITY}/metadata/`)));
    assert.ok(names.every((name) => name.startsWith(`${CITY}/`)));
    assert.ok(!names.some((name) => name.includes('/udx/tran/')));
    assert.ok(assertResolves(members) > 20);

    assert.equal(status.url, `${PUBLIC_URL}/citygml/pack/${id}.zip`);
    assert.equal(status.files, names.length);
    assert.deepEqual([status.missing, status.missingCount], [[], 0]);
    const week = Date.parse(status.expiresAt!) - Date.parse(status.startedAt);
    assert.ok(Math.abs(week - 7 * 86_400_000) < 60_000);
    assert.equal(status.reason, undefined);
  });

  it('has the bytes of its members as the assets have them', async () => {
    const urls = await urlsOf(server, '47950', 'bldg&all_years=true');
    const { zip } = await fetchPack(server, { urls });
    const members = await membersOf(zip);
    const directories = new Set([...members.keys()].map((name) => name.split('/')[0]));
    assert.equal(directories.size, 2, 'two years of one town');
    assertResolves(members);
    for (const url of urls) {
      const [, name, path] = /\/([^/]+)\/(udx\/.*)$/.exec(url)!;
      assert.ok(members.get(`${name}/${path}`)!.equals((await server.request(url)).body), url);
    }
  });

  it('is accepted by every program that reads zips', async (t) => {
    const { zip } = await fetchPack(server, { conditions: '47900' });
    const path = join(directory, 'pack.zip');
    await writeFile(path, zip);
    const programs = zipPrograms();
    for (const program of programs) assert.equal(complaintOf(program, path), null);
    t.diagnostic(`tried: ${programs.join(', ')}`);
    const jar = spawnSync('jar', ['--list', '--file', path], { encoding: 'utf8' });
    if (jar.error !== undefined) return t.diagnostic('jar is not installed');
    assert.equal(jar.status, 0, jar.stderr);
    assert.deepEqual(jar.stdout.trim().split('\n'), [...(await membersOf(zip)).keys()]);
  });

  it('is the same for the same set, and whatever its conditions listed', async () => {
    const urls = await urlsOf(server, 'm:38295545', 'bldg,tran');
    const id = await ask(server, { urls });
    assert.equal(await ask(server, { urls: [...urls].reverse() }), id);
    assert.equal(await ask(server, { conditions: 'm:38295545', types: ['bldg', 'tran'] }), id);
    assert.equal(await ask(server, { conditions: 'm:38295545', types: 'tran, bldg' }), id);
    assert.equal(await ask(server, { conditions: 'm:38295545', types: ['bldg', 'tran'], latest: true }), id);
    const body = JSON.stringify({ urls });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-8',
    ]) {
      const reply = await server.request('/citygml/pack', {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      assert.deepEqual([reply.status, reply.json()], [200, { id }], type);
    }
  });

  it('is downloaded by ranges, whole or not at all', async () => {
    const { id, zip } = await fetchPack(server, { conditions: '47900', types: ['bldg'] });
    const redirect = await server.request(`/citygml/pack/${id}.zip`);
    const location = String(redirect.headers.location);
    assert.ok(location.startsWith(`${PUBLIC_URL}/`) && location.endsWith(`/${id}.zip`));
    const head = await server.request(location, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.headers['content-length'], String(zip.length));
    assert.equal(head.headers['accept-ranges'], 'bytes');
    assert.equal(head.headers['content-type'], 'application/zip');
    assert.equal(head.headers['content-disposition'], `attachment; filename="${id}.zip"`);
    assert.equal(head.headers['access-control-allow-origin'], '*');
    const etag = String(head.headers.etag);
    assert.match(etag, /^"[0-9a-f]{32}"$/);
    assert.equal((await server.request(`/citygml/pack/${id}.zip`, { method: 'HEAD' })).status, 302);

    const step = 10_007;
    const parts = await Promise.all(
      Array.from({ length: Math.ceil(zip.length / step) }, async (_, i) => {
        const [from, to] = [i * step, Math.min(zip.length, (i + 1) * step) - 1];
        const part = await server.request(location, {
          headers: { range: `bytes=${from}-${to}`, 'if-range': etag },
        });
        assert.equal(part.status, 206);
        assert.equal(part.headers['content-range'], `bytes ${from}-${to}/${zip.length}`);
        return part.body;
      }),
    );
    assert.ok(Buffer.concat(parts).equals(zip));
    const tail = await server.request(location, { headers: { range: 'bytes=-22' } });
    assert.ok(tail.body.equals(zip.subarray(-22)));
    // How programs that look into a zip from afar begin, however small it is.
    for (const last of [zip.length, zip.length + 1, '99999999999999999999']) {
      const all = await server.request(location, { headers: { range: `bytes=-${last}` } });
      assert.equal(all.status, 206, `the last ${last} bytes`);
      assert.equal(all.headers['content-range'], `bytes 0-${zip.length - 1}/${zip.length}`);
      assert.ok(all.body.equals(zip));
    }
    const changed = await server.request(location, {
      headers: { range: 'bytes=5-', 'if-range': '"other"' },
    });
    assert.deepEqual([changed.status, changed.body.length], [200, zip.length]);
    const beyond = await server.request(location, { headers: { range: `bytes=${zip.length}-` } });
    assert.equal(beyond.status, 416);
    const known = await server.request(location, { headers: { 'if-none-match': etag } });
    assert.equal(known.status, 304);
  });

  it('waits with its answer only while something can happen', async () => {
    const id = await ask(server, { conditions: '47950', types: ['luse'] });
    await finished(server, id);
    const reply = await server.request(`/citygml/pack/${id}/status?wait=30`);
    assert.equal(reply.status, 200);
    for (const wait of ['x', '-1', '1e999']) {
      const refused = await server.request(`/citygml/pack/${id}/status?wait=${wait}`);
      assert.equal(refused.status, 400);
      assertErrorObject(refused.json());
    }
  });

  it('refuses bad input at once, and says what is wrong', async () => {
    const [good] = await urlsOf(server, '47900', 'bldg');
    const base = good!.slice(0, good!.indexOf('/udx/'));
    const cases: Array<[body: unknown, status: number, error: string, url?: string]> = [
      ['not json', 400, 'invalid request body'],
      ['', 400, 'invalid request body'],
      ['[]', 400, 'invalid request body'],
      ['null', 400, 'invalid request body'],
      ['"text"', 400, 'invalid request body'],
      [{}, 400, 'no urls provided'],
      ['\uFEFF{}', 400, 'no urls provided'],
      [{ urls: [] }, 400, 'no urls provided'],
      [{ urls: null }, 400, 'no urls provided'],
      [{ urls: good }, 400, 'invalid request body'],
      [{ urls: [good, 5] }, 400, 'invalid request body'],
      [{ urls: [null] }, 400, 'invalid request body'],
      [`{"urls":[${'['.repeat(200_000)}${']'.repeat(200_000)}]}`, 400, 'invalid request body'],
      [`{"urls":[${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}]}`, 400, 'invalid request body'],
      [{ urls: [good, 'nonsense'] }, 400, 'invalid url', 'nonsense'],
      [{ urls: [''] }, 400, 'invalid url', ''],
      [{ urls: ['file:///etc/passwd'] }, 400, 'invalid url', 'file:///etc/passwd'],
      [{ urls: [good, 'https://elsewhere.example/x.gml'] }, 400, 'invalid domain', 'https://elsewhere.example/x.gml'],
      [{ urls: [`${base}/udx/bldg/none.gml`] }, 400, 'not found', `${base}/udx/bldg/none.gml`],
      [{ urls: [`${PUBLIC_URL}/health/live`] }, 400, 'not found', `${PUBLIC_URL}/health/live`],
      [{ urls: [`${base}/codelists/../udx/bldg/none.gml`] }, 400, 'not found', (`${base}/codelists/../udx/bldg` +
        `/none.gml`)],
      [{ urls: [`${base}/codelists/Building_usage.xml`] }, 400, 'invalid url', `${base}/codelists/Building_usage.xml`],
      [{ urls: [`${base}.zip`] }, 400, 'invalid url', `${base}.zip`],
      [{ urls: [good], conditions: '47900' }, 400, 'invalid request body'],
      [{ conditions: 47900 }, 400, 'invalid request body'],
      [{ conditions: 'x:1' }, 400, 'invalid conditions'],
      [{ conditions: '47900', types: 5 }, 400, 'invalid request body'],
      [{ conditions: '47900', types: ['bldg', 7] }, 400, 'invalid request body'],
      [{ conditions: '47900', latest: 'yes' }, 400, 'invalid request body'],
      [{ conditions: '99999' }, 404, 'not found'],
      [{ conditions: '47900', types: ['brid'] }, 404, 'not found'],
    ]; // biome-ignore format: one case a line
    for (const [body, status, error, url] of cases) {
      const reply = await post(server, body);
      const object = reply.json<{ error: string; reason: string; url?: string }>();
      assert.deepEqual(
        [reply.status, object.error, object.url],
        [status, error, url],
        JSON.stringify(body).slice(0, 200),
      );
      assertErrorObject(object);
      assert.match(object.reason, /\.$/);
      assert.equal(reply.headers['access-control-allow-origin'], '*');
    }
    const none = await server.request('/citygml/pack', { method: 'POST' });
    assert.deepEqual([none.status, none.json<{ error: string }>().error], [400, 'invalid request body']);
    const get = await server.request('/citygml/pack');
    assert.equal(get.status, 405);
  });

  it('takes JSON as tools send it, with a mark before it, nulls in it and any type declared', async () => {
    const urls = await urlsOf(server, '47900', 'bldg');
    const id = await ask(server, { urls });
    const asUrls = JSON.stringify({ urls, conditions: null, types: null, latest: null });
    const asConditions = '{"urls":null,"conditions":"47900","types":["bldg"],"latest":null}';
    for (const body of [`\uFEFF${asUrls}`, asConditions]) assert.equal(await ask(server, body), id, body);
    for (const type of ['', ';;;', 'json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const reply = await server.request('/citygml/pack', {
        method: 'POST',
        headers: { 'content-type': type },
        body: asUrls,
      });
      assert.deepEqual([reply.status, reply.json()], [200, { id }], type);
    }
  });

  it('does not know ids that are none', async () => {
    for (const id of [UNKNOWN, 'x', UNKNOWN.toUpperCase(), `${UNKNOWN}0`, '..%2f..', '%00']) {
      const status = await server.request(`/citygml/pack/${id}/status`);
      assert.equal(status.status, 404, id);
      assertErrorObject(status.json());
      const zip = await server.request(`/citygml/pack/${id}.zip`);
      assert.deepEqual([zip.status, zip.json()], [404, { error: 'not found' }]);
      assert.equal((await server.request(`/citygml/pack/${id}/download/${id}.zip`)).status, 404);
    }
    assert.equal((await server.request(`/citygml/pack/${UNKNOWN}`)).status, 404);
    assert.equal((await server.request(`/citygml/pack/${UNKNOWN}/download/other.zip`)).status, 404);
  });
});

describe('limits of packs', () => {
  it('are told in the reason', async () => {
    await using server = await startServer(data, {
      env: { ...ENV, PACK_MAX_URLS: '3', PACK_MAX_BYTES: '100000' },
    });
    const urls = await urlsOf(server, '47900');
    const many = await post(server, { urls: urls.slice(0, 4) });
    assert.equal(many.status, 400);
    assert.match(many.json<{ reason: string }>().reason, /4 different URLs .* at most 3/);
    assert.equal((await post(server, { conditions: '47900' })).status, 400);
    const small = (await urlsOf(server, '47900', 'luse')).slice(0, 1);
    await ask(server, { urls: [...small, ...small, ...small, ...small] });
    const large = await post(server, { urls: await urlsOf(server, '47900', 'bldg') });
    assert.equal(large.status, 400);
    assert.match(large.json<{ reason: string }>().reason, /would have \d+ bytes .* at most 100000 bytes/);
  });

  it('count packs by address, behind proxies that are trusted too', async () => {
    await using server = await startServer(data, { env: { ...ENV, PACK_RATE: '3' } });
    const tell = (headers: Record<string, string> = {}) =>
      server.request('/citygml/pack', { method: 'POST', headers, body: '{}' });
    for (let i = 0; i < 3; i++) assert.equal((await tell()).status, 400);
    const refused = await tell({ 'x-forwarded-for': '192.0.2.1' });
    assert.equal(refused.status, 429);
    assert.equal(refused.json<{ error: string }>().error, 'too many requests');
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait >= 1 && wait <= 60);
    assert.equal(
      (await server.request(`/citygml/pack/${UNKNOWN}/status`)).status,
      404,
      'nothing else is limited',
    );
    await server.stop();

    const env = { ...ENV, PACK_RATE: '1', TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.1' };
    await using behind = await startServer(data, { env });
    const from = (address: string) =>
      behind.request('/citygml/pack', {
        method: 'POST',
        headers: { 'x-forwarded-for': address },
        body: '{}',
      });
    assert.equal((await from('192.0.2.1')).status, 400);
    assert.equal((await from('192.0.2.1')).status, 429);
    assert.equal((await from('192.0.2.2')).status, 400);
    assert.equal(
      (await from('192.0.2.1, 192.0.2.2')).status,
      429,
      'what the proxy adds counts, not what the caller says',
    );
  });
});

describe('packs in one store', () => {
  it('are the same bytes from the archives, written out, and after a restart', async () => {
    const body = { conditions: '47900', types: ['bldg', 'dem'] };
    const zips: Buffer[] = [];
    const etags = new Set<string>();
    for (const materialise of ['never', 'always', 'auto']) {
      const own = await tempDirectory();
      try {
        const store = await ingestSample(own);
        let id = '';
        for (let restart = 0; restart < 2; restart++) {
          await using server = await startServer(store.data, {
            env: { ...ENV, PACK_MATERIALISE: materialise },
          });
          const pack = await fetchPack(server, body);
          zips.push(pack.zip);
          assert.ok(id === '' || id === pack.id);
          id = pack.id;
          const { headers } = await server.request(`/citygml/pack/${id}/download/${id}.zip`, {
            method: 'HEAD',
          });
          etags.add(String(headers.etag));
        }
      } finally {
        await removeDirectory(own);
      }
    }
    assert.ok(zips.every((zip) => zip.equals(zips[0]!)));
    assert.equal(etags.size, 1);
  });

  describe('of a server that makes none itself', () => {
    let server: TestServer;
    before(async () => {
      server = await startServer(data, { env: { ...ENV, PACK_WORKERS: '0' } });
    });
    after(() => server.stop());

    it('are made by a worker of its own, while callers wait', async () => {
      const id = await ask(server, { conditions: '47950', types: ['tran'] });
      const early = await server.json<PackStatusObject>(`/citygml/pack/${id}/status`);
      assert.deepEqual([early.status, early.progress, early.size], ['accepted', 0, undefined]);
      const zip = await server.request(`/citygml/pack/${id}.zip`);
      assert.equal(zip.status, 400);
      const { reason, ...error } = zip.json<Record<string, unknown>>();
      assert.deepEqual(error, { error: 'invalid status', status: 'accepted' });
      assert.match(String(reason), /not done yet/);
      assert.equal((await server.request(`/citygml/pack/${id}/download/${id}.zip`)).status, 400);

      const waiting = finished(server, id);
      const worker = spawnProgram(['worker'], { DATA_DIR: data, ...ENV });
      let output = '';
      worker.stdout!.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
      const ended = new Promise((resolve) => worker.once('close', resolve));
      assert.equal((await waiting).status, 'succeeded');
      worker.kill('SIGTERM');
      assert.equal(await ended, 0, output);
      assert.match(output, /"outcome":"succeeded"/);

      const { stdout: all } = await runProgram(['jobs', '--all', '--kind', 'pack', '--json'], {
        DATA_DIR: data,
      });
      assert.ok((JSON.parse(all) as JobRow[]).every(({ kind }) => kind === 'pack'));
      const job = (JSON.parse(all) as JobRow[]).find(({ label }) => label === id.slice(0, 8));
      assert.deepEqual([job?.kind, job?.state], ['pack', 'succeeded']);
      const { text } = await server.request('/status.json');
      const { jobs, work } = JSON.parse(text) as StatusDocument;
      assert.ok(jobs.some((pack) => pack.id === id.slice(0, 8) && pack.status === 'succeeded'));
      assert.ok(!work.jobs.some(({ kind }) => kind === 'pack'), 'packs are listed by themselves');
      assert.ok(!text.includes(id), 'anybody who has the whole id may download the pack');

      const idle = await runProgram(['worker'], { DATA_DIR: data, PACK_WORKERS: '0', JOB_WORKERS: '0' });
      assert.equal(idle.code, 2);
      assert.match(idle.stderr, /would do nothing; set PACK_WORKERS or JOB_WORKERS/);
    });

    it('fail when a person cancels their jobs, and start again when they are asked for again', async () => {
      const wanted = { conditions: '47950', types: ['bldg', 'frn', 'tran'] };
      const id = await ask(server, wanted);
      const { stdout } = await runProgram(['jobs', '--json'], { DATA_DIR: data });
      const [job] = (JSON.parse(stdout) as JobRow[]).filter(({ label }) => label === id.slice(0, 8));
      assert.equal((await runProgram(['jobs', 'cancel', job!.id], { DATA_DIR: data })).code, 0);
      const waiting = finished(server, id);
      const work = ['worker', '--kinds', 'pack', '--until-idle', '1'];
      assert.equal((await runProgram(work, { DATA_DIR: data, ...ENV })).code, 0);
      const { status, reason, expiresAt } = await waiting;
      assert.deepEqual([status, reason], ['failed', 'It was cancelled.']);
      assert.ok(expiresAt !== undefined);
      assert.equal(await ask(server, wanted), id);
      assert.equal((await runProgram(work, { DATA_DIR: data, ...ENV })).code, 0);
      assert.equal((await finished(server, id)).status, 'succeeded');
    });

    // The last one: its server has stopped then.
    it('lets callers that wait go when the server stops', async () => {
      const id = await ask(server, { conditions: '47950', types: ['bldg', 'luse'], latest: true });
      const waiting = server.json<PackStatusObject>(`/citygml/pack/${id}/status?wait=30`);
      // The answer to a later request shows that the first has reached the server.
      await server.json(`/citygml/pack/${id}/status`);
      const ended = once(server.child, 'close');
      server.child.kill('SIGTERM');
      assert.equal((await waiting).status, 'accepted');
      assert.deepEqual(await ended, [0, null]);
    });
  });

  it('answers callers that wait before their connection is closed as idle', async () => {
    await using server = await startServer(data, {
      env: { ...ENV, PACK_WORKERS: '0', IDLE_TIMEOUT_S: '2' },
    });
    const id = await ask(server, { conditions: '47900', types: ['tran'], latest: true });
    const status = await server.json<PackStatusObject>(`/citygml/pack/${id}/status?wait=30`);
    assert.equal(status.status, 'accepted');
  });

  it('are an error with a sentence while their bytes cannot be reached, not a connection that breaks off', async () => {
    for (const materialise of ['never', 'always']) {
      const own = await tempDirectory();
      try {
        const store = await ingestSample(own);
        await using server = await startServer(store.data, {
          env: { ...ENV, PACK_MATERIALISE: materialise },
          expected: [/request failed/],
        });
        const { id, zip } = await fetchPack(server, { conditions: '47950', types: ['bldg'] });
        const objects = join(store.data, 'store', 'objects');
        await rename(objects, `${objects}.away`);
        const location = `/citygml/pack/${id}/download/${id}.zip`;
        for (const headers of [{}, { range: 'bytes=1000-' }]) {
          const away = await server.request(location, { headers });
          assert.equal(away.status, 503, materialise);
          assertErrorObject(away.json());
          assert.ok(away.headers['retry-after'] !== undefined);
          assert.equal(away.headers['content-disposition'], undefined);
          assert.equal(away.headers['content-range'], undefined);
        }
        await rename(`${objects}.away`, objects);
        assert.ok((await server.request(location)).body.equals(zip), 'and are there again afterwards');
      } finally {
        await removeDirectory(own);
      }
    }
  });

  it('outlive their packages, expire, and start again', async () => {
    const own = await tempDirectory();
    try {
      const store = await ingestSample(own);
      const env = { ...ENV, RETIRED_GRACE_S: '0', ASSET_MAX_AGE_S: '0' };
      const server = await startServer(store.data, { env });
      const body = { conditions: '47950', types: ['bldg'], latest: true };
      const urls = await urlsOf(server, '47950', 'bldg');
      const before = await fetchPack(server, body);
      for (const year of ['2024', '2023']) {
        const name = `47950_shiomino-shi_city_${year}_citygml_1_op`;
        const run = await runProgram(['remove', name], { DATA_DIR: store.data, ...env });
        assert.equal(run.code, 0, run.stderr);
      }
      // Sweeps again, and sees the package that the pack keeps.
      const again = await runProgram(['remove', 'none'], { DATA_DIR: store.data, ...env });
      assert.equal(again.code, 1);
      await answers(server, urls[0]!, 404);
      const location = `/citygml/pack/${before.id}/download/${before.id}.zip`;
      assert.ok((await server.request(location)).body.equals(before.zip), 'the pack does');
      const refused = await post(server, { urls });
      assert.deepEqual([refused.status, refused.json<{ error: string }>().error], [400, 'not found']);
      await server.stop();

      const database = new DatabaseSync(join(store.data, 'catalogue.sqlite'));
      database.exec('UPDATE pack SET expires_at = 1');
      database.close();
      await using late = await startServer(store.data, { env });
      assert.equal((await late.request(`/citygml/pack/${before.id}/status`)).status, 404);
      assert.equal((await late.request(location)).status, 404);
      // The server swept at its start: pack and archives are gone.
      const check = await runProgram(['check', '--json'], { DATA_DIR: store.data });
      assert.deepEqual(JSON.parse(check.stdout).faults, []);
      const list = await runProgram(['list', '--all', '--json'], { DATA_DIR: store.data });
      const citygml = JSON.parse(list.stdout).filter(({ kind }: { kind: string }) => kind === 'citygml');
      assert.deepEqual(
        citygml.map(({ cityCode }: { cityCode: string }) => cityCode),
        ['47900'],
      );

      const town = join(store.sample, '47950_shiomino-shi_city_2024_citygml_1_op.zip');
      const run = await runProgram(['ingest', town], { DATA_DIR: store.data });
      assert.equal(run.code, 0, run.stderr);
      await answers(late, urls.find((url) => url.includes('_2024_'))!, 200);
      const after = await fetchPack(late, body);
      assert.equal(after.id, before.id);
      assert.ok(after.zip.equals(before.zip), 'the same package gives the same bytes again');
    } finally {
      await removeDirectory(own);
    }
  });
});

describe('citymodel pack', () => {
  it('searches, packs, downloads, goes on where it was cut off, and verifies', async () => {
    await using server = await startServer(data, { env: ENV });
    const output = join(directory, 'out.zip');
    const run = (...args: string[]) => runProgram(['pack', ...args, '--server', server.address], {});
    const first = await run('47900', '-o', output, '--types', 'bldg,tran');
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /out\.zip: \d+ files, .*, verified\n$/);
    const zip = await readFile(output);
    assert.ok(assertResolves(await membersOf(zip)) > 0);

    const { id } = await fetchPack(server, { conditions: '47900', types: ['bldg', 'tran'] });
    const { headers } = await server.request(`/citygml/pack/${id}/download/${id}.zip`, { method: 'HEAD' });
    await writeFile(`${output}.part`, zip.subarray(0, 50_000));
    await writeFile(`${output}.part.etag`, String(headers.etag));
    const second = await run('47900', '-o', output, '--types', 'bldg,tran');
    assert.match(second.stdout, /continued after 50\.0 kB/);
    assert.ok((await readFile(output)).equals(zip));
    const part = await server.logged(({ status }) => status === 206);
    assert.equal(part.bytes, zip.length - 50_000);

    await writeFile(`${output}.part`, zip.subarray(100, 50_000));
    await writeFile(`${output}.part.etag`, '"of other bytes"');
    assert.equal((await run('47900', '-o', output, '--types', 'bldg,tran')).code, 0);
    assert.ok((await readFile(output)).equals(zip), 'begins anew when the bytes are others');

    await writeFile(`${output}.part`, Buffer.alloc(50_000, 1));
    await writeFile(`${output}.part.etag`, String(headers.etag));
    const damaged = await run('47900', '-o', output, '--types', 'bldg,tran');
    assert.equal(damaged.code, 1);
    assert.match(damaged.stderr, /is damaged/);

    const taken = join(directory, 'taken');
    await mkdir(taken);
    for (const unwritable of [join(directory, 'nowhere', 'out.zip'), taken]) {
      const lost = await run('47900', '-o', unwritable, '--types', 'bldg');
      assert.equal(lost.code, 1, unwritable);
      assert.match(
        lost.stderr,
        /^citymodel: .* cannot be written: E(NOENT|ISDIR)/,
        'it is not the connection',
      );
    }

    const nothing = await run('99999', '-o', output);
    assert.deepEqual([nothing.code, nothing.stdout], [1, '']);
    assert.match(nothing.stderr, /^citymodel: not found: No CityGML is published for 99999\.\n$/);
    await server.stop();
    const away = await run('47900', '-o', output);
    assert.equal(away.code, 1);
    assert.match(away.stderr, /cannot be reached.*--server names the address/);
  });
});

/** Resolves when the server has noticed a change of the catalogue by which it answers so. */
async function answers(server: TestServer, url: string, status: number): Promise<void> {
  while ((await server.request(url, { method: 'HEAD' })).status !== status) {
    // The server looks for changes by itself; each request gives it time.
  }
}
