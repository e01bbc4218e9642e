import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobStore } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import { JobRefused } from '../../jobs/job-kind.ts';
import { compareJob } from '../../jobs/kinds/compare.ts';
import { jobFixture } from '../../jobs/testing/job-fixture.ts';
import { askForComparison, MAX_WAITING } from './ask-for-comparison.ts';

const job = (n: number) => compareJob({ id: 'a', name: 'a' }, { id: `b${n}`, name: 'b' }, 'bldg', 3);
const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ServiceError && error.retryAfter !== undefined);
  assert.match(error.reason!, words);
  return error.status === 503;
};

test('a comparison waits once, and no more than so many wait', async () => {
  await using fixture = await jobFixture();
  const waiting = async () => (await fixture.jobs.counts({})).queued;
  for (let n = 0; n < MAX_WAITING; n++) {
    assert.equal(await askForComparison(fixture.jobs, job(n)), null);
    assert.equal(await askForComparison(fixture.jobs, job(n)), null);
  }
  assert.equal(await waiting(), MAX_WAITING);
  await assert.rejects(askForComparison(fixture.jobs, job(99)), refused(/50 comparisons wait/));
  assert.equal(await askForComparison(fixture.jobs, job(7)), null, 'one that waits already');
  assert.equal(await waiting(), MAX_WAITING);
});

test('one that has failed for good is not begun again at once', async () => {
  await using fixture = await jobFixture();
  await askForComparison(fixture.jobs, job(1));
  const now = Date.now();
  const claim = await fixture.jobs.claim({ worker: 'w', now, leaseUntil: now + 60_000, kinds: ['compare'] });
  const kind = {
    name: 'compare',
    atOnce: 1,
    memoryMb: 100,
    readPayload: (json: unknown) => json,
    run: async () => {
      throw new JobRefused('NO_SPACE', '/srv/data is full.');
    },
  };
  await fixture.work([kind]).begin(claim!);
  await assert.rejects(
    askForComparison(fixture.jobs, job(1)),
    refused(/^Comparing these editions has failed; `citymodel jobs` tells the operator why\.$/),
  );
  assert.equal(await askForComparison(fixture.jobs, job(2)), null, 'another one may wait');
});

test('one that waits or runs already tells how far it has come, and a failure of long ago counts no more', async () => {
  const progress = { step: 'compare', done: 1, total: 2 };
  const hourAgo = Date.now() - 3_600_000;
  for (const [waiting, failedAt, expected] of [
    [0, null, progress],
    [0, hourAgo - 1_000, progress],
    [0, hourAgo + 60_000, 'failed'],
    [MAX_WAITING - 1, null, progress],
    [MAX_WAITING, null, 'open'],
  ] as const) {
    const wanted = job(1);
    const jobs = {
      async list({ states }: { states: readonly string[] }) {
        if (!states.includes('dead')) return [job(2), { ...wanted, progress: 'open' }];
        return failedAt === null ? [] : [job(2), { ...wanted, finishedAt: failedAt }];
      },
      counts: async () => ({ queued: waiting && waiting - 5, running: waiting && 3, failed: waiting && 2 }),
      enqueue: async () => [{ ...wanted, progress }],
    } as unknown as JobStore;
    const asked = askForComparison(jobs, wanted);
    if (expected === 'failed') await assert.rejects(asked, refused(/has failed/));
    else assert.equal(await asked, expected);
  }
});
