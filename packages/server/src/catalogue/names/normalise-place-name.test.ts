import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalizePlaceName } from './normalise-place-name.ts';

test('a name in its one spelling stays as it is', () => {
  const parts = fc.constantFrom(
    '大字',
    '字',
    'r',
    '\u0301',
    'が',
    'か',
    '\u3099',
    '関',
    '一',
    '丁目',
    'ー',
    '1',
    ' ',
    '市',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), (words) => {
      const once = normalizePlaceName(words.join(''));
      assert.equal(normalizePlaceName(once), once);
    }),
    { examples: [[['r', '大字', '字', '\u0301']]] },
  );
});
