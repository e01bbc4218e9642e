import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Gate } from './concurrency-limit.ts';
import { Turns } from './fair-turns.ts';
import { IdSet } from './id-set.ts';

describe('turns', () => {
  test('one piece of long work goes on in each round of the event loop', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const work = async (name: string) => {
      for (let i = 0; i < 3; i++) {
        await turns.wait();
        order.push(name);
      }
    };
    const rounds = (async () => {
      for (let i = 0; i < 9; i++) {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('|');
      }
    })();
    await Promise.all([work('a'), work('b'), work('c'), rounds]);
    assert.equal(order.filter((each) => each !== '|').join(''), 'abcabcabc');
    assert.ok(!/[abc]{3}/.test(order.join('')), order.join(''));
  });

  test('a slice ends with its time, and with its caller', async () => {
    const controller = new AbortController();
    const slice = new Turns().slice(controller.signal);
    assert.ok(!slice.due());
    let steps = 0;
    do {
      const until = performance.now() + 0.4;
      while (performance.now() < until);
      steps++;
    } while (!slice.due());
    assert.ok(steps >= 3 && steps <= 6, `${steps} steps`);
    await slice.pause();
    // Waiting is no work: one step, however long.
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.ok(!slice.due());
    controller.abort(new Error('gone'));
    await assert.rejects(slice.pause(), /gone/);
  });
});

test('a gate lets so many in, in their order, and goes on after failures', async () => {
  const gate = new Gate(2);
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

test('a set of ids is one', () => {
  const set = new IdSet();
  const real = new Set<string>();
  for (let i = 0; i < 30_000; i++) {
    const id = `bldg_${Math.imul(i, 2_654_435_761) % 20_000}`;
    assert.equal(set.add(id), !real.has(id));
    real.add(id);
  }
});
