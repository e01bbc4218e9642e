/**
 * The operator's interface of the built server: uploads that break and go on, dry runs, jobs, removal; and who may not.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { AdminJob } from '../packages/server/src/http/admin/admin-jobs.ts';
import type { AdminUpload } from '../packages/server/src/http/admin/uploads.ts';
import type { JobPage } from '../packages/server/src/http/operations/job-list.ts';
import type { IngestReport } from '../packages/server/src/ingest/report.ts';
import { gml, goodPackage, PACKAGE, writeZip } from './support/packages.ts';
import { runProgram, tempDirectory } from './support/program.ts';
import { type Reply, type RequestOptions, startServer, type TestServer } from './support/server.ts';
import { assertClean, ingestOne, list } from './support/store.ts';

const TOKEN = 'an operator knows this-1';
const SETTINGS = {
  ADMIN_TOKEN: TOKEN.replaceAll(' ', '-'),
  JOB_POLL_MS: '50',
  JOB_RETRY_S: '0',
  JOB_LEASE_S: '5',
};
const AUTHORIZATION = { authorization: `Bearer ${SETTINGS.ADMIN_TOKEN}` };

/** A request of the operator. */
function ask(server: TestServer, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  return server.request(path, { ...options, method, headers: { ...AUTHORIZATION, ...options.headers } });
}

async function json<T>(server: TestServer, method: string, path: string): Promise<T> {
  const reply = await ask(server, method, path);
  assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
  return reply.json<T>();
}

const tus = { 'tus-resumable': '1.0.0' };

/** Begins an upload and gives its path. */
async function begin(server: TestServer, name: string, size: number): Promise<string> {
  const metadata = `filename ${Buffer.from(name).toString('base64')}`;
  const headers = { ...tus, 'upload-length': String(size), 'upload-metadata': metadata };
  const reply = await ask(server, 'POST', '/admin/uploads', { headers });
  assert.equal(reply.status, 201, reply.text);
  const location = reply.headers.location!;
  assert.match(location, /^\/base\/admin\/uploads\/[0-9a-f-]{36}$/);
  return location.slice('/base'.length);
}

function send(server: TestServer, path: string, bytes: Buffer, offset: number): Promise<Reply> {
  const headers = {
    ...tus,
    'upload-offset': String(offset),
    'content-type': 'application/offset+octet-stream',
  };
  return ask(server, 'PATCH', path, { headers, body: bytes });
}

/** Uploads a file and lets it be looked at. */
async function upload(server: TestServer, name: string, bytes: Buffer): Promise<AdminJob> {
  const path = await begin(server, name, bytes.length);
  assert.equal((await send(server, path, bytes, 0)).status, 204);
  return ended(server, await json<AdminJob>(server, 'POST', `${path}/check`));
}

/** The job when it has ended. */
async function ended(server: TestServer, { id }: { id: string }): Promise<AdminJob> {
  for (let looks = 0; ; looks++) {
    const job = await json<AdminJob>(server, 'GET', `/admin/jobs/${id}`);
    if (['succeeded', 'dead', 'cancelled'].includes(job.state)) return job;
    assert.ok(looks < 2_000, `the job has not ended: ${JSON.stringify(job)}`);
    await setTimeout(50);
  }
}

async function place(t: TestContext): Promise<{ directory: string; data: string }> {
  const directory = await tempDirectory(t);
  return { directory, data: join(directory, 'data') };
}

async function zipBytes(directory: string, count = 3): Promise<Buffer> {
  return readFile(await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage(count)));
}

describe('the operator', () => {
  it('does not exist without a token in the settings', async (t) => {
    const { data } = await place(t);
    await using server = await startServer(data);
    for (const [method, path] of [
      ['GET', '/admin'],
      ['GET', '/admin/jobs'],
      ['POST', '/admin/uploads'],
      ['DELETE', '/admin/packages/x'],
    ] as const) {
      const reply = await ask(server, method, path);
      assert.equal(reply.status, 404, path);
      assert.match(reply.json<{ reason: string }>().reason, /There is no operation/);
    }
    assert.ok(!(await server.request('/')).text.includes('"admin":true'));
  });

  it('needs the token, and cannot guess it', async (t) => {
    const { data } = await place(t);
    await using server = await startServer(data, { env: SETTINGS });
    assert.equal((await server.request('/admin')).status, 200, 'the page asks for the token');
    for (const [method, path] of [
      ['GET', '/admin/jobs'],
      ['GET', '/admin/uploads'],
      ['POST', '/admin/uploads'],
      ['PATCH', '/admin/uploads/x'],
      ['DELETE', '/admin/packages/x'],
      ['POST', '/admin/jobs/x/retry'],
    ] as const) {
      const reply = await server.request(path, { method });
      assert.equal(reply.status, 401, path);
      assert.equal(reply.json<{ error: string }>().error, 'unauthorized');
      assert.equal(reply.headers['www-authenticate'], 'Bearer');
    }
    assert.equal((await ask(server, 'GET', '/admin/jobs')).status, 200);
    const guess = (n: number) =>
      server.request('/admin/jobs', { headers: { authorization: `Bearer guess-${n}` } });
    for (let n = 0; n < 10; n++) assert.equal((await guess(n)).status, 401);
    const late = await guess(11);
    assert.equal(late.status, 429);
    assert.ok(Number(late.headers['retry-after']) > 0);
    assert.equal((await ask(server, 'GET', '/admin/jobs')).status, 200);
    assert.ok(!JSON.stringify(server.log).includes(SETTINGS.ADMIN_TOKEN));
  });

  it('is of no use to pages of other origins', async (t) => {
    const { data } = await place(t);
    await using server = await startServer(data, { env: SETTINGS });
    const origin = { origin: 'https://elsewhere.example' };
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    for (const path of [
      '/admin/jobs',
      '/%61dmin/jobs',
      '/admin/uploads',
      '/admin/uploads/x',
      '/admin',
      '/admin/x',
    ]) {
      const preflight = await server.request(path, { method: 'OPTIONS', headers: { ...origin, ...asked } });
      assert.equal(preflight.status, 204, path);
      for (const method of ['GET', 'POST', 'HEAD']) {
        for (const headers of [origin, { ...origin, ...AUTHORIZATION, ...tus }]) {
          const reply = await server.request(path, { method, headers });
          const names = [...Object.keys(preflight.headers), ...Object.keys(reply.headers)];
          assert.deepEqual(
            names.filter((name) => /^access-control-allow/.test(name)),
            [],
            `${method} ${path}`,
          );
        }
      }
    }
  });

  it('begins no more uploads at once than may be there, and none that the disk has no room for', async (t) => {
    const { data } = await place(t);
    const env = { ...SETTINGS, UPLOAD_MAX_COUNT: '5', UPLOAD_MAX_BYTES: String(2 ** 50) };
    await using server = await startServer(data, { env });
    const metadata = `filename ${Buffer.from('a.zip').toString('base64')}`;
    const post = (size: number) =>
      ask(server, 'POST', '/admin/uploads', {
        headers: { ...tus, 'upload-length': String(size), 'upload-metadata': metadata },
      });
    const large = await post(2 ** 50);
    assert.equal(large.status, 507);
    assert.match(large.json<{ reason: string }>().reason, /Make room below DATA_DIR/);
    assert.deepEqual(await readdir(join(data, 'uploads')), []);
    const many = await Promise.all(Array.from({ length: 40 }, () => post(10)));
    assert.deepEqual(many.map(({ status }) => status).sort(), [
      ...Array(5).fill(201),
      ...Array(35).fill(409),
    ]);
    const { uploads } = await json<{ uploads: AdminUpload[] }>(server, 'GET', '/admin/uploads');
    assert.equal(uploads.length, 5);
  });

  it('is not told by mistakes in the settings what the token is', async (t) => {
    const { data } = await place(t);
    const { code, stderr } = await runProgram(['serve'], { DATA_DIR: data, ADMIN_TOKEN: 'too short' });
    assert.equal(code, 2);
    assert.match(stderr, /ADMIN_TOKEN is not accepted, but it must be empty, or 16 to 200/);
    assert.ok(!stderr.includes('too short'));
  });

  it('uploads a package, sees what would be published, and publishes it', async (t) => {
    const { directory, data } = await place(t);
    await using server = await startServer(data, { env: SETTINGS });
    const checked = await upload(server, `${PACKAGE}.zip`, await zipBytes(directory));
    assert.equal(checked.state, 'succeeded', JSON.stringify(checked));
    const report = checked.result as IngestReport;
    assert.deepEqual([report.outcome, report.package?.name], ['understood', PACKAGE]);
    assert.ok(checked.mayIngest);
    assert.deepEqual(await list(data), []);
    assert.deepEqual((await json<{ uploads: AdminUpload[] }>(server, 'GET', '/admin/uploads')).uploads, []);

    const ingestion = await json<AdminJob>(server, 'POST', `/admin/jobs/${checked.id}/ingest`);
    const done = await ended(server, ingestion);
    assert.equal((done.result as IngestReport).outcome, 'published', JSON.stringify(done));
    const [row] = await list(data);
    assert.equal(row!.name, PACKAGE);
    assert.equal(
      (await ask(server, 'POST', `/admin/jobs/${checked.id}/ingest`)).status,
      409,
      'it is ingested',
    );
    assert.ok(!(await json<AdminJob>(server, 'GET', `/admin/jobs/${checked.id}`)).mayIngest);
    const { jobs, counts } = await json<JobPage<AdminJob>>(server, 'GET', '/admin/jobs?limit=10');
    assert.deepEqual([jobs.length, counts.succeeded], [2, 2]);
    assert.equal((await ask(server, 'DELETE', `/admin/jobs/${checked.id}`)).status, 204);

    const converting = await json<AdminJob>(server, 'POST', `/admin/packages/${row!.id}/convert`);
    assert.equal((await ended(server, converting)).state, 'succeeded');
    const tiles = (await list(data)).filter(({ kind }) => kind !== 'citygml');
    assert.deepEqual(tiles.map(({ name }) => name).sort(), [
      `${PACKAGE}_bldg_3dtiles_lod1`,
      `${PACKAGE}_bldg_mvt_lod0`,
    ]);
    for (const { id, name } of tiles) {
      assert.equal(
        (await ask(server, 'POST', `/admin/packages/${id}/convert`)).status,
        404,
        'it is no CityGML',
      );
      assert.equal((await ask(server, 'DELETE', `/admin/packages/${id}?name=${name}`)).status, 204);
    }

    // Removal needs the name of the package.
    const path = `/admin/packages/${row!.id}`;
    assert.equal((await ask(server, 'DELETE', path)).status, 400);
    assert.equal((await ask(server, 'DELETE', `${path}?name=other`)).status, 400);
    assert.equal((await ask(server, 'DELETE', `${path}?name=${PACKAGE}`)).status, 204);
    assert.equal((await ask(server, 'DELETE', `${path}?name=${PACKAGE}`)).status, 404);
    assert.deepEqual(await list(data), []);
    await server.stop();
    await assertClean(data);
  });

  it('brings back the revision before, and what was removed, as long as it is kept', async (t) => {
    const { directory, data } = await place(t);
    const [first, second] = [PACKAGE, PACKAGE.replace('citygml_1', 'citygml_2')];
    for (const [name, count] of [
      [first, 3],
      [second, 5],
    ] as const)
      await ingestOne(data, [await writeZip(join(directory, `${name}.zip`), goodPackage(count))]);
    const rows = await list(data, ['--all']);
    const idOf = (name: string) => rows.find((row) => row.name === name)!.id;
    const states = async () =>
      (await list(data, ['--all'])).map(({ name, state }) => `${name === first ? 1 : 2} ${state}`).sort();
    const bringBack = (server: TestServer, name: string) =>
      ask(server, 'POST', `/admin/packages/${idOf(name)}/bring-back`);
    const run = (...names: string[]) => runProgram(['bring-back', ...names], { DATA_DIR: data });
    {
      await using server = await startServer(data, { env: SETTINGS });
      /** Features that the catalogue shows, once the server has seen the change. */
      const shows = async (features: number | null) => {
        for (let looks = 0; ; looks++) {
          const reply = await server.request('/datacatalog/citygml/47201');
          const found =
            reply.status === 404
              ? null
              : reply.json<{ cities: Array<{ files: { bldg: Array<{ url: string }> } }> }>();
          const url = found?.cities[0]?.files.bldg[0]?.url;
          const text = url === undefined ? null : (await server.request(new URL(url).pathname)).text;
          const count = text === null ? null : text.split('<bldg:Building ').length - 1;
          if (count === features) return;
          assert.ok(looks < 400, `the catalogue shows ${count} features, expected ${features}`);
          await setTimeout(50);
        }
      };
      await shows(5);
      assert.equal((await bringBack(server, second)).status, 409, 'it is live');
      const back = await bringBack(server, first);
      assert.equal(back.status, 200, back.text);
      assert.deepEqual(back.json(), {
        id: idOf(first),
        name: first,
        retired: [{ id: idOf(second), name: second }],
      });
      await shows(3);
      assert.deepEqual(await states(), ['1 live', '2 retired']);

      // The same by command, and after a removal.
      const forth = await run(second);
      assert.equal(forth.code, 0, forth.stderr);
      assert.equal(forth.stdout.trim(), `live again: ${second} in place of ${first}`);
      await shows(5);
      assert.equal(
        (await ask(server, 'DELETE', `/admin/packages/${idOf(second)}?name=${second}`)).status,
        204,
      );
      await shows(null);
      assert.equal((await bringBack(server, second)).status, 200);
      await shows(5);

      // What is deleted cannot come back, and nothing changes.
      const key = rows.find(({ name }) => name === first)!.archiveKey;
      const archive = join(data, 'store', 'objects', key);
      await rename(archive, `${archive}.away`);
      const gone = await bringBack(server, first);
      assert.equal(gone.status, 404);
      assert.match(gone.json<{ reason: string }>().reason, /is deleted\. Ingest its package again\./);
      await rename(`${archive}.away`, archive);
      assert.deepEqual(await states(), ['1 retired', '2 live']);
      const unknown = await ask(server, 'POST', '/admin/packages/x/bring-back');
      assert.equal(unknown.status, 404);
      assert.match(unknown.json<{ reason: string }>().reason, /kept for RETIRED_GRACE_S/);
    }
    // After the sweep.
    const swept = await runProgram(['remove', second], {
      DATA_DIR: data,
      RETIRED_GRACE_S: '0',
      ASSET_MAX_AGE_S: '0',
    });
    assert.equal(swept.code, 0, swept.stderr);
    const late = await run(first);
    assert.equal(late.code, 1);
    assert.match(late.stderr, /There is no package .* kept for RETIRED_GRACE_S\. Ingest its package again\./);
    await assertClean(data);
  });

  it('goes on with an upload that broke, also after the server was killed', async (t) => {
    const { directory, data } = await place(t);
    const members = { ...goodPackage(), 'specification/random.bin': randomBytes(100_000) };
    const bytes = await readFile(await writeZip(join(directory, `${PACKAGE}.zip`), members));
    const first = await startServer(data, { env: SETTINGS });
    t.after(() => first.kill());
    const path = await begin(first, `${PACKAGE}.zip`, bytes.length);
    assert.equal((await send(first, path, bytes.subarray(0, 1_000), 0)).status, 204);
    // A part that breaks in the middle: the bytes that came are kept.
    const broken = new AbortController();
    const half = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(1_000, 2_000));
        void setTimeout(200).then(() => broken.abort());
      },
    });
    await assert.rejects(
      fetch(first.address + path, {
        method: 'PATCH',
        headers: {
          ...tus,
          ...AUTHORIZATION,
          'upload-offset': '1000',
          'content-type': 'application/offset+octet-stream',
        },
        body: half,
        duplex: 'half',
        signal: broken.signal,
      } as RequestInit),
    );
    assert.equal((await ask(first, 'POST', `${path}/check`)).status, 409, 'it is not whole');
    await first.kill();

    await using server = await startServer(data, { env: SETTINGS });
    const state = await ask(server, 'HEAD', path, { headers: tus });
    assert.equal(state.status, 200);
    const offset = Number(state.headers['upload-offset']);
    assert.ok(offset >= 1_000 && offset <= 2_000, String(offset));
    const { uploads } = await json<{ uploads: AdminUpload[] }>(server, 'GET', '/admin/uploads');
    assert.deepEqual(
      uploads.map(({ name, size, received }) => [name, size, received]),
      [[`${PACKAGE}.zip`, bytes.length, offset]],
    );
    assert.equal((await send(server, path, bytes, 5)).status, 409, 'not where it ended');
    assert.equal((await send(server, path, bytes.subarray(offset), offset)).status, 204);
    const checked = await ended(server, await json<AdminJob>(server, 'POST', `${path}/check`));
    assert.equal((checked.result as IngestReport).outcome, 'understood');
  });

  it('keeps jobs whose server is killed in the middle', async (t) => {
    const { directory, data } = await place(t);
    const members = goodPackage(30);
    for (let i = 0; i < 8; i++) members[`udx/bldg/392725${50 + i}_bldg_6697_op.gml`] = gml(300 + i);
    const bytes = await readFile(await writeZip(join(directory, `${PACKAGE}.zip`), members));
    const first = await startServer(data, { env: SETTINGS });
    t.after(() => first.kill());
    const checked = await upload(first, `${PACKAGE}.zip`, bytes);
    const job = await json<AdminJob>(first, 'POST', `/admin/jobs/${checked.id}/ingest`);
    await setTimeout(300);
    await first.kill();
    await using server = await startServer(data, { env: SETTINGS });
    const done = await ended(server, job);
    assert.equal(done.state, 'succeeded', JSON.stringify(done));
    await server.stop();
    assert.deepEqual(
      (await list(data)).map(({ name }) => name),
      [PACKAGE],
    );
    await assertClean(data);
  });

  it('sees what is refused, cancels and retries', async (t) => {
    const { data } = await place(t);
    await using server = await startServer(data, { env: { ...SETTINGS, JOB_WORKERS: '0' } });
    const path = await begin(server, `${PACKAGE}.zip`, 4);
    assert.equal((await send(server, path, Buffer.from('nope'), 0)).status, 204);
    const job = await json<AdminJob>(server, 'POST', `${path}/check`);
    assert.equal(job.state, 'queued');
    assert.equal((await ask(server, 'DELETE', `/admin/jobs/${job.id}`)).status, 409);
    assert.equal((await json<AdminJob>(server, 'POST', `/admin/jobs/${job.id}/cancel`)).state, 'cancelled');
    assert.equal((await json<AdminJob>(server, 'POST', `/admin/jobs/${job.id}/retry`)).state, 'queued');
    assert.equal((await ask(server, 'POST', `/admin/jobs/${job.id}/retry`)).status, 409);
    const run = await runProgram(['worker', '--until-idle', '1'], { DATA_DIR: data, JOB_POLL_MS: '50' });
    assert.equal(run.code, 0, run.stderr);
    const refused = await ended(server, job);
    assert.equal(refused.state, 'dead');
    assert.match(refused.reason!, /zip/);
    assert.ok(!refused.mayIngest);
    assert.equal(
      (await ask(server, 'POST', `/admin/jobs/${job.id}/ingest`)).status,
      200,
      'the operator may insist',
    );
    assert.equal((await ask(server, 'GET', '/admin/jobs/none')).status, 404);
    assert.equal((await ask(server, 'GET', '/admin/jobs?page=0')).status, 400);
  });

  it('is held to limits of size and number, and to names that are none of a path', async (t) => {
    const { data } = await place(t);
    const env = { ...SETTINGS, UPLOAD_MAX_BYTES: '1000', UPLOAD_MAX_COUNT: '3' };
    await using server = await startServer(data, { env });
    const refused = async (headers: Record<string, string>, status: number) => {
      const reply = await ask(server, 'POST', '/admin/uploads', { headers: { ...tus, ...headers } });
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.json<{ error: string }>().error, 'upload refused');
    };
    const named = { 'upload-metadata': `filename ${Buffer.from('a.zip').toString('base64')}` };
    await refused({ ...named, 'upload-length': '1001' }, 413);
    await refused({ ...named, 'upload-defer-length': '1' }, 400);
    await refused({ 'upload-length': '10' }, 400);
    const path = await begin(server, '../../../etc/pass\u0000wd\u202e.zip', 10);
    // More bytes than were told.
    const more = await send(server, path, Buffer.alloc(2_000), 0);
    assert.ok(more.status >= 400 && more.status < 500, String(more.status));
    await begin(server, `${'長'.repeat(400)}.zip`, 10);
    await begin(server, '<script>.zip', 10);
    await refused({ ...named, 'upload-length': '10' }, 409);
    const { uploads } = await json<{ uploads: AdminUpload[] }>(server, 'GET', '/admin/uploads');
    assert.equal(uploads.length, 3);
    for (const { name } of uploads) assert.match(name, /^[^/\\<>\p{Cc}]{1,200}\.zip$/u);
    const files = await readdir(join(data, 'uploads'));
    for (const file of files) assert.match(file, /^[0-9a-f-]{36}(\.json)?$/);
    for (const id of ['..%2f..%2fcatalogue.sqlite', 'x', '%00', uploads[0]!.id.toUpperCase()]) {
      const reply = await ask(server, 'HEAD', `/admin/uploads/${id}`, { headers: tus });
      assert.equal(reply.status, 404, id);
      assert.equal((await ask(server, 'DELETE', `/admin/uploads/${id}`, { headers: tus })).status, 404, id);
      assert.equal((await ask(server, 'POST', `/admin/uploads/${id}/check`)).status, 404, id);
    }
    for (const { id } of uploads) {
      assert.equal((await ask(server, 'DELETE', `/admin/uploads/${id}`, { headers: tus })).status, 204);
    }
    assert.deepEqual(await readdir(join(data, 'uploads')), []);
  });

  it('uploads more than the memory for bodies, part by part', async (t) => {
    const { data } = await place(t);
    const env = { ...SETTINGS, MAX_BODIES_BYTES: '100000', MAX_BODY_BYTES: '10000' };
    await using server = await startServer(data, { env });
    const bytes = Buffer.alloc(3_000_000, 'x');
    const path = await begin(server, 'a.zip', bytes.length);
    assert.equal((await send(server, path, bytes, 0)).status, 204);
    const state = await ask(server, 'HEAD', path, { headers: tus });
    assert.equal(state.headers['upload-offset'], '3000000');
  });
});
