import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_NUMBER_LENGTH, readDecimal } from './numbers.ts';

test('reads what a double prints', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      // -0 prints as 0.
      assert.equal(readDecimal(String(value)), value + 0);
    }),
  );
});

test('reads the forms of decimal notation', () => {
  assert.equal(readDecimal('+1.'), 1);
  assert.equal(readDecimal('-.5'), -0.5);
  assert.equal(readDecimal('1E+2'), 100);
});

test('refuses what is no decimal number', () => {
  for (const text of ['', ' 1', '1 ', '.', '+', 'e1', '1e', '0x10', 'Infinity', 'NaN', '1_0', '１', '1e999'])
    assert.equal(readDecimal(text), null, text);
});

test('refuses long texts without looking at them', () => {
  assert.equal(readDecimal('1'.repeat(MAX_NUMBER_LENGTH)), Number('1'.repeat(MAX_NUMBER_LENGTH)));
  assert.equal(readDecimal('1'.repeat(MAX_NUMBER_LENGTH + 1)), null);
  assert.equal(readDecimal(`${'1'.repeat(500_000)}x`), null);
});
