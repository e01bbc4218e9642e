import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobRow, JobStore, NewJob, ObjectStore } from '@citymodel/store';
import {
  adminJob,
  adminJobWhole,
  forgetJob,
  ingestChecked,
  requireJob,
  withoutStaging,
} from './admin-jobs.ts';

const DRY: JobRow = {
  ...{ id: '0123456789abcdef', kind: 'ingest', label: 'a.zip', state: 'succeeded', run: 2, attempts: 1 },
  ...{ maxAttempts: 3, reason: 'why', progress: null, createdAt: 0, availableAt: 1_000, startedAt: null },
  ...{ finishedAt: null, worker: 'host:7:8', isCancelling: false, objectKey: 'uploads/a', ownsObject: true },
  payload: {
    source: { object: 'uploads/a', name: 'a.zip' },
    ...{ overrides: {}, dryRun: true, replace: false, level: 6 },
  },
  result: { outcome: 'checked', issues: [1, 2] },
} as unknown as JobRow;

/** Stores with this job, its upload, and so many jobs that own the upload; and what was done to them. */
function storesOf(row: JobRow | null, { owners = 1, isThere = true, ends = true } = {}) {
  const deleted: string[] = [];
  const asked: NewJob[] = [];
  const jobs = {
    find: async (id: string) => (row?.id === id ? row : null),
    ownedObjects: async (keys: string[]) => Array.from({ length: owners }, () => keys[0]),
    forget: async (id: string, run: number) => ends && id === row!.id && run === row!.run,
    async enqueue(list: NewJob[]) {
      asked.push(...list);
      return list;
    },
  } as unknown as JobStore;
  const objects = {
    head: async () => (isThere ? { size: 1 } : null),
    delete: async (key: string) => void deleted.push(key),
  } as unknown as ObjectStore;
  return { jobs, objects, deleted, asked };
}

const isConflict = (error: { status?: number }) => error.status === 409;

test('the operator sees which machine works on a job, and the issues of one job alone', async () => {
  const job = await adminJob(DRY, storesOf(DRY));
  assert.equal(job.id, DRY.id);
  assert.equal(job.worker, 'host');
  assert.equal(job.reason, 'why');
  assert.equal(job.availableAt, '1970-01-01T00:00:01.000Z');
  assert.deepEqual(job.result, { outcome: 'checked' });
  assert.deepEqual((await adminJobWhole(DRY, storesOf(DRY))).result, DRY.result);
  const other = { ...DRY, worker: null, result: null };
  const { worker, result } = await adminJob(other, storesOf(other));
  assert.deepEqual([worker, result], [null, null]);
  assert.equal((await adminJob({ ...DRY, result: 'text' }, storesOf(DRY))).result, 'text');
});

test('a dry run may be ingested while its upload is there, and no other job has it', async () => {
  const may = async (change: Partial<JobRow>, facts = {}) =>
    (await adminJob({ ...DRY, ...change }, storesOf(DRY, facts))).mayIngest;
  assert.equal(await may({}), true);
  assert.equal(await may({}, { owners: 2 }), false);
  assert.equal(await may({}, { isThere: false }), false);
  assert.equal(await may({ state: 'failed' }), false);
  assert.equal(await may({ kind: 'convert' }), false);
  assert.equal(await may({ payload: { source: {}, dryRun: false } }), false);
  assert.equal(await may({ payload: null }), false);
  assert.equal(await may({ objectKey: null }), false);
});

test('what a dry run looked at is ingested once, as it was asked for', async () => {
  const stores = storesOf(DRY);
  await ingestChecked(stores, DRY.id, { replace: true, convert: true, maxAttempts: 4 });
  const [job] = stores.asked;
  assert.equal(stores.asked.length, 1);
  const { source } = DRY.payload as { source: object };
  assert.deepEqual(job!.payload, {
    source,
    overrides: {},
    dryRun: false,
    replace: true,
    level: 6,
    convert: true,
  });
  assert.deepEqual([job!.label, job!.objectKey], ['a', 'uploads/a']);
  assert.deepEqual([job!.maxAttempts, job!.unique], [4, 'ingest uploads/a']);
  const options = { replace: false, convert: false, maxAttempts: 1 };
  for (const [row, facts] of [
    [{ ...DRY, payload: { dryRun: false } }, {}],
    [{ ...DRY, objectKey: null }, {}],
    [DRY, { isThere: false }],
  ] as Array<[JobRow, object]>) {
    const refusing = storesOf(row, facts);
    await assert.rejects(ingestChecked(refusing, DRY.id, options), isConflict);
    assert.deepEqual(refusing.asked, []);
  }
  await assert.rejects(
    ingestChecked(stores, 'other', options),
    (error: { status?: number }) => error.status === 404,
  );
  await assert.rejects(requireJob(stores.jobs, 'x'.repeat(60)), (error: { reason?: string }) =>
    error.reason!.includes(`"${'x'.repeat(50)}"`),
  );
});

test('a job that has ended is forgotten, and with it an upload that nobody else has', async () => {
  const alone = storesOf(DRY, { owners: 0 });
  await forgetJob(alone, DRY.id);
  assert.deepEqual(alone.deleted, ['uploads/a']);
  const shared = storesOf(DRY, { owners: 1 });
  await forgetJob(shared, DRY.id);
  assert.deepEqual(shared.deleted, []);
  const without = storesOf({ ...DRY, objectKey: null }, { owners: 0 });
  await forgetJob(without, DRY.id);
  assert.deepEqual(without.deleted, []);
  const running = storesOf(DRY, { owners: 0, ends: false });
  await assert.rejects(forgetJob(running, DRY.id), isConflict);
  assert.deepEqual(running.deleted, []);
});

test('reasons name uploads, not directories of this machine', () => {
  for (const [reason, seen] of [
    ['/var/lib/citymodel/staging/d6f6523e-1/a.zip is no zip.', 'a.zip is no zip.'],
    ['Cannot read "/data/staging/d6f6/a b.zip".', 'Cannot read "a b.zip".'],
    ['udx/bldg/staging/odd.gml lacks an id.', 'udx/bldg/staging/odd.gml lacks an id.'],
    ['See /docs, and /admin/uploads.', 'See /docs, and /admin/uploads.'],
  ]) {
    assert.equal(withoutStaging(reason!), seen);
  }
});
