/**
 * Decimal numbers straight from bytes, without a string in between, and exactly the value that `Number()`
 * gives. Coordinates are most of a city model, so this is where a scan spends its time. A number longer than
 * `MAX_NUMBER_LENGTH` counts as malformed.
 *
 * Up to 15 digits: one integer below 2^53 over one exact power of ten is correctly rounded by the division
 * (Clinger's fast path). 16 to 18 digits, as most latitudes have: the integer is held as a sum of two
 * doubles, and the quotient is corrected by its remainder. Anything else goes through `readDecimal`.
 */

import { MAX_NUMBER_LENGTH, readDecimal } from '@citymodel/base';

const POW10 = Float64Array.from({ length: 19 }, (_, i) => Number(`1e${i}`));
/** 2^27 + 1: Veltkamp's constant, splits a double into two halves whose products are exact. */
const SPLIT = 134217729;
const POW10_HIGH = POW10.map((p) => {
  const t = SPLIT * p;
  return t - (t - p);
});
const POW10_LOW = POW10.map((p, i) => p - POW10_HIGH[i]!);

const NINE = 0x39;
const ZERO = 0x30;
/** What ends a list: `<`. */
export const LESS = 0x3c;

/** Collects the numbers of one or more runs of text into `values`. */
export class DecimalReader {
  readonly values: Float64Array;
  /** How many of `values` are filled. */
  count = 0;
  /** Where the last `read` stopped. */
  position = 0;
  /** True once a token was not a finite number; the rest of that text is not read. */
  malformed = false;
  /** What was read last, and the same by words. */
  private bytes: Buffer | null = null;
  private view: DataView = new DataView(new ArrayBuffer(0));

  constructor(capacity: number) {
    this.values = new Float64Array(capacity);
  }

  /**
   * Reads whitespace-separated numbers from `from` until `<`; stops early when `values` is full, at a token that
   * is no number, and before a token that reaches `to`, which may go on; `bytes[to]` must be `<`. With
   * `commas`, commas separate too (`gml:coordinates`, GML 3.1.1, 9.4.1.2).
   */
  read(bytes: Buffer, from: number, to: number, commas: boolean): void {
    if (this.bytes !== bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    const { values, view } = this;
    const capacity = values.length;
    let count = this.count;
    let i = from;
    while (i < to) {
      let c = bytes[i]!;
      if (c <= 0x20 || (commas && c === 0x2c)) {
        if (c < 0x20 && c !== 0x09 && c !== 0x0a && c !== 0x0d) {
          this.malformed = true;
          break;
        }
        i++;
        continue;
      }
      if (count === capacity || c === LESS) break;
      const start = i;
      const negative = c === 0x2d;
      if (negative || c === 0x2b) c = bytes[++i]!;
      let high = 0;
      let low = 0;
      let digits = 0;
      const first = i;
      while (c >= ZERO && c <= NINE && digits < 9) {
        high = high * 10 + (c - ZERO);
        digits++;
        c = bytes[++i]!;
      }
      let scale = 0;
      if (c === 0x2e) {
        i++;
        const point = digits;
        if (digits <= 5 && i <= to - 4) {
          const four = fourDigits(view.getInt32(i, true));
          if (four >= 0) {
            high = high * 10_000 + four;
            digits += 4;
            i += 4;
          }
        }
        c = bytes[i]!;
        while (c >= ZERO && c <= NINE && digits < 9) {
          high = high * 10 + (c - ZERO);
          digits++;
          c = bytes[++i]!;
        }
        while (digits >= 9 && digits <= 14 && i <= to - 4) {
          const four = fourDigits(view.getInt32(i, true));
          if (four < 0) break;
          low = low * 10_000 + four;
          digits += 4;
          i += 4;
        }
        c = bytes[i]!;
        while (c >= ZERO && c <= NINE && digits < 18) {
          low = low * 10 + (c - ZERO);
          digits++;
          c = bytes[++i]!;
        }
        scale = digits - point;
      }
      let value: number;
      if (digits === 0 || (c > 0x20 && c !== LESS && !(commas && c === 0x2c))) {
        // More digits, an exponent, or no number at all.
        i = first;
        while (bytes[i]! > 0x20 && bytes[i] !== LESS && !(commas && bytes[i] === 0x2c)) i++;
        if (i >= to) {
          i = start;
          break;
        }
        const number = i - start > MAX_NUMBER_LENGTH ? null : readDecimal(bytes.toString('latin1', start, i));
        if (number === null) {
          this.malformed = true;
          i = start;
          break;
        }
        value = number;
      } else {
        if (i >= to) {
          i = start;
          break;
        }
        value =
          digits <= 9
            ? high / POW10[scale]!
            : digits <= 15
              ? (high * POW10[digits - 9]! + low) / POW10[scale]!
              : divideExactly(high, low, digits - 9, scale);
        if (negative) value = -value;
      }
      values[count++] = value;
    }
    this.count = count;
    this.position = i;
  }
}

/** The number that four characters write, the first in the lowest byte; -1 unless they are all digits. */
function fourDigits(characters: number): number {
  const digits = characters ^ 0x30303030;
  if (((digits | (digits + 0x06060606)) & 0xf0f0f0f0) !== 0) return -1;
  const pairs = Math.imul(digits, 10) + (digits >>> 8);
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
}

/**
 * `(high * 10^lowDigits + low) / 10^scale`, correctly rounded, for `high` below 10^9 and `low` below 10^lowDigits ≤
 * 10^9.
 */
function divideExactly(high: number, low: number, lowDigits: number, scale: number): number {
  const power = POW10[lowDigits]!;
  const upper = (high >>> 15) * power * 32768;
  const lower = (high & 32767) * power + low;
  const sum = upper + lower;
  const rest = lower - (sum - upper);
  const divisor = POW10[scale]!;
  const quotient = sum / divisor;
  const t = SPLIT * quotient;
  const qHigh = t - (t - quotient);
  const qLow = quotient - qHigh;
  const dHigh = POW10_HIGH[scale]!;
  const dLow = POW10_LOW[scale]!;
  const product = quotient * divisor;
  const error = qHigh * dHigh - product + qHigh * dLow + qLow * dHigh + qLow * dLow;
  const remainder = sum - product - error + rest;
  return quotient + remainder / divisor;
}
