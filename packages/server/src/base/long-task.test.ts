import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import fc from 'fast-check';
import {
  LeaseLost,
  type LongTask,
  missingParts,
  over,
  ownFirst,
  runTask,
  runUntil,
  type Step,
  type TaskRun,
} from './long-task.ts';
import type { Progress } from './progress.ts';

/** A task over numbers that notes what happens; a step of `change` takes the place of its own. */
function counting(change: Partial<LongTask<number[], number[], number, string>> = {}) {
  const log: string[] = [];
  const note = (what: string, { keep }: TaskRun) => {
    log.push(what);
    keep({
      async [Symbol.asyncDispose]() {
        log.push(`${what} let go`);
      },
    });
  };
  const task: LongTask<number[], number[], number, string> = {
    label: () => 'numbers',
    async plan(run) {
      note('plan', run);
      return [1, 2, 3];
    },
    async parts(plan, run) {
      note('parts', run);
      for (const done of plan) run.tell({ phase: 'reading', done, total: plan.length, member: null });
      return plan.map((n) => n * n);
    },
    async join(parts, run) {
      note('join', run);
      return parts.reduce((sum, n) => sum + n, 0);
    },
    async publish(joined) {
      log.push('publish');
      return `sum ${joined}`;
    },
    ...change,
  };
  return { task, log };
}

/** Never ends by itself, as a step that waits for a store; ends when it is let go. */
function silent() {
  const { promise, resolve } = Promise.withResolvers<never>();
  return { wait: () => promise, end: () => resolve(undefined as never) };
}

describe('a long task', () => {
  test('goes from step to step, tells how far it is, and lets go in the end what came last first', async () => {
    const { task, log } = counting();
    const progress: Progress[] = [];
    assert.equal(await runTask(task, { onProgress: (now) => progress.push(now) }), 'sum 14');
    const gone = ['join let go', 'parts let go', 'plan let go'];
    assert.deepEqual(log, ['plan', 'parts', 'join', 'publish', ...gone]);
    assert.deepEqual(
      progress.map(({ label, done }) => `${label} ${done}`),
      ['numbers 1', 'numbers 2', 'numbers 3'],
    );
  });

  test('ends after the step that was asked for, with what it found', async () => {
    const found: Record<Step, unknown> = { plan: [1, 2, 3], parts: [1, 4, 9], join: 14, publish: 'sum 14' };
    for (const until of ['plan', 'parts', 'join', 'publish'] as const) {
      const { task, log } = counting();
      assert.deepEqual(await runUntil(task, until), { step: until, found: found[until] });
      assert.equal(log.includes('publish'), until === 'publish');
      assert.equal(log.at(-1), 'plan let go');
    }
  });

  test('is over where a step has the result', async () => {
    for (const name of ['plan', 'parts', 'join'] as const) {
      const { task, log } = counting({ [name]: async () => over('there already') });
      assert.deepEqual(await runUntil(task, 'join'), { step: 'publish', found: 'there already' });
      assert.ok(!log.includes('publish'));
    }
  });

  test('ends at once when it has to, says so before it waits for the step, and lets go after', async () => {
    const step = silent();
    const stop = new AbortController();
    const { task, log } = counting({
      join: () => step.wait(),
      async failed(error) {
        log.push(`failed: ${(error as Error).message}`);
        step.end();
        throw error;
      },
    });
    const running = runTask(task, { signal: stop.signal });
    await after(0);
    stop.abort(new Error('stopping'));
    await assert.rejects(running, /stopping/);
    assert.deepEqual(log, ['plan', 'parts', 'failed: stopping', 'parts let go', 'plan let go']);
    const { task: next, log: none } = counting();
    await assert.rejects(runTask(next, { signal: stop.signal }), /stopping/);
    assert.deepEqual(none, [], 'nothing begins any more');
  });

  test('fails with what a step throws, or with what that means', async () => {
    const broken = { parts: () => Promise.reject(new RangeError('no')) };
    await assert.rejects(runTask(counting(broken).task), RangeError);
    const { task } = counting({ ...broken, failed: async (error) => `${(error as Error).message} matter` });
    assert.equal(await runTask(task), 'no matter');
  });

  test('has so much time, but a step that publishes is not cut short', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const limit = { ms: 1_000, error: () => new Error('too late') };
    const step = silent();
    const slow = counting({
      parts: () => {
        t.mock.timers.tick(1_000);
        return step.wait();
      },
      async failed(error) {
        step.end();
        return (error as Error).message;
      },
    });
    assert.equal(await runTask(slow.task, { limit }), 'too late');
    const { task } = counting({
      async publish(_, { signal }) {
        t.mock.timers.tick(1_000);
        return `done, ${signal.aborted ? 'cut short' : 'in time'}`;
      },
    });
    assert.equal(await runTask(task, { limit }), 'done, in time');
  });

  test('ends when another run has followed; a renewal that fails is tried again', async () => {
    const answers = [new Error('away'), true, false];
    let asked = 0;
    const step = silent();
    const { task } = counting({
      join: () => step.wait(),
      failed(error) {
        step.end();
        return Promise.reject(error);
      },
    });
    const lease = {
      everyMs: 1,
      async renew() {
        const answer = answers[asked++];
        if (answer instanceof Error) throw answer;
        return answer!;
      },
    };
    await assert.rejects(runTask(task, { lease }), LeaseLost);
    await after(5);
    assert.equal(asked, 3, 'nobody renews what is over');
  });
});

test('parts that are there are found, the others are missing, in their order', async () => {
  const isThere = fc.array(fc.boolean());
  await fc.assert(
    fc.asyncProperty(isThere, async (there) => {
      const found: number[] = [];
      const missing = await missingParts(
        there.keys(),
        async (i) => (there[i] ? `made ${i}` : null),
        (i, result) => {
          assert.equal(result, `made ${i}`);
          found.push(i);
        },
      );
      assert.deepEqual(
        missing,
        [...there.keys()].filter((i) => !there[i]),
      );
      assert.deepEqual(
        found,
        [...there.keys()].filter((i) => there[i]),
      );
    }),
  );
});

test('several workers begin with other parts, and each comes to all of them', () => {
  const tasks = [5, 4, 3, 2, 1];
  assert.deepEqual(ownFirst(tasks, { index: 0, count: 2 }), [5, 3, 1, 2, 4]);
  assert.deepEqual(ownFirst(tasks, { index: 1, count: 2 }), [4, 2, 1, 3, 5]);
  fc.assert(
    fc.property(fc.nat(30), fc.integer({ min: 1, max: 5 }), (length, count) => {
      const parts = Array.from({ length }, (_, i) => i);
      const orders = Array.from({ length: count }, (_, index) => ownFirst(parts, { index, count }));
      for (const order of orders)
        assert.deepEqual(
          [...order].sort((a, b) => a - b),
          parts,
        );
      const first = orders.flatMap((order) => order.slice(0, 1));
      if (length >= count) assert.equal(new Set(first).size, count);
    }),
  );
});
