/** Numbers as callers and packages write them, read in one place, so that no pattern elsewhere can be slow. */

/**
 * Longest number that is read, characters: some writers print all of a double's digits, about 60 of them for a
 * coordinate.
 */
export const MAX_NUMBER_LENGTH = 100;

/** Decimal notation. The digits before the point and after it belong to different parts, so no digit is tried twice. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The number that a text writes in decimal notation (`12`, `-3.5`, `.5`, `1e3`), or null: blanks, hexadecimal digits,
 * `Infinity`, an empty text, and anything longer than `MAX_NUMBER_LENGTH` are no numbers. A number beyond the range of
 * a double is null too.
 */
export function readDecimal(text: string): number | null {
  if (text.length > MAX_NUMBER_LENGTH || !DECIMAL.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
