import assert from 'node:assert/strict';
import test from 'node:test';
import { quoted } from './parameters.ts';

test('a text is cut only when it is longer than the limit, and its signs are escaped', () => {
  assert.equal(quoted('abc', 3), '"abc"');
  assert.equal(quoted('abcd', 3), '"abc…"');
  assert.equal(quoted('a"b'), '"a\\"b"');
  assert.equal(quoted('x'.repeat(80)), `"${'x'.repeat(80)}"`);
});
