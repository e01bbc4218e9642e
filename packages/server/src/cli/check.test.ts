import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeS3 } from '@citymodel/store/testing';
import { InvalidSettings } from '../base/settings.ts';
import { addCheck } from './check.ts';
import { addReindex } from './reindex.ts';
import { houseStore } from './testing/house-store.ts';
import { HOUSES, writeHouses } from './testing/houses.ts';

const OTHER = '13102_chuo-ku_city_2023_citygml_1_op';

test('archives that are right are counted, and objects that nothing refers to are no faults', async (t) => {
  const store = await houseStore(t, { RETIRED_GRACE_S: '70' });
  await store.publish(await writeHouses(store.directory));
  const right = await store.run(addCheck, 'check');
  assert.deepEqual(right, { code: 0, out: '1 packages with 2 members checked, no faults\n', err: '' });
  const key = 'archives/00000000-0000-4000-8000-000000000000.zip';
  await store.use(({ objects }) => objects.put(key, [Buffer.from('x')] as never));
  const orphan = await store.run(addCheck, 'check');
  assert.deepEqual(orphan, {
    code: 0,
    out:
      `• ${key}: Nothing refers to this object of 1 B.\n` +
      '  --repair lets the sweep delete such objects after RETIRED_GRACE_S (70 s).\n' +
      '1 packages with 2 members checked, no faults\n',
    err: '',
  });
  const repaired = await store.run(addCheck, 'check', '--repair');
  assert.match(repaired.out, /\n {2}The sweep deletes these objects after RETIRED_GRACE_S \(70 s\)\.\n/);
  const json = await store.run(addCheck, 'check', '--json');
  assert.equal(json.out, `${JSON.stringify(JSON.parse(json.out), null, 2)}\n`);
  assert.equal(JSON.parse(json.out).packages, 1);
});

test('a package without its archive is a fault, of the packages that are named', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  await store.publish(await writeHouses(store.directory, { name: OTHER }));
  const [row] = await store.rows();
  await store.use(({ objects }) => objects.delete(row!.archiveKey!));
  const all = await store.run(addCheck, 'check');
  assert.equal(all.code, 1);
  assert.match(all.out, new RegExp(`^✗ ${HOUSES}: [^\n]+\n2 packages with 2 members checked, 1 faults\n$`));
  const other = await store.run(addCheck, 'check', OTHER);
  assert.deepEqual([other.code, other.out], [0, '1 packages with 2 members checked, no faults\n']);
  const json = await store.run(addCheck, 'check', '--json', HOUSES);
  assert.deepEqual([json.code, JSON.parse(json.out).faults.length], [1, 1]);
});

test('only a bucket of S3 can be looked at as one', async (t) => {
  const store = await houseStore(t);
  await assert.rejects(store.run(addCheck, 'check', '--bucket'), (error: Error) => {
    assert.ok(error instanceof InvalidSettings);
    return /OBJECT_STORE names no bucket of S3/.test(error.message);
  });
  store.env.OBJECT_STORE = 's3:/nothing';
  await assert.rejects(store.run(addCheck, 'check', '--bucket'), InvalidSettings);
});

test('indexes that are there stay, and missing tables and pictures are made', async (t) => {
  const store = await houseStore(t, { TABLES: 'off', PICTURES: 'off' });
  await store.publish(await writeHouses(store.directory));
  const current = await store.run(addReindex, 'reindex');
  assert.deepEqual(current, { code: 0, out: '0 indexes rebuilt, 1 were current\n', err: '' });
  const all = await store.run(addReindex, 'reindex', '--all', '--json');
  const report = JSON.parse(all.out);
  assert.deepEqual([report.rebuilt, report.tables, report.pictures], [[HOUSES], [], []]);
  delete store.env.TABLES;
  const tables = await store.run(addReindex, 'reindex');
  assert.equal(tables.out, `✓ ${HOUSES}: tables\n0 indexes rebuilt, 1 were current\n`);
  const none = await store.run(addReindex, 'reindex', 'nobody');
  assert.equal(none.code, 1);
  assert.match(none.out, /^✗ nobody: [^\n]+\n/);
});

test('a job is queued for a worker in place of the work', async (t) => {
  const store = await houseStore(t, { JOB_ATTEMPTS: '4' });
  const text = await store.run(addReindex, 'reindex', '--queue');
  assert.match(text.out, /^[0-9a-f-]{36} {2}\S.*\n$/);
  const named = await store.run(addReindex, 'reindex', '--queue', '--json', '--all', HOUSES);
  const job = JSON.parse(named.out);
  assert.deepEqual([job.payload.names, job.payload.all, job.maxAttempts], [[HOUSES], true, 4]);
  assert.equal(named.out, `${JSON.stringify(job, null, 2)}\n`);
});

test('a bucket is reported line by line, with 1 where something does not work', async (t) => {
  const fake = await FakeS3.start();
  t.after(() => fake[Symbol.asyncDispose]());
  const store = await houseStore(t, {
    OBJECT_STORE: fake.address('a/'),
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'testtest',
  });
  const right = await store.run(addCheck, 'check', '--bucket');
  assert.deepEqual([right.code, right.err], [0, '']);
  const lines = right.out.trimEnd().split('\n');
  assert.equal(lines[0], '✓ the bucket answers');
  assert.match(
    lines.at(-1)!,
    /^• no lifecycle rule gives up unfinished uploads, or it may not be read: the sweep does it;/,
  );
  assert.ok(
    lines.slice(0, -1).every((line) => /^✓ [^:]+$/.test(line)),
    right.out,
  );
  fake.fault = ({ method, key }) =>
    method === 'PUT' && key !== '' ? { status: 403, code: 'AccessDenied' } : null;
  const wrong = await store.run(addCheck, 'check', '--bucket');
  assert.equal(wrong.code, 1);
  assert.match(wrong.out, /^✓ the bucket answers\n✗ objects are written: .*AccessDenied.*\n$/);
  const json = await store.run(addCheck, 'check', '--bucket', '--json');
  assert.deepEqual(
    JSON.parse(json.out).map(({ state }: { state: string }) => state),
    ['ok', 'fault'],
  );
  assert.equal(json.out, `${JSON.stringify(JSON.parse(json.out), null, 2)}\n`);
});
