import fc, { type Arbitrary } from 'fast-check';

const STEPS = 2 ** 30;

/**
 * Numbers that lie evenly between two bounds, and now and then odd ones such as the bounds and the smallest of all.
 * Those of `fc.double` are as even in their exponents: between 0 and 1 nearly all are so small that nothing turns.
 */
export function evenly(min: number, max: number): Arbitrary<number> {
  const even = fc
    .integer({ min: 0, max: STEPS })
    .map((step) => Math.min(max, min + ((max - min) * step) / STEPS));
  return fc.oneof(
    { arbitrary: even, weight: 9 },
    { arbitrary: fc.double({ min, max, noNaN: true }), weight: 1 },
  );
}
