/** Numbers of positions, read once for all checks of a member. */
import type { XmlElement } from '@citymodel/citygml';
import { numbersOf } from './elements.ts';

/** Elements carry their numbers: a weak map of every position of a city costs the collector of garbage much. */
const NUMBERS = Symbol('numbers');
interface WithNumbers extends XmlElement {
  [NUMBERS]?: Float64Array;
}

/**
 * The numbers of a `gml:pos` or `gml:posList` in their order; what is no number is NaN. The same array for the same
 * element.
 */
export function numbersIn(element: XmlElement): Float64Array {
  const holder: WithNumbers = element;
  holder[NUMBERS] ??= parseNumbers(element.text);
  return holder[NUMBERS];
}

/** True for an element whose text is positions. */
export function hasPositions({ name }: Pick<XmlElement, 'name'>): boolean {
  return name === 'gml:posList' || name === 'gml:pos';
}

/** Powers of ten that a double holds exactly. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power);
/**
 * Decimal numbers between white space. A quotient of two exact doubles is rounded once, so plain decimals whose digits
 * are an integer below 2^53 are as `Number` reads them (Clinger, 1990); all others are read by it.
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
    let decimals = -1;
    let isPlain = true;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 0x30 && code <= 0x39) {
        value = value * 10 + (code - 0x30);
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
    const isExact =
      isPlain && value <= Number.MAX_SAFE_INTEGER && decimals <= 22 && at - start > (isNegative ? 2 : 1);
    numbers[count++] = isExact
      ? (isNegative ? -value : value) / EXACT_POWERS[Math.max(decimals, 0)]!
      : numbersOf(text.slice(start, at))[0]!;
  }
  return numbers.subarray(0, count);
}
