import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import fc from 'fast-check';
import { askedOnce, elementsOf, idOf, numbersOf, remembered, xpathBelow, xpathOf } from './elements.ts';
import { hashOf } from './hash.ts';
import { LineCounter } from './run/line-counter.ts';

const el = (name: string, ...children: XmlElement[]): XmlElement => ({
  name,
  attributes: {},
  children,
  text: '',
});

test('the path of an element leads from the feature to it', () => {
  const [room, pos] = [el('bldg:Room'), el('gml:pos')];
  const solid = el('gml:Solid', pos, el('bldg:Room'));
  const building = el('bldg:Building', el('gml:name'), solid, el('bldg:interiorRoom', room));
  assert.equal(xpathOf(room, [building]), 'bldg:Building/bldg:Room');
  assert.equal(xpathBelow(building, room), 'bldg:Building/bldg:interiorRoom/bldg:Room');
  assert.equal(xpathBelow(building, pos), 'bldg:Building/gml:Solid/gml:pos', 'inside of geometry, too');
  assert.equal(xpathBelow(building, building), 'bldg:Building');
  assert.equal(xpathBelow(building, el('x')), 'x', 'elsewhere');
  assert.deepEqual(
    elementsOf(solid).map(({ name }) => name),
    ['gml:Solid', 'gml:pos', 'bldg:Room'],
  );
  assert.deepEqual([idOf(room), idOf({ ...room, attributes: { 'gml:id': 'a' } })], [null, 'a']);
});

test('numbers of a list are those between white space', () => {
  assert.deepEqual(numbersOf(' 1.5\t-2\r\n 3e2 x '), [1.5, -2, 300, Number.NaN]);
  assert.deepEqual([numbersOf(''), numbersOf(' \n'), numbersOf('7')], [[], [], [7]]);
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true })),
      fc.constantFrom(' ', '\n', '\t \r'),
      (numbers, blank) => {
        assert.deepEqual(
          numbersOf(numbers.map(String).join(blank)),
          numbers.map((number) => number + 0),
        );
      },
    ),
  );
});

test('questions are asked once of an element, and of each of five thousand names', () => {
  const asked: string[] = [];
  const ask = askedOnce(({ name }) => {
    asked.push(name);
    return null;
  });
  const other = askedOnce(() => 'other');
  const [a, b] = [el('a'), el('b')];
  assert.deepEqual([ask(a), ask(a), ask(b), other(a), ask(a)], [null, null, null, 'other', null]);
  assert.deepEqual(asked, ['a', 'b']);
  const names: string[] = [];
  const lengths = remembered((name) => names.push(name));
  for (let turn = 0; turn < 2; turn++) for (let i = 0; i < 5_001; i++) lengths(`n${i}`);
  assert.equal(names.length, 5_002, 'the last one is not kept');
});

test('a line is one more than the line feeds before its offset', () => {
  const text = fc.array(fc.constantFrom('a', '\n'), { maxLength: 60 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 7 }), fc.nat(20), (all, size, first) => {
      const counter = new LineCounter();
      let pushed = 0;
      for (let offset = first; offset < all.length; offset++) {
        while (pushed <= offset) {
          counter.push(Buffer.from(all.slice(pushed, pushed + size)));
          pushed += size;
        }
        assert.equal(counter.at(offset), all.slice(0, offset).split('\n').length);
      }
    }),
  );
  const many = new LineCounter();
  many.push(Buffer.from('\n'.repeat(20_000)));
  for (const offset of [0, 1, 4_096, 9_999, 10_001, 19_999]) assert.equal(many.at(offset), offset + 1);
});

test('texts have numbers of 53 bits that tell them apart', () => {
  const hashes = Array.from({ length: 20_000 }, (_, i) => hashOf(`bldg_${i}`));
  assert.equal(new Set(hashes).size, hashes.length);
  assert.ok(hashes.every((hash) => Number.isSafeInteger(hash) && hash >= 0));
  assert.ok(hashes.some((hash) => hash > 2 ** 52) && hashes.some((hash) => hash % 2 === 1));
  for (const part of [(hash: number) => hash % 2 ** 32, (hash: number) => Math.floor(hash / 2 ** 32)])
    assert.ok(new Set(hashes.map(part)).size > 19_700, 'both parts do');
  assert.notEqual(hashOf(''), hashOf('\0'));
});
