/** Numbers of positions, read once for all checks of a member. */
import type { XmlElement } from '@citymodel/citygml';
import { numbersOf } from './elements.ts';

const known = new WeakMap<XmlElement, Float64Array>();

/** The numbers of a `gml:pos` or `gml:posList` in their order; what is no number is NaN. The same array for the same element. */
export function numbersIn(element: XmlElement): Float64Array {
  let numbers = known.get(element);
  if (numbers === undefined) {
    numbers = parseNumbers(element.text);
    known.set(element, numbers);
  }
  return numbers;
}

/** True for an element whose text is positions. */
export function hasPositions({ name }: XmlElement): boolean {
  return name === 'gml:posList' || name === 'gml:pos';
}

/** Powers of ten that a double holds exactly. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power);
/** Digits of an integer that a double holds exactly, whatever they are. */
const EXACT_DIGITS = 15;

/**
 * Decimal numbers between white space. A quotient of two exact doubles is rounded once, so plain decimals of up to 15 digits are as
 * `Number` reads them (Clinger, 1990); all others are read by it.
 */
export function parseNumbers(text: string): Float64Array {
  let numbers = new Float64Array(Math.max(3, text.length >> 3));
  let count = 0;
  const length = text.length;
  let at = 0;
  for (;;) {
    while (at < length && text.charCodeAt(at) <= 0x20) at++;
    if (at === length) break;
    const start = at;
    const isNegative = text.charCodeAt(at) === 0x2d;
    if (isNegative) at++;
    let value = 0;
    let digits = 0;
    let decimals = -1;
    let isPlain = true;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 0x30 && code <= 0x39) {
        value = value * 10 + (code - 0x30);
        if (value !== 0) digits++;
        if (decimals >= 0) decimals++;
      } else if (code === 0x2e && decimals < 0) decimals = 0;
      else if (code <= 0x20) break;
      else isPlain = false;
    }
    if (count === numbers.length) {
      const larger = new Float64Array(count * 2);
      larger.set(numbers);
      numbers = larger;
    }
    const isExact = isPlain && digits <= EXACT_DIGITS && decimals <= 22 && at - start > (isNegative ? 2 : 1);
    numbers[count++] = isExact
      ? (isNegative ? -value : value) / EXACT_POWERS[Math.max(decimals, 0)]!
      : numbersOf(text.slice(start, at))[0]!;
  }
  return numbers.subarray(0, count);
}
