/** Looks of the operator's page at what changes by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poll } from '../packages/portal/src/admin/poll.ts';

test('a slow answer is waited for, and nobody asks for a page that is not seen', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const browser = globalThis as { document?: { visibilityState: string } };
  browser.document = { visibilityState: 'visible' };
  t.after(() => delete browser.document);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const answers: Array<() => void> = [];
  const stop = poll(() => new Promise((resolve) => answers.push(resolve)), 1_000);
  t.mock.timers.tick(10_000);
  await settled();
  assert.equal(answers.length, 1, 'a look overtook the one before');
  answers[0]!();
  await settled();
  t.mock.timers.tick(1_000);
  assert.equal(answers.length, 2);
  answers[1]!();
  await settled();
  browser.document.visibilityState = 'hidden';
  t.mock.timers.tick(1_000);
  await settled();
  assert.equal(answers.length, 2);
  browser.document.visibilityState = 'visible';
  t.mock.timers.tick(1_000);
  assert.equal(answers.length, 3);
  stop();
  answers[2]!();
  await settled();
  t.mock.timers.tick(10_000);
  assert.equal(answers.length, 3);
});
