import assert from 'node:assert/strict';
import test from 'node:test';
import { ConcurrencyLimit, Pass } from './concurrency-limit.ts';

test('a gate lets so many in, in their order, and goes on after failures', async () => {
  const gate = new ConcurrencyLimit(2);
  let inside = 0;
  let most = 0;
  const begun: number[] = [];
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) =>
      gate.run(async () => {
        begun.push(i);
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
        if (i % 3 === 0) throw new Error('no');
        return i;
      }),
    ),
  );
  assert.equal(most, 2);
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 4);
});

test('who enters without a weight has a weight of one, and nobody passes one who waits', async () => {
  const gate = new ConcurrencyLimit(3);
  assert.ok(gate.tryEnter());
  assert.ok(gate.tryEnter(2), 'one of three was taken');
  const waiting = gate.enter(3);
  gate.leave(2);
  assert.equal(gate.tryEnter(), false, 'another one waits');
  gate.leave();
  await waiting;
  assert.equal(gate.tryEnter(), false);
});

test('what is in use and what waits can be seen, and who is heavier than the limit enters alone', async () => {
  const limit = new ConcurrencyLimit(10);
  await limit.enter(4);
  assert.deepEqual([limit.inUse, limit.waiting], [4, 0]);
  const heavy = limit.enter(1_000);
  const light = limit.enter(7);
  const lightest = limit.enter(3);
  assert.deepEqual([limit.inUse, limit.waiting], [4, 3]);
  limit.leave(4);
  await heavy;
  assert.deepEqual([limit.inUse, limit.waiting], [10, 2]);
  limit.leave(1_000);
  await Promise.all([light, lightest]);
  assert.deepEqual([limit.inUse, limit.waiting], [10, 0]);
  limit.leave(7);
  limit.leave(3);
  assert.equal(limit.inUse, 0);
});

test('a pass enters once, and leaves once when it has entered', async () => {
  const limit = new ConcurrencyLimit(1);
  const first = new Pass(limit);
  const second = new Pass(limit);
  assert.equal(first.isInside, false);
  assert.equal(first.tryEnter(), true);
  assert.equal(first.tryEnter(), true);
  await first.enter();
  assert.deepEqual([first.isInside, limit.inUse], [true, 1]);
  assert.equal(second.tryEnter(), false);
  second[Symbol.dispose]();
  assert.equal(limit.inUse, 1, 'who is outside has nothing to leave');
  const entering = second.enter();
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await entering;
  assert.deepEqual([first.isInside, second.isInside, limit.inUse], [false, true, 1]);
  second[Symbol.dispose]();
  assert.equal(limit.inUse, 0);
});
