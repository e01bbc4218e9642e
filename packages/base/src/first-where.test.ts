import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstWhere } from './first-where.ts';

test('finds what looking at each one finds', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -9, max: 9 })),
      fc.integer({ min: -10, max: 10 }),
      (numbers, wanted) => {
        const sorted = numbers.sort((a, b) => a - b);
        const slow = sorted.findIndex((number) => number >= wanted);
        assert.equal(
          firstWhere(sorted.length, (i) => sorted[i]! >= wanted),
          slow === -1 ? sorted.length : slow,
        );
      },
    ),
  );
});

test('looks at few', () => {
  let looks = 0;
  firstWhere(1_000_000, (i) => {
    looks++;
    return i >= 777_777;
  });
  assert.ok(looks <= 20, String(looks));
});
