import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Repeated } from './repeated.ts';

test('work begins every so often, unless it still goes on, and ends before stop does', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const begun: Array<() => void> = [];
  const repeated = new Repeated(100, () => new Promise<void>((resolve) => begun.push(resolve)));
  t.mock.timers.tick(99);
  assert.equal(begun.length, 0);
  t.mock.timers.tick(1);
  assert.equal(begun.length, 1);
  t.mock.timers.tick(300);
  assert.equal(begun.length, 1, 'the first goes on');
  begun[0]!();
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(100);
  assert.equal(begun.length, 2);
  let hasStopped = false;
  const stopping = repeated.stop().then(() => {
    hasStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasStopped, false, 'the second goes on');
  begun[1]!();
  await stopping;
  t.mock.timers.tick(1_000);
  assert.equal(begun.length, 2);
});
