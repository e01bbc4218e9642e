import assert from 'node:assert/strict';
import test from 'node:test';
import { ConcurrencyLimit } from './concurrency-limit.ts';

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
