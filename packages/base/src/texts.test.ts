import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutEnd } from './texts.ts';

test('takes away what a text ends with, however often', () => {
  for (const [text, expected] of [
    ['', ''],
    ['///', ''],
    ['/a//b//', '/a//b'],
    ['a', 'a'],
  ] as const) {
    assert.equal(withoutEnd(text, '/'), expected);
  }
  const long = `${'/'.repeat(500_000)}x`;
  assert.equal(withoutEnd(long, '/'), long);
  assert.equal(withoutEnd(`x${'/'.repeat(500_000)}`, '/'), 'x');
});
