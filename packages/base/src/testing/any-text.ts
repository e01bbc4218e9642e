import fc, { type Arbitrary, type StringConstraints } from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

/** Any character but halves of others. */
const character = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  (number) => String.fromCodePoint(number < SURROGATES.from ? number : number + SURROGATES.count),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new TypeError('no character');
    const number = text.codePointAt(0)!;
    if (number < SURROGATES.from) return number;
    if (number < SURROGATES.from + SURROGATES.count) throw new TypeError('half of a character');
    return number - SURROGATES.count;
  },
);

/**
 * The texts of `fc.string` with the unit `binary`, the same for the same seed. That one first makes a table of all
 * characters, which takes longer than most tests.
 */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
