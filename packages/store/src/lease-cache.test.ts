import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Lease, LeaseCache } from './lease-cache.ts';

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

test('in any order of use a value on loan is open, and what was opened is closed once', async () => {
  const step = fc.record({
    what: fc.constantFrom('lease', 'lease', 'lease', 'back', 'drop', 'closeIdle'),
    key: fc.constantFrom('1', '2', '3', '4'),
    which: fc.nat(9),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      /** Each opening is a value of its own; `closed` are those that were closed. */
      const opened: Array<{ key: string; number: number }> = [];
      const closed: number[] = [];
      const cache = new LeaseCache<{ key: string; number: number }>({
        max: 3,
        maxWeight: 6,
        weigh: ({ key }) => Number(key),
        async open(key) {
          opened.push({ key, number: opened.length });
          return opened.at(-1)!;
        },
        close: async ({ number }) => void closed.push(number),
      });
      const onLoan: Array<Lease<{ key: string; number: number }>> = [];
      for (const { what, key, which } of steps) {
        if (what === 'lease') onLoan.push(await cache.lease(key));
        else if (what === 'drop') cache.drop((other) => other === key);
        else if (what === 'closeIdle') await cache.closeIdle();
        else if (onLoan.length > 0) await onLoan.splice(which % onLoan.length, 1)[0]![Symbol.asyncDispose]();
        for (const { value } of onLoan) assert.ok(!closed.includes(value.number), 'open while on loan');
        const kept = [...cache.values()];
        assert.equal(kept.length, cache.size);
        for (const [of, { key, number }] of kept) assert.ok(of === key && !closed.includes(number));
        const lent = new Set(onLoan.map(({ value }) => value.number));
        const open = opened.filter(({ number }) => !closed.includes(number));
        for (const { number } of open) {
          assert.ok(
            lent.has(number) || kept.some(([, value]) => value.number === number),
            'none is forgotten',
          );
        }
        const idle = kept.filter(([, { number }]) => !lent.has(number));
        if (what === 'closeIdle') assert.deepEqual(idle, []);
        const weight = kept.reduce((sum, [, value]) => sum + Number(value.key), 0);
        if (kept.length > 3 || weight > 6)
          assert.deepEqual(idle, [], 'over the limits only with what is on loan');
      }
      for (const lease of onLoan) await lease[Symbol.asyncDispose]();
      await cache.close();
      assert.deepEqual(
        closed.toSorted((a, b) => a - b),
        opened.map(({ number }) => number),
      );
      assert.equal(cache.size, 0);
    }),
  );
});
