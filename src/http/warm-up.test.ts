import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Preparation } from './warm-up.ts';

test('works step by step, anew for each beginning, and not at all once it was stopped', async () => {
  const done: string[] = [];
  const errors: unknown[] = [];
  let began = 0;
  const { promise: waiting, resolve: isWaiting } = Promise.withResolvers<void>();
  const preparation = new Preparation({
    work: [
      async () => {
        began++;
        done.push(`first ${began}`);
        if (began === 3) throw new Error('no');
      },
      async (signal) => {
        if (began === 1) {
          isWaiting();
          await once(signal, 'abort');
        }
        done.push(`second ${began}${signal.aborted ? ' ended early' : ''}`);
        if (began === 2) preparation.begin();
      },
    ],
    onError: (error) => errors.push(error),
  });
  preparation.begin();
  await waiting;
  preparation.begin();
  while (errors.length === 0) await new Promise(setImmediate);
  assert.deepEqual(done, ['first 1', 'second 1 ended early', 'first 2', 'second 2', 'first 3']);
  assert.match(String(errors[0]), /no/);
  preparation.begin();
  await preparation.stop();
  assert.equal(began, 3, 'what had not begun does not begin');
});
