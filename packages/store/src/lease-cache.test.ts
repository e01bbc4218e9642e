import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseCache } from './lease-cache.ts';

/** A cache of strings that notes what it opens and closes. */
function noting(max: number) {
  const events: string[] = [];
  const cache = new LeaseCache<string>({
    max,
    async open(key) {
      events.push(`open ${key}`);
      if (key.startsWith('bad')) throw new Error(`${key} cannot be opened`);
      return key;
    },
    async close(value) {
      events.push(`close ${value}`);
    },
  });
  return { cache, events };
}

test('callers at the same time share one opening', async () => {
  const { cache, events } = noting(2);
  const leases = await Promise.all([cache.lease('a'), cache.lease('a'), cache.lease('a')]);
  assert.deepEqual(events, ['open a']);
  for (const lease of leases) await lease[Symbol.asyncDispose]();
  await cache.close();
  assert.deepEqual(events, ['open a', 'close a']);
});

test('evicts what was used longest ago and is not on loan', async () => {
  const { cache, events } = noting(2);
  const a = await cache.lease('a');
  for (const key of ['b', 'c', 'b', 'd']) await (await cache.lease(key))[Symbol.asyncDispose]();
  // `a` is on loan throughout, so one place is left.
  assert.deepEqual(
    events.filter((event) => event.startsWith('close')),
    ['close b', 'close c', 'close b'],
  );
  assert.equal(a.value, 'a');
  await a[Symbol.asyncDispose]();
  await a[Symbol.asyncDispose]();
  await cache.close();
  assert.deepEqual(events.slice(-2).sort(), ['close a', 'close d']);
});

test('more than the limit may be on loan; the rest goes when it is given back', async () => {
  const { cache } = noting(1);
  const leases = await Promise.all(['a', 'b', 'c'].map((key) => cache.lease(key)));
  assert.equal(cache.size, 3);
  for (const lease of leases) await lease[Symbol.asyncDispose]();
  assert.equal(cache.size, 1);
  await cache.close();
});

test('a failed opening is forgotten', async () => {
  const { cache, events } = noting(1);
  const failures = await Promise.allSettled([cache.lease('bad'), cache.lease('bad')]);
  assert.deepEqual(
    failures.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await assert.rejects(cache.lease('bad'), /cannot be opened/);
  assert.deepEqual(events, ['open bad', 'open bad']);
  assert.equal(cache.size, 0);
});

test('what is dropped on loan is closed when it is given back, and opened anew for others', async () => {
  const { cache, events } = noting(5);
  const first = await cache.lease('a');
  cache.drop((key) => key === 'a');
  const second = await cache.lease('a');
  assert.deepEqual(events, ['open a', 'open a']);
  await first[Symbol.asyncDispose]();
  assert.deepEqual(events, ['open a', 'open a', 'close a']);
  await second[Symbol.asyncDispose]();
  assert.equal(events.length, 3);
  await cache.close();
  assert.equal(events.length, 4);
});

test('what is dropped while it opens is closed when it is given back', async () => {
  const { cache, events } = noting(5);
  const opening = cache.lease('a');
  cache.drop(() => true);
  const lease = await opening;
  assert.deepEqual(events, ['open a']);
  await lease[Symbol.asyncDispose]();
  assert.deepEqual(events, ['open a', 'close a']);
});

test('weights count while their values are in the cache, on loan or not', async () => {
  const closed: number[] = [];
  const cache = new LeaseCache<number>({
    max: 100,
    maxWeight: 10,
    weigh: (value) => value,
    open: async (key) => Number(key),
    close: async (value) => {
      closed.push(value);
    },
  });
  const use = async (key: string) => (await cache.lease(key))[Symbol.asyncDispose]();
  for (const key of ['6', '4', '6', '1']) await use(key);
  assert.deepEqual(closed, [4], 'used longest ago');
  const lent = await cache.lease('9');
  assert.deepEqual(closed, [4, 6]);
  await use('8');
  assert.deepEqual(closed, [4, 6, 1, 8], 'what is on loan stays, whatever it weighs');
  cache.drop((key) => key === '9');
  await lent[Symbol.asyncDispose]();
  await use('10');
  assert.deepEqual(closed, [4, 6, 1, 8, 9]);
  await cache.close();
});
