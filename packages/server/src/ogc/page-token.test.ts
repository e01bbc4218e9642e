import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placeOfToken, tokenOf } from './page-token.ts';

const hex = fc.integer({ min: 0, max: 0xffffffff }).map((number) => number.toString(16).padStart(8, '0'));
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a place comes back from its token, which an address takes as it is', () => {
  const path = fc.string({ unit: 'grapheme', maxLength: 100 });
  const index = fc.integer({ min: -1, max: 1e9 });
  const place = fc.record({ packageNo: fc.nat(), packageId: hex, path, index }, { noNullPrototype: true });
  fc.assert(
    fc.property(place, (one) => {
      const token = tokenOf(one);
      assert.deepEqual(placeOfToken(token), one);
      assert.equal(encodeURIComponent(token), token);
    }),
  );
});

test('what no page gave is refused, whatever it is', () => {
  const right = [3, '0123abcd', 'udx/bldg/a.gml', 7];
  assert.equal(placeOfToken(encoded(right)).index, 7);
  const others: unknown[] = [
    [1.5, ...right.slice(1)],
    ['3', ...right.slice(1)],
    [3, '0123ABCD', ...right.slice(2)],
    [3, '0123abcde', ...right.slice(2)],
    [3, 7, ...right.slice(2)],
    [3, '0123abcd', null, 7],
    [...right.slice(0, 3), -2],
    [...right.slice(0, 3), 0.5],
    right.slice(0, 3),
    {},
    null,
    'text',
  ];
  for (const other of others)
    assert.throws(() => placeOfToken(encoded(other)), RangeError, JSON.stringify(other));
  for (const token of ['', 'a b', 'a=', '!', 'e30', `${encoded(right)}.`]) {
    assert.throws(() => placeOfToken(token), /after has no place that a page gave/, token);
  }
});

test('a token of two thousand characters is read, a longer one is not', () => {
  const ofBytes = (bytes: number) => {
    const rest = JSON.stringify([0, '00000000', '', 0]).length;
    return tokenOf({ packageNo: 0, packageId: '00000000', path: 'x'.repeat(bytes - rest), index: 0 });
  };
  assert.equal(ofBytes(1_500).length, 2_000);
  assert.equal(placeOfToken(ofBytes(1_500)).index, 0);
  // A character more decodes to the same bytes.
  assert.throws(() => placeOfToken(`${ofBytes(1_500)}A`), RangeError);
  assert.throws(() => placeOfToken(ofBytes(1_501)), RangeError);
});
