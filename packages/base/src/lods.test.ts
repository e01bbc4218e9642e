import assert from 'node:assert/strict';
import test from 'node:test';
import { HIGHEST_LOD, LOD_DIGIT, LODS } from './lods.ts';

test('there are five levels of detail, 0 to 4', () => {
  assert.deepEqual(LODS, [0, 1, 2, 3, 4]);
  assert.equal(HIGHEST_LOD, 4);
  const digits = Array.from({ length: 12 }, (_, i) => String(i)).filter((text) =>
    new RegExp(`^${LOD_DIGIT}$`).test(text),
  );
  assert.deepEqual(digits, ['0', '1', '2', '3', '4']);
});
