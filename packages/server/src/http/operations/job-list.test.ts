import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_STATES, type JobState, PACK_KIND } from '@citymodel/store';
import { jobFixture, kindOf } from '../../jobs/testing/job-fixture.ts';
import { isoTime, jobPage, publicJob } from './job-list.ts';

test('jobs come page by page, the newest first, without packs', async () => {
  await using fixture = await jobFixture();
  // Together: which of two is older, of the same millisecond, nothing else tells.
  await fixture.enqueue(...Array.from({ length: 5 }, (_, i) => ({ label: `job ${i}` })));
  await fixture.enqueue({ kind: PACK_KIND, label: 'a pack' });
  const now = Date.now();
  const claim = await fixture.jobs.claim({ worker: 'w', now, leaseUntil: now + 60_000, kinds: ['test'] });
  await fixture.work([kindOf(async () => ({}))]).begin(claim!);
  const page = (states: readonly JobState[], number: number, limit = 2) =>
    jobPage(fixture.jobs, { states, page: number, limit }, publicJob);
  const labels = async (states: readonly JobState[], number: number, limit?: number) => {
    const { jobs, pages, page: at } = await page(states, number, limit);
    return [at, pages, jobs.map(({ label }) => label)];
  };
  assert.deepEqual(await labels(JOB_STATES, 1), [1, 3, ['job 4', 'job 3']]);
  assert.deepEqual(await labels(JOB_STATES, 3), [3, 3, ['job 0']]);
  assert.deepEqual(await labels(['queued'], 2), [2, 2, ['job 2', 'job 1']]);
  assert.deepEqual(await labels(['succeeded'], 1), [1, 1, ['job 0']]);
  assert.deepEqual(await labels(['cancelled'], 1), [1, 1, []], 'an empty list has one page');
  const { counts, jobs } = await page(['succeeded'], 1);
  assert.deepEqual([counts.queued, counts.succeeded], [4, 1]);
  const [done] = jobs;
  assert.match(done!.id, /^[0-9a-f]{8}$/);
  for (const time of [done!.createdAt, done!.startedAt, done!.finishedAt])
    assert.ok(Math.abs(Date.parse(time!) - now) < 60_000, String(time));
  const [waiting] = (await page(['queued'], 1)).jobs;
  assert.deepEqual([waiting!.startedAt, waiting!.finishedAt], [null, null]);
});

test('times are ISO 8601, in UTC', () => {
  assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z');
  assert.equal(isoTime(null), null);
});
