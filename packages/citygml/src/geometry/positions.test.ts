/** Positions of lists of numbers, beside a slow reading of the same text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDecimal } from '@citymodel/base';
import fc from 'fast-check';
import type { XmlElement } from '../xml/xml-element.ts';
import { crsOf } from './crs.ts';
import { readPositions } from './positions.ts';

const frame = { crs: crsOf('EPSG:6697'), isTurned: false, dimension: 3 };

function element(name: string, text: string, children: XmlElement[] = []): XmlElement {
  return { name, attributes: {}, text, children };
}

function read(text: string): number[] {
  return [
    ...readPositions(element('gml:LineString', '', [element('gml:posList', text)]), frame, { flat: false }),
  ];
}

/** Latitude first in the text, longitude first in positions. */
function slowly(text: string): number[] {
  const numbers = text
    .trim()
    .split(/[ \t\r\n]+/)
    .map((token) => readDecimal(token));
  if (numbers.length % 3 !== 0 || numbers.some((number) => number === null)) return [];
  return numbers.map((_, i) => numbers[i % 3 === 2 ? i : i % 3 === 0 ? i + 1 : i - 1]!);
}

test('a list gives the numbers that it writes, or nothing where one is none', () => {
  const blank = fc.constantFrom(' ', '\n', '  ', '\t', '\r\n ');
  const bad = fc.constantFrom('x', '0x10', '1e999', '1 2', '1　2', '<', '1<', '٣', 'NaN', 'é');
  const number = fc.oneof(
    { weight: 30, arbitrary: fc.double({ min: 20, max: 90, noNaN: true }).map(String) },
    { weight: 5, arbitrary: fc.constantFrom('35', '+35.', '.5', '3.5e1', '-0', '35.123456789012345678') },
    { weight: 1, arbitrary: bad },
  );
  const list = fc
    .tuple(fc.array(fc.tuple(number, blank), { minLength: 3, maxLength: 30 }), blank)
    .map(([pairs, before]) => before + pairs.map(([text, after]) => text + after).join(''));
  fc.assert(
    fc.property(list, (text) => {
      // Two dimensions are taken where three do not divide the numbers.
      fc.pre(text.trim().split(/[ \t\r\n]+/).length % 3 === 0);
      assert.deepEqual(read(text), slowly(text));
    }),
    { numRuns: 1_000 },
  );
});

test('a list of any length is read whole, and one after the other', () => {
  for (const count of [1, 100, 1_300, 1_400, 30_000]) {
    const text = Array.from({ length: count }, (_, i) => `35.${i} 139.${i} ${i}.25`).join(' ');
    assert.deepEqual(read(text), slowly(text), String(count));
    assert.deepEqual(read('35 139 1'), [139, 35, 1]);
    assert.deepEqual(read(`${text} x`), []);
  }
});

test('tuples of coordinates lie apart by any blanks, or by what the element says', () => {
  const coordinates = (text: string, attributes: Record<string, string> = {}) => [
    ...readPositions(
      element('gml:LineString', '', [{ ...element('gml:coordinates', text), attributes }]),
      frame,
      { flat: false },
    ),
  ];
  const expected = [139, 35, 1, 139.5, 36, 2];
  assert.deepEqual(coordinates(' 35,139,1\n\t36,139.5,2 '), expected);
  assert.deepEqual(coordinates('35 139 1;36 139,5 2', { cs: ' ', ts: ';', decimal: ',' }), expected);
  assert.deepEqual(coordinates('35,139,1;36,139.5,2'), []);
  assert.deepEqual(coordinates('35,139,1 x,139.5,2'), []);
  assert.deepEqual(coordinates('35,139 36,139.5'), [139, 35, 0, 139.5, 36, 0]);
});
