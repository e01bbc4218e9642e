import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DatabaseClock } from './database-clock.ts';

/** A database whose clock is `ahead` ms of the process, and whose answers take as long as the test says. */
function databaseOf(t: TestContext, ahead: number) {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const clock = new DatabaseClock();
  let questions = 0;
  const answer = async (took: number, share = 0.5) => {
    questions++;
    now += took * share;
    const heard = now + ahead;
    now += took * (1 - share);
    return heard;
  };
  return {
    clock,
    ask: (took: number, share?: number) =>
      clock.ask(async () => ({ clock: await answer(took, share), more: 'x' })),
    settle: (took: number) => clock.settle(() => answer(took)),
    questions: () => questions,
    now: () => now,
  };
}

test('an answer tells the time of now by the middle of its request', async (t) => {
  const { ask, clock, now } = databaseOf(t, 500);
  const { clock: heard, more } = await ask(10);
  assert.deepEqual([heard, more], [now() + 500, 'x']);
  assert.equal(clock.toLocal(2_500), 2_000);
});

test('the quickest of the last twelve answers counts', async (t) => {
  const { ask, clock } = databaseOf(t, 500);
  await ask(20, 1);
  assert.equal(clock.toLocal(0), -510, 'heard at its end');
  await ask(4, 1);
  assert.equal(clock.toLocal(0), -502);
  await ask(8, 0.5);
  assert.equal(clock.toLocal(0), -502, 'a slower one says nothing');
  for (let i = 0; i < 10; i++) await ask(8, 0.5);
  assert.equal(clock.toLocal(0), -502);
  await ask(8, 0.5);
  assert.equal(clock.toLocal(0), -500, 'the quickest is too long ago');
});

test('time is asked for until an answer takes a millisecond at most, six times at most', async (t) => {
  const slow = databaseOf(t, 0);
  await slow.ask(5);
  await slow.settle(2);
  assert.equal(slow.questions(), 1 + 6);
  await slow.settle(1);
  assert.equal(slow.questions(), 1 + 6 + 1);
  await slow.settle(1);
  assert.equal(slow.questions(), 1 + 6 + 1, 'one is quick enough');
});
