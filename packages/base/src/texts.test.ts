import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from './testing/any-text.ts';
import { compareTexts, withoutEnd } from './texts.ts';

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

test('texts have the order of their code units, and equal ones none', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (a, b) => {
      let same = 0;
      while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same++;
      const areApart = same < a.length && same < b.length;
      const apart = areApart ? a.charCodeAt(same) - b.charCodeAt(same) : a.length - b.length;
      assert.equal(compareTexts(a, b), Math.sign(apart));
    }),
  );
  assert.deepEqual(['い', 'b', 'あ', 'B', ''].sort(compareTexts), ['', 'B', 'b', 'あ', 'い']);
});
