import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { isAwaited, OutOfPatience, waitPatiently, withoutPatience, withPatience } from './patience.ts';

const never = () => new Promise<never>(() => {});

describe('the patience of an answer', () => {
  it('ends a wait, and aborts what was asked', async () => {
    let signal: AbortSignal | undefined;
    const waiting = withPatience(
      () =>
        waitPatiently((ends) => {
          signal = ends;
          return never();
        }),
      20,
    );
    await assert.rejects(waiting, OutOfPatience);
    assert.equal(signal?.aborted, true);
  });

  it('is shared by waits that follow each other in vain', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let now = 0;
    const clock = mock.method(performance, 'now', () => now);
    try {
      await withPatience(async () => {
        for (let tries = 0; tries < 3; tries++) {
          const failing = waitPatiently(async () => {
            now += 4_000;
            throw new Error('cut');
          });
          await assert.rejects(failing, /cut/);
        }
        // 12 of 15 s are gone.
        const last = waitPatiently(never);
        mock.timers.tick(2_999);
        now += 3_000;
        mock.timers.tick(1);
        await assert.rejects(last, OutOfPatience);
        await assert.rejects(
          waitPatiently(async () => 1),
          OutOfPatience,
        );
      });
    } finally {
      clock.mock.restore();
      mock.timers.reset();
    }
  });

  it('begins anew with what a store gave', async () => {
    let now = 0;
    const clock = mock.method(performance, 'now', () => now);
    try {
      await withPatience(async () => {
        for (let reads = 0; reads < 10; reads++) {
          const read = waitPatiently(async () => {
            now += 9_000;
            return reads;
          });
          assert.equal(await read, reads);
        }
      });
    } finally {
      clock.mock.restore();
    }
  });

  it('begins anew for work that an answer left behind, long after its time', async () => {
    let now = 0;
    const clock = mock.method(performance, 'now', () => now);
    const waste = (ms: number) =>
      waitPatiently(async () => {
        now += ms;
        throw new Error('cut');
      });
    try {
      await withPatience(async () => {
        await assert.rejects(waste(100), /cut/);
        now += 100;
        await assert.rejects(
          waitPatiently(async () => 1),
          OutOfPatience,
          'no longer ago than an answer may take',
        );
        now += 1;
        assert.equal(await waitPatiently(async () => 1), 1);
      }, 100);
    } finally {
      clock.mock.restore();
    }
  });

  it('belongs to one answer, and not to work that it began', async () => {
    assert.equal(isAwaited(), false);
    await withPatience(async () => {
      assert.equal(isAwaited(), true);
      assert.equal(withoutPatience(isAwaited), false);
      await waitPatiently(async (signal) => assert.ok(signal));
    });
    await waitPatiently(async (signal) => assert.equal(signal, undefined));
  });
});
