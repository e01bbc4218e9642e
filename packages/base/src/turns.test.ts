import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Slices, type Time, Turns } from './turns.ts';

test('a pause is due when a slice has lasted its time, and begins a new one', async () => {
  let pauses = 0;
  const slices = new Slices(async () => void pauses++, 0);
  assert.equal(slices.due(), true);
  await slices.pause();
  assert.equal(pauses, 1);
  assert.equal(new Slices(async () => {}, 1e9).due(), false);
});

test('every item is taken through its step, in order, whenever slices end', async () => {
  for (const limit of [0, 1e9]) {
    for (const count of [0, 1, 31, 32, 33, 100]) {
      let pauses = 0;
      const slices = new Slices(async () => void pauses++, limit);
      const items = Array.from({ length: count }, (_, i) => i);
      const seen: number[] = [];
      await slices.each(items, (item) => void seen.push(item));
      assert.deepEqual(seen, items);
      assert.equal(pauses, limit === 0 ? Math.ceil(count / 32) : 0);
    }
  }
});

test('a slice lasts four milliseconds unless somebody says otherwise, or until the round is full', async () => {
  let steps = 0;
  const clock = {
    step() {
      steps++;
      return 2;
    },
    isRoundFull: false,
  };
  const slices = new Slices(async () => {}, undefined, clock);
  assert.deepEqual([slices.due(), slices.due()], [false, true]);
  await slices.pause();
  assert.equal(steps, 3, 'what the pause took is no work of the next slice');
  assert.equal(slices.due(), false);
  clock.isRoundFull = true;
  await slices.pause();
  assert.equal(slices.due(), true);
});

describe('turns', () => {
  const { signal } = new AbortController();

  test('a slice ends after two milliseconds, counted from its pause', async () => {
    const time = new TestTime();
    const slices = new Turns(time).slices(signal);
    for (let i = 0; i < 3; i++) {
      time.work(1.75);
      assert.equal(slices.due(), false);
      time.work(0.125);
      assert.equal(slices.due(), false);
      time.work(0.125);
      assert.equal(slices.due(), true);
      await slices.pause();
    }
  });

  test('a short step counts as work; of a longer one the processor tells what was', () => {
    const time = new TestTime();
    const slices = new Turns(time).slices(signal);
    const asked = time.asked;
    for (let i = 0; i < 8; i++) {
      time.wait(0.125);
      assert.equal(slices.due(), false);
    }
    assert.equal(time.asked, asked, 'one millisecond, all of it waiting, for which nobody asked the system');
    // The processor says 1.25 since it was last asked, of which 1 is counted already.
    time.wait(0.75);
    time.work(1.25);
    assert.equal(slices.due(), false);
    assert.equal(time.asked, asked + 1);
    time.wait(0.25);
    assert.equal(slices.due(), false, 'a step of a quarter of a millisecond is looked up');
    time.work(0.5);
    assert.equal(slices.due(), false);
    time.work(0.25);
    assert.equal(slices.due(), true, '1 + 0.25 + 0.5 + 0.25');
  });

  test('a step from an earlier round counts half a millisecond at most, and fills no round', async () => {
    for (const [before, isDue] of [
      [1.25, false],
      [1.5, true],
    ] as const) {
      const time = new TestTime();
      const turns = new Turns(time);
      const slices = turns.slices(signal);
      time.work(before);
      assert.equal(slices.due(), false);
      await new Promise((resolve) => setImmediate(resolve));
      time.work(30);
      assert.equal(slices.due(), isDue);
      assert.equal(turns.isRoundFull, false);
    }
  });

  test('a round is full after fifteen milliseconds of all together', async () => {
    const time = new TestTime();
    const turns = new Turns(time);
    const all = Array.from({ length: 10 }, () => turns.slices(signal));
    for (const slices of all) {
      time.work(1.5);
      slices.due();
      assert.equal(turns.isRoundFull, slices === all.at(-1));
    }
    assert.equal(all[0]!.due(), true);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(turns.slices(signal).due(), false);
    assert.equal(turns.isRoundFull, false);
  });

  test('of the first long step after a beginning nothing tells what was waiting; of the next it does', () => {
    const time = new TestTime();
    const turns = new Turns(time);
    turns.arrive();
    time.wait(14);
    turns.arrive();
    time.wait(100);
    turns.arrive();
    assert.equal(turns.isRoundFull, false);
    time.work(1);
    turns.arrive();
    assert.equal(turns.isRoundFull, true);
  });

  test('what arrives in one round counts together, also with slices, and in the next anew', async () => {
    const time = new TestTime();
    const turns = new Turns(time);
    turns.arrive();
    for (let n = 0; n < 76; n++) {
      time.work(0.2);
      turns.arrive();
    }
    assert.equal(turns.isRoundFull, true, '15 ms');
    time.rounds += 1;
    turns.arrive();
    assert.equal(turns.isRoundFull, false);
    for (let n = 0; n < 74; n++) {
      time.work(0.2);
      turns.arrive();
    }
    // Slices that begin meanwhile go on with what others have worked.
    const slices = turns.slices(signal);
    assert.equal(turns.isRoundFull, false, '14.8 ms');
    time.work(0.24);
    assert.equal(slices.due(), true);
    await new Promise((resolve) => setImmediate(resolve));
    turns.arrive();
    assert.equal(turns.isRoundFull, false, 'its end was waited for');
  });

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
    assert.equal(order.filter((name) => name !== '|').join(''), 'abcabcabc');
    assert.ok(!/[abc]{3}/.test(order.join('')), order.join(''));
  });

  test('a slice ends with its work, not with its waiting, and with its caller', async () => {
    const time = new TestTime();
    const controller = new AbortController();
    const slices = new Turns(time).slices(controller.signal);
    assert.ok(!slices.due());
    let steps = 0;
    do {
      time.work(0.5);
      steps++;
    } while (!slices.due());
    assert.equal(steps, 4);
    await slices.pause();
    for (let i = 0; i < 10; i++) {
      time.wait(10);
      assert.ok(!slices.due());
    }
    controller.abort(new Error('gone'));
    await assert.rejects(slices.pause(), /gone/);
  });

  test('who arrives begins a round, and fills it with what was worked since', async () => {
    const time = new TestTime();
    const turns = new Turns(time);
    // Idle for long before, which is nobody's work; the processor's time is not asked for.
    time.wait(1_000);
    turns.arrive();
    assert.equal(time.asked, 1, 'when the clock was made');
    assert.equal(turns.isRoundFull, false);
    time.work(14);
    turns.arrive();
    assert.equal(turns.isRoundFull, false);
    time.work(2);
    turns.arrive();
    assert.equal(turns.isRoundFull, true);
    time.rounds += 1;
    turns.arrive();
    assert.equal(turns.isRoundFull, false);
  });

  test('one heavy step ends the slice, and the turn of everybody who arrives in the same round', async () => {
    const time = new TestTime();
    const turns = new Turns(time);
    const signal = new AbortController().signal;
    const heavy = turns.slices(signal);
    const other = turns.slices(signal);
    assert.ok(!other.due());
    time.work(30);
    assert.ok(heavy.due());
    assert.ok(turns.slices(signal).due());
    await Promise.all([heavy.pause(), other.pause()]);
    assert.ok(!heavy.due());
  });
});

/** Time that goes by when a test says so. */
class TestTime implements Time {
  rounds = 0;
  #wall = 0;
  #processor = 0;
  /** How often the processor's time was asked for. */
  asked = 0;

  wall(): number {
    return this.#wall;
  }

  processor(): number {
    this.asked++;
    return this.#processor;
  }

  work(ms: number): void {
    this.#wall += ms;
    this.#processor += ms;
  }

  wait(ms: number): void {
    this.#wall += ms;
  }
}
