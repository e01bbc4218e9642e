import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addJobs } from './jobs.ts';
import { houseStore } from './testing/house-store.ts';

const CREATED = Date.UTC(2026, 3, 1, 9, 30, 15);
const BEGAN = CREATED + 61_000;

/** A store of jobs, one in each state, labelled by it, with their ids. */
async function oneOfEach(t: TestContext) {
  const store = await houseStore(t);
  const ids: Record<string, string> = {};
  await store.use(async ({ jobs }) => {
    const add = async (label: string, kind = 'tables') => {
      const job = { kind, label, payload: { of: label }, maxAttempts: 3 };
      const [row] = await jobs.enqueue([{ ...job, exclusive: null, unique: null, objectKey: null }], CREATED);
      ids[label] = row!.id;
    };
    const claim = async (kind = 'tables') => {
      const lease = { now: BEGAN, leaseUntil: BEGAN + 1e12 };
      return (await jobs.claim({ worker: 'house:7:abc', kinds: [kind], ...lease }))!;
    };
    await add('succeeded', 'pack');
    await jobs.succeed(await claim('pack'), { bytes: 1 }, BEGAN);
    await add('dead');
    await jobs.fail(await claim(), { reason: 'It was no zip.', now: BEGAN, retryAt: null });
    await add('cancelled');
    await jobs.cancel(ids.cancelled!, BEGAN);
    await add('failed');
    await jobs.fail(await claim(), { reason: 'no room', now: BEGAN, retryAt: BEGAN + 1e12 });
    await add('running');
    const running = await claim();
    await jobs.touch(running, { done: 1, total: 4, unit: 'files', text: '' }, BEGAN + 1e12);
    await add('queued');
  });
  const labels = async (...words: string[]) => {
    const { out } = await store.run(addJobs, 'jobs', ...words, '--json');
    return JSON.parse(out)
      .map(({ label }: { label: string }) => label)
      .sort();
  };
  return { store, ids, labels };
}

test('jobs that have not ended are listed with their states and times', async (t) => {
  const { store, ids } = await oneOfEach(t);
  const { code, out, err } = await store.run(addJobs, 'jobs');
  assert.deepEqual([code, err], [0, '']);
  const lines = out.trimEnd().split('\n');
  assert.match(lines[0]!, /^job +kind +what +state +done +asked for +began +worker$/);
  const cells = lines.slice(1, -1).map((line) => line.split(/ {2,}/));
  const short = (label: string) => ids[label]!.slice(0, 8);
  assert.deepEqual(
    cells.toSorted((a, b) => (a[2]! < b[2]! ? -1 : 1)),
    [
      [
        ...[short('failed'), 'tables', 'failed', 'failed, will be retried (1 of 3 attempts): no room'],
        ...['2026-04-01 09:30:15', '2026-04-01 09:31:16'],
      ],
      [short('queued'), 'tables', 'queued', 'waits', '2026-04-01 09:30:15'],
      [
        ...[
          short('running'),
          'tables',
          'running',
          'runs',
          '25 %',
          '2026-04-01 09:30:15',
          '2026-04-01 09:31:16',
        ],
        'house:7',
      ],
    ],
  );
  assert.equal(lines.at(-1), '1 queued, 1 running, 1 failed, 1 succeeded, 1 dead, 1 cancelled');
});

test('lists are narrowed by state and kind, and have so many jobs at most', async (t) => {
  const { store, labels } = await oneOfEach(t);
  assert.deepEqual(await labels('list'), ['failed', 'queued', 'running']);
  assert.deepEqual(await labels('list', '--all'), [
    ...['cancelled', 'dead', 'failed', 'queued', 'running', 'succeeded'],
  ]);
  assert.deepEqual(await labels('list', '--dead'), ['dead']);
  assert.deepEqual(await labels('list', '--state', 'cancelled', '--all'), ['cancelled']);
  assert.deepEqual(await labels('list', '--all', '--kind', 'pack'), ['succeeded']);
  assert.equal((await labels('list', '--all', '--limit', '2')).length, 2);
  const packs = await store.run(addJobs, 'jobs', 'list', '--all', '--kind', 'pack');
  assert.match(packs.out, /\n0 queued, 0 running, 0 failed, 1 succeeded, 0 dead, 0 cancelled\n$/);
  const wrong = await store.run(addJobs, 'jobs', 'list', '--state', 'lost');
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /It must be one of queued, running, failed, succeeded, dead, cancelled\./);
  const none = await store.run(addJobs, 'jobs', 'list', '--limit', '0');
  assert.match(none.err, /whole number from 1 to 10000\./);
});

test('one job is shown by its id or the beginning of it', async (t) => {
  const { store, ids } = await oneOfEach(t);
  const { code, out } = await store.run(addJobs, 'jobs', 'show', ids.dead!.slice(0, 13).toUpperCase());
  assert.equal(code, 0);
  const row = JSON.parse(out);
  assert.deepEqual([row.id, row.reason, row.payload], [ids.dead, 'It was no zip.', { of: 'dead' }]);
  assert.equal(out, `${JSON.stringify(row, null, 2)}\n`);
  const none = await store.run(addJobs, 'jobs', 'show', 'ffffffff-0000');
  assert.deepEqual([none.code, none.err], [1, 'citymodel: there is no job ffffffff-0000\n']);
  const several = await store.run(addJobs, 'jobs', 'show', '');
  assert.deepEqual(
    [several.code, several.err],
    [1, 'citymodel: several jobs begin with ; give more of the id\n'],
  );
});

test('jobs are cancelled while they have not ended, and those after one that has are, too', async (t) => {
  const { store, ids } = await oneOfEach(t);
  const cancelled = await store.run(addJobs, 'jobs', 'cancel', ids.queued!, ids.succeeded!, ids.running!);
  assert.deepEqual(cancelled, {
    code: 1,
    out: `✓ ${ids.queued}  queued\n✓ ${ids.running}  running\n`,
    err: `✗ ${ids.succeeded}  succeeded: the job has ended already: succeeded\n`,
  });
  const again = await store.run(addJobs, 'jobs', 'cancel', ids.running!);
  assert.deepEqual(again, { code: 0, out: `✓ ${ids.running}  running\n`, err: '' });
  const { out } = await store.run(addJobs, 'jobs', 'show', ids.running!);
  assert.equal(JSON.parse(out).isCancelling, true);
});

test('jobs are queued again one by one, or all that were given up', async (t) => {
  const { store, ids, labels } = await oneOfEach(t);
  const dead = await store.run(addJobs, 'jobs', 'retry', '--dead');
  assert.deepEqual(dead, { code: 0, out: `✓ ${ids.dead}  dead\n`, err: '' });
  assert.deepEqual(await labels('list', '--state', 'queued'), ['dead', 'queued']);
  const some = await store.run(addJobs, 'jobs', 'retry', ids.cancelled!, ids.running!);
  assert.deepEqual(some, {
    code: 1,
    out: `✓ ${ids.cancelled}  cancelled\n`,
    err: `✗ ${ids.running}  running: the job cannot be retried: runs\n`,
  });
  assert.deepEqual(await store.run(addJobs, 'jobs', 'retry'), { code: 0, out: '', err: '' });
});
