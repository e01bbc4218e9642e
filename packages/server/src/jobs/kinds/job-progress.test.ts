import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressOf } from './job-progress.ts';

test('a job tells how far it is in bytes, and in words with the member where there is one', () => {
  const at = { label: 'a.zip', phase: 'reading', done: 1_500, total: 2_000_000 } as const;
  const text = '1.50 kB of 2.00 MB';
  assert.deepEqual(progressOf({ ...at, member: null }), {
    done: 1_500,
    total: 2_000_000,
    unit: 'bytes',
    text: `reading, ${text}`,
  });
  assert.equal(progressOf({ ...at, member: 'udx/a.gml' }).text, `reading udx/a.gml, ${text}`);
});
