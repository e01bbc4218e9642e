import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Fastify from 'fastify';
import type { ServiceError } from '../../base/errors.ts';
import { readSettings } from '../../base/settings.ts';
import { INCOMING, putIncoming } from '../../jobs/incoming.ts';
import { jobFixture } from '../../jobs/testing/job-fixture.ts';
import { handleFailures } from '../answers/failures.ts';
import { Uploads } from './uploads.ts';

const ID = (n: number) => `0000000${n}-0000-4000-8000-000000000000`;

/** Uploads of a directory of their own, which a server answers for. */
async function uploading(env: Record<string, string> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'uploads-'));
  const fixture = await jobFixture();
  const settings = readSettings({ DATA_DIR: directory, UPLOAD_KEEP_S: '3600', ...env });
  const uploads = new Uploads(settings, fixture, '/admin/uploads');
  const app = Fastify();
  handleFailures(app, () => {});
  app.addContentTypeParser('application/offset+octet-stream', (_request, _payload, done) => done(null));
  app.route({ method: ['POST'], url: '/admin/uploads', handler: (a, b) => uploads.answer(a, b) });
  app.route({
    method: ['HEAD', 'PATCH', 'DELETE'],
    url: '/admin/uploads/:id',
    handler: (a, b) => uploads.answer(a, b),
  });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const tus = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(`${origin}/admin/uploads${path}`, {
      method,
      headers: { 'tus-resumable': '1.0.0', ...headers },
      ...(body !== undefined && { body }),
    });
  return {
    uploads,
    jobs: fixture.jobs,
    objects: fixture.objects,
    folder: join(directory, 'uploads'),
    tus,
    begin: (size: number | null, name: string | null = 'a.zip') =>
      tus('POST', '', {
        ...(size !== null && { 'upload-length': String(size) }),
        ...(name !== null && { 'upload-metadata': `filename ${Buffer.from(name).toString('base64')}` }),
      }),
    send: (path: string, offset: number, bytes: string) =>
      tus(
        'PATCH',
        path,
        { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
        bytes,
      ),
    async [Symbol.asyncDispose]() {
      await app.close();
      await fixture[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const pathOf = (answer: Response) => answer.headers.get('location')!.replace('/admin/uploads', '');

test('an upload goes on where it broke, is looked at once, and becomes a job', async () => {
  await using at = await uploading();
  const begun = await at.begin(10, '../町 a.zip');
  assert.equal(begun.status, 201);
  assert.equal(begun.headers.get('cache-control'), 'no-store');
  const path = pathOf(begun);
  const id = path.slice(1);
  assert.equal((await at.send(path, 0, 'abcd')).status, 204);
  const [half] = await at.uploads.list();
  assert.deepEqual([half!.id, half!.size, half!.received], [id, 10, 4]);
  assert.doesNotMatch(half!.name, /\//);
  assert.ok(Math.abs(Date.parse(half!.createdAt) - Date.now()) < 60_000);
  await assert.rejects(at.uploads.check(id), ({ reason, status }: ServiceError) => {
    assert.match(reason!, /has 4 of 10 bytes/);
    return status === 409;
  });
  const head = await at.tus('HEAD', path);
  assert.equal(head.headers.get('upload-offset'), '4');
  assert.equal((await at.send(path, 4, 'efghij')).status, 204);
  const [job, same] = await Promise.all([at.uploads.check(id), at.uploads.check(id)]);
  assert.equal(job, same);
  const { payload } = job as {
    payload: { source: Record<string, unknown>; dryRun: boolean; replace: boolean };
  };
  assert.deepEqual([payload.dryRun, payload.replace, job.objectKey], [true, false, INCOMING + id]);
  const sha256 = createHash('sha256').update('abcdefghij').digest('hex');
  assert.equal(payload.source.size, 10);
  assert.equal(JSON.stringify(payload.source).includes(sha256), true);
  assert.equal((await at.objects.head(INCOMING + id))!.size, 10);
  assert.deepEqual(await readdir(at.folder), []);
  assert.deepEqual(await at.uploads.list(), []);
  await assert.rejects(at.uploads.check(id), (error: { status?: number }) => error.status === 404);
});

test('a check that broke after the bytes were put is made again', async () => {
  await using at = await uploading();
  const path = pathOf(await at.begin(4));
  await at.send(path, 0, 'abcd');
  const key = INCOMING + path.slice(1);
  await putIncoming(at.objects, key, join(at.folder, path.slice(1)));
  const job = await at.uploads.check(path.slice(1));
  const { source } = job.payload as { source: Record<string, unknown> };
  assert.equal(source.size, 4);
  assert.ok(JSON.stringify(source).includes(createHash('sha256').update('abcd').digest('hex')));
});

test('what cannot be an upload is refused before it begins', async () => {
  await using at = await uploading({ UPLOAD_MAX_COUNT: '1', UPLOAD_MAX_BYTES: '1000' });
  const refused = async (answer: Promise<Response>, status: number, reason: RegExp) => {
    const { status: got, ...rest } = await answer.then(async (one) => ({
      status: one.status,
      type: one.headers.get('content-type'),
      text: await one.text(),
    }));
    assert.equal(got, status, rest.text);
    assert.match(rest.text, reason);
    assert.match(rest.type!, /^application\/json/);
    assert.equal(JSON.parse(rest.text).error, 'upload refused');
  };
  await refused(at.tus('POST', '', { 'upload-defer-length': '1' }), 400, /Upload-Length/);
  await refused(at.begin(10, null), 400, /filename/);
  await refused(at.begin(1_001), 413, /./);
  assert.equal((await at.begin(1_000)).status, 201);
  await refused(at.begin(10), 409, /./);
  await refused(
    at.tus('HEAD', `/${ID(9)}`).then(() => at.send(`/${ID(9)}`, 0, 'a')),
    404,
    /./,
  );
});

test('uploads are listed the oldest first, without what is none and what is over by time', async () => {
  await using at = await uploading();
  const file = async (id: string, created: string, ageS: number, description = true) => {
    await writeFile(join(at.folder, id), 'abc');
    const when = new Date(Date.now() - ageS * 1_000);
    await utimes(join(at.folder, id), when, when);
    if (!description) return;
    const upload = { id, size: 9, offset: 3, metadata: { filename: 'a.zip' }, creation_date: created };
    await writeFile(join(at.folder, `${id}.json`), JSON.stringify(upload));
  };
  assert.deepEqual(await at.uploads.list(), []);
  await file(ID(1), '2026-01-02T00:00:00.000Z', 0);
  await file(ID(2), '2026-01-01T00:00:00.000Z', 3_500);
  await file(ID(3), '2026-01-01T00:00:00.000Z', 3_700);
  await file(ID(4), '', 0, false);
  await file(ID(5), '', 3_700, false);
  await writeFile(join(at.folder, 'other'), 'x');
  await writeFile(join(at.folder, `${ID(6)}.json`), '{"id":');
  // What an upload does not say of itself is empty.
  await writeFile(join(at.folder, ID(7)), 'ab');
  await writeFile(join(at.folder, `${ID(7)}.json`), JSON.stringify({ id: ID(7), offset: 0 }));
  const listed = await at.uploads.list();
  assert.deepEqual(
    listed.map(({ id, size, received }) => [id, size, received]),
    [
      [ID(7), 0, 2],
      [ID(2), 9, 3],
      [ID(1), 9, 3],
    ],
  );
  assert.deepEqual(
    listed.map(({ name, createdAt }) => [name, createdAt]),
    [
      ['upload', ''],
      ['a.zip', '2026-01-01T00:00:00.000Z'],
      ['a.zip', '2026-01-02T00:00:00.000Z'],
    ],
  );
  const left = (await readdir(at.folder)).sort();
  assert.deepEqual(
    left,
    [1, 2, 7]
      .flatMap((n) => [ID(n), `${ID(n)}.json`])
      .concat(ID(4), `${ID(6)}.json`, 'other')
      .sort(),
  );
  assert.equal(await readFile(join(at.folder, 'other'), 'utf8'), 'x');
});
