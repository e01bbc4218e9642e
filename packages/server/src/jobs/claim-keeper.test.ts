import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JobClaim, JobProgress, JobStore } from '@citymodel/store';
import { ClaimKeeper } from './claim-keeper.ts';

const CLAIM = { id: 'j', run: 2 } as JobClaim;
const progress = (done: number): JobProgress => ({ done, total: 9, unit: 'bytes', text: 'reading' });

/** A keeper over a store that answers as the test says, and a clock that goes on when the test says. */
function keeping(t: TestContext, leaseMs: number) {
  let now = 1_000;
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: 5_000_000 });
  t.mock.method(performance, 'now', () => now);
  const touched: Array<{ progress: JobProgress | null; leaseUntil: number; at: number }> = [];
  const ends: string[] = [];
  const errors: unknown[] = [];
  let answer: () => Promise<'held' | 'cancelled' | 'lost'> = async () => 'held';
  const jobs = {
    touch(claim: JobClaim, progress: JobProgress | null, leaseUntil: number) {
      assert.equal(claim, CLAIM);
      touched.push({ progress, leaseUntil, at: now });
      return answer();
    },
  } as unknown as JobStore;
  const keeper = new ClaimKeeper(CLAIM, {
    jobs,
    leaseMs,
    onEnd: (why) => ends.push(why),
    onError: (error) => errors.push(error),
  });
  return {
    keeper,
    touched,
    ends,
    errors,
    answers(next: typeof answer) {
      answer = next;
    },
    /** Lets time go by in steps of a quarter of a second, and what begins then end. */
    async pass(ms: number, step = 250) {
      for (let passed = 0; passed < ms; passed += step) {
        now += step;
        t.mock.timers.tick(step);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

describe('the keeper of a claim', () => {
  it('extends the lease every two seconds when nothing happens', async (t) => {
    const { keeper, touched, pass } = keeping(t, 60_000);
    await pass(1_750);
    assert.equal(touched.length, 0);
    await pass(250);
    assert.deepEqual(touched.slice(), [{ progress: null, leaseUntil: 5_002_000 + 60_000, at: 3_000 }]);
    await pass(6_000);
    assert.deepEqual(
      touched.map(({ at }) => at),
      [3_000, 5_000, 7_000, 9_000],
    );
    await keeper.stop();
    await pass(6_000);
    assert.equal(touched.length, 4, 'nothing is written any more');
  });

  it('writes progress within half a second, the last alone', async (t) => {
    const { keeper, touched, pass } = keeping(t, 60_000);
    keeper.onProgress(progress(1));
    keeper.onProgress(progress(2));
    await pass(250);
    assert.equal(touched.length, 0);
    await pass(250);
    assert.deepEqual(
      touched.map(({ progress }) => progress?.done),
      [2],
    );
    await pass(1_500);
    assert.equal(touched.length, 1, 'it is written once');
    await pass(500);
    assert.deepEqual(touched.at(-1)!.progress, progress(2), 'a sign of life repeats it');
    keeper.onProgress(progress(3));
    await keeper.stop();
    assert.deepEqual(touched.at(-1)!.progress, progress(3));
    const { length } = touched;
    await keeper.stop();
    assert.equal(touched.length, length);
  });

  it('extends a short lease before it ends: looked at every quarter, written every third', async (t) => {
    const { keeper, touched, pass } = keeping(t, 300);
    await pass(75, 75);
    assert.equal(touched.length, 0);
    await pass(75, 75);
    assert.deepEqual(
      touched.map(({ at }) => at),
      [1_150],
    );
    await keeper.stop();
  });

  it('tells when the job is cancelled, or another worker has it', async (t) => {
    const { keeper, ends, errors, answers, pass } = keeping(t, 60_000);
    await pass(2_000);
    assert.deepEqual(ends, []);
    answers(async () => 'cancelled');
    await pass(2_000);
    answers(async () => 'lost');
    await pass(2_000);
    assert.deepEqual([ends, errors], [['cancelled', 'lost'], []]);
    await keeper.stop();
  });

  it('tries again at once what could not be written, and tells of it', async (t) => {
    const { keeper, touched, ends, errors, answers, pass } = keeping(t, 60_000);
    const away = new Error('away');
    answers(async () => {
      throw away;
    });
    await pass(2_500);
    assert.deepEqual([touched.map(({ at }) => at), errors, ends], [[3_000, 3_500], [away, away], []]);
    answers(async () => 'held');
    await pass(1_000);
    assert.deepEqual(
      touched.map(({ at }) => at),
      [3_000, 3_500, 4_000],
    );
    await keeper.stop();
  });
});
