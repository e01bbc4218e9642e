/** Numbers of positions, read once for all checks of a member. */
import type { XmlElement } from '@citymodel/citygml';
import { numbersOf } from './elements.ts';

/** Elements carry their numbers: a weak map of every position of a city costs the collector of garbage much. */
const NUMBERS = Symbol('numbers');
interface WithNumbers extends XmlElement {
  [NUMBERS]?: readonly number[];
}

/**
 * The numbers of a `gml:pos` or `gml:posList` in their order; what is no number is NaN. The same array for the same
 * element.
 */
export function numbersIn(element: XmlElement): readonly number[] {
  const holder: WithNumbers = element;
  holder[NUMBERS] ??= parseNumbers(element.text);
  return holder[NUMBERS];
}

/** True for an element whose text is positions. */
export function hasPositions({ name }: Pick<XmlElement, 'name'>): boolean {
  return name === 'gml:posList' || name === 'gml:pos';
}

/** Numbers that are kept ready to be written over. */
const MOST_READY = 1 << 16;
/**
 * What is being read. Positions mostly have fifteen numbers: arrays of the language cost little at that length, while
 * each typed array would have memory of its own outside of the heap.
 */
let ready: number[] = [0.5];

/** Powers of ten that a double holds exactly. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power);
/**
 * Decimal numbers between white space. A quotient of two exact doubles is rounded once, so plain decimals whose digits
 * are an integer below 2^53 are as `Number` reads them (Clinger, 1990); all others are read by it.
 */
export function parseNumbers(text: string): number[] {
  const numbers = ready;
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
    const isExact =
      isPlain && value <= Number.MAX_SAFE_INTEGER && decimals <= 22 && at - start > (isNegative ? 2 : 1);
    numbers[count++] = isExact
      ? (isNegative ? -value : value) / EXACT_POWERS[Math.max(decimals, 0)]!
      : numbersOf(text.slice(start, at))[0]!;
  }
  if (numbers.length > MOST_READY) ready = [0.5];
  return numbers.slice(0, count);
}
