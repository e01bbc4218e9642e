import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { warmUp } from './warm-up.ts';

test('works step by step until it is stopped, and resolves when nothing runs any more', async () => {
  const done: string[] = [];
  const { promise: waiting, resolve: isWaiting } = Promise.withResolvers<void>();
  const preparation = warmUp(
    [
      async () => void done.push('first'),
      async (signal) => {
        isWaiting();
        await once(signal, 'abort');
        await new Promise(setImmediate);
        done.push('second');
      },
      async () => void done.push('third'),
    ],
    (error) => assert.fail(String(error)),
  );
  await waiting;
  await preparation.stop();
  assert.deepEqual(done, ['first', 'second']);
});

test('tells the first error, and does nothing more', async () => {
  const errors: unknown[] = [];
  const preparation = warmUp([async () => assert.fail('no'), async () => assert.fail('more')], (error) =>
    errors.push(error),
  );
  await preparation.stop();
  assert.match(String(errors), /^AssertionError.*: no$/);
});
