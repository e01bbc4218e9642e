import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { Gate } from './gate.ts';

test('lets so many in at once, in the order in which they came, and refuses what is too much', async () => {
  const gate = new Gate({ atOnce: 2, waiting: 2 });
  const [first, second] = [await gate.enter(), await gate.enter()];
  const entered: string[] = [];
  const entering = async (name: string) => {
    const leave = await gate.enter();
    entered.push(name);
    return leave;
  };
  const third = entering('third');
  const fourth = entering('fourth');
  await assert.rejects(gate.enter(), { status: 503, retryAfter: 5 });
  await setImmediate();
  assert.deepEqual(entered, []);
  second();
  second();
  await setImmediate();
  assert.deepEqual(entered, ['third']);
  first();
  await setImmediate();
  assert.deepEqual(entered, ['third', 'fourth']);
  for (const leave of [await third, await fourth]) leave();
  (await gate.enter())();
});

test('a caller that goes away makes room for others', async () => {
  const gate = new Gate({ atOnce: 1, waiting: 1 });
  const leave = await gate.enter();
  const going = new AbortController();
  const waiting = gate.enter(going.signal);
  going.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  const next = gate.enter();
  leave();
  (await next)();
  await assert.rejects(gate.enter(going.signal), /gone/);
  await assert.rejects(
    gate.run(async () => {
      throw new Error('failed');
    }),
    /failed/,
  );
  assert.equal(await gate.run(async () => 'free'), 'free');
});

test('whatever comes and goes, no more than so many run and none is left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ rounds: fc.nat(3), goes: fc.boolean() })), async (callers) => {
      const gate = new Gate({ atOnce: 3, waiting: 5 });
      let running = 0;
      const work = async (rounds: number) => {
        assert.ok(++running <= 3);
        for (let i = 0; i < rounds; i++) await setImmediate();
        running--;
      };
      const results = callers.map(({ rounds, goes }) => {
        const going = new AbortController();
        const result = gate.run(() => work(rounds), going.signal);
        if (goes) setImmediate().then(() => going.abort(new Error('gone')));
        return result;
      });
      const settled = await Promise.allSettled(results);
      for (const [i, { status }] of settled.entries()) {
        if (i < 8 && !callers[i]!.goes) assert.equal(status, 'fulfilled');
      }
      assert.equal(running, 0);
      for (const leave of await Promise.all([gate.enter(), gate.enter(), gate.enter()])) leave();
    }),
    { numRuns: 30 },
  );
});
