import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobStore, ObjectStore } from '@citymodel/store';
import { sweepJobs } from './job-retention.ts';

const DAY = 24 * 60 * 60 * 1_000;
const NOW = 10 * DAY;

interface Ended {
  id: string;
  run: number;
  objectKey: string | null;
}

/** Stores of ended jobs and uploads; `stuck`: jobs that cannot be forgotten; `owned`: objects that other jobs have. */
function stores(
  ended: Ended[],
  uploads: Record<string, number>,
  { stuck = new Set<string>(), owned = new Set() } = {},
) {
  const objects = new Map(Object.entries(uploads));
  const asked: number[] = [];
  const limits: number[] = [];
  return {
    ended,
    left: () => [...objects.keys()].sort(),
    /** Objects that were asked about at once. */
    asked,
    limits,
    jobs: {
      async finished(before: number, limit: number) {
        limits.push(before, limit);
        return ended.slice(0, limit);
      },
      async forget(id: string, run: number) {
        const at = ended.findIndex((one) => one.id === id && one.run === run);
        if (stuck.has(id) || at === -1) return false;
        ended.splice(at, 1);
        return true;
      },
      async ownedObjects(keys: string[]) {
        asked.push(keys.length);
        return keys.filter((key) => owned.has(key));
      },
    } as unknown as JobStore,
    objects: {
      async *list(prefix: string) {
        for (const [key, modified] of objects) {
          if (key.startsWith(prefix)) yield { key, modified: new Date(modified) };
        }
      },
      async deleteMany(keys: string[]) {
        for (const key of keys) objects.delete(key);
      },
    } as unknown as ObjectStore,
  };
}

const job = (i: number, objectKey: string | null = null): Ended => ({ id: `${i}`, run: 1, objectKey });

test('ended jobs are forgotten with their objects, but for those that another job has', async () => {
  const at = stores(
    [job(1, 'incoming/jobs/a'), job(2), job(3, 'incoming/jobs/b')],
    {
      'incoming/jobs/a': NOW,
      'incoming/jobs/b': NOW,
      'incoming/jobs/c': NOW,
    },
    { owned: new Set(['incoming/jobs/b']) },
  );
  await sweepJobs(at, NOW - DAY, NOW);
  assert.deepEqual(at.ended, []);
  assert.deepEqual(at.left(), ['incoming/jobs/b', 'incoming/jobs/c']);
  assert.deepEqual(at.limits, [NOW - DAY, 500]);
});

test('an upload that no job has goes after a day, and nothing that is no upload', async () => {
  const at = stores(
    [],
    {
      'incoming/jobs/old': NOW - DAY - 1,
      'incoming/jobs/owned': NOW - DAY - 1,
      'incoming/jobs/young': NOW - DAY,
      'archives/old.zip': 0,
    },
    { owned: new Set(['incoming/jobs/owned']) },
  );
  await sweepJobs(at, 0, NOW);
  assert.deepEqual(at.left(), ['archives/old.zip', 'incoming/jobs/owned', 'incoming/jobs/young']);
});

test('however many there are, five hundred are asked for at once', async () => {
  const jobs = Array.from({ length: 1_200 }, (_, i) => job(i));
  const uploads = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`incoming/jobs/${i}`, 0]));
  const at = stores(jobs, uploads);
  await sweepJobs(at, 1, NOW);
  assert.deepEqual([at.ended, at.left()], [[], []]);
  assert.equal(at.limits.length / 2, 3);
  assert.deepEqual(at.asked, [500, 500, 1]);
});

test('jobs that another process forgets do not hold the sweep up for ever', async () => {
  const jobs = Array.from({ length: 500 }, (_, i) => job(i));
  const at = stores(jobs, {}, { stuck: new Set(jobs.map(({ id }) => id)) });
  await sweepJobs(at, 1, NOW);
  assert.equal(at.limits.length / 2, 1);
  const some = stores([...jobs, job(500)], {}, { stuck: new Set(['0']) });
  await sweepJobs(some, 1, NOW);
  assert.deepEqual(
    some.ended.map(({ id }) => id),
    ['0'],
  );
});
