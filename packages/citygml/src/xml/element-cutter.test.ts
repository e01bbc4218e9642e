import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ElementCutter } from './element-cutter.ts';

const LIMIT = 400;

/** What is cut, and what is left, out of a text in chunks. */
function cut(text: string, sizes: readonly number[], elements: 'polygons' | 'textures' = 'polygons') {
  const bytes = Buffer.from(text);
  let rest = '';
  const cutter = new ElementCutter(elements, LIMIT, (part) => {
    rest += part;
  });
  const found: Array<[string, number | null]> = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    for (const { text, lod } of cutter.push(bytes.subarray(at, at + size)))
      found.push([text.toString(), lod]);
    at += size;
  }
  cutter.end();
  return { found, rest: Buffer.from(rest, 'latin1').toString() };
}

const piece = fc.oneof(
  fc
    .constantFrom(
      '\n',
      '都市',
      '<a/>',
      '<gml:PolygonX/>',
      '<Polygons>',
      'lod2',
      '<x lod1="a"/>',
      '</bldg:lod1Solid>',
    )
    .map((text) => ({ text, isCut: false })),
  fc
    .tuple(fc.constantFrom('', 'gml:', 'a.b-c:'), fc.nat(4), fc.constantFrom('MultiSurface', 'Solid', ''))
    .map(([prefix, lod, rest]) => ({ text: `<${prefix}lod${lod}${rest}>`, isCut: false, lod })),
  fc
    .tuple(
      fc.constantFrom('gml:', ''),
      fc.constantFrom('Polygon', 'PolygonPatch', 'Triangle', 'Rectangle'),
      fc.constantFrom('', ' gml:id="p"', '\n'),
      fc.array(fc.constantFrom('1 2 3 ', '都', '<gml:exterior>', '</gml:exterior>'), { maxLength: 60 }),
      fc.constantFrom('', ' '),
    )
    .map(([prefix, name, attributes, within, blank]) => {
      const text = `<${prefix}${name}${attributes}>${within.join('')}</${prefix}${name}${blank}>`;
      return { text, isCut: Buffer.byteLength(text) <= LIMIT };
    }),
);

test('outermost elements come with the level of the property before them; the rest is told in order', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), sizes, (pieces, sizes) => {
      let lod: number | null = null;
      const expected: Array<[string, number | null]> = [];
      for (const one of pieces) {
        if ('lod' in one) lod = one.lod as number;
        if (one.isCut) expected.push([one.text, lod]);
      }
      const { found, rest } = cut(pieces.map(({ text }) => text).join(''), sizes);
      assert.deepEqual(found, expected);
      assert.equal(rest, pieces.map(({ text, isCut }) => (isCut ? '' : text)).join(''));
    }),
    { numRuns: 300 },
  );
});

test('textures are their members, whatever they hold', () => {
  const member = '<app:surfaceDataMember><app:X><Polygon>1</Polygon></app:X></app:surfaceDataMember>';
  const { found, rest } = cut(
    `<app:Appearance>${member}<gml:Polygon>2</gml:Polygon>${member}<`,
    [5],
    'textures',
  );
  assert.deepEqual(found, [
    [member, null],
    [member, null],
  ]);
  assert.equal(rest, '<app:Appearance><gml:Polygon>2</gml:Polygon><');
});

test('an element of exactly the limit is cut, one byte more is passed over', () => {
  const of = (bytes: number) => `<Polygon>${'x'.repeat(bytes - 19)}</Polygon>`;
  assert.deepEqual(cut(of(LIMIT), [1 << 16]).found.length, 1);
  assert.deepEqual(cut(of(LIMIT + 1), [1 << 16]).found.length, 0);
  assert.deepEqual(cut(of(LIMIT), [LIMIT - 1, 1]).found.length, 1);
});

test('of a relief the level is what it states, and its extent is no part of its shape', () => {
  const triangle = '<gml:Triangle>1 2 3</gml:Triangle>';
  const text =
    `<dem:lod>1</dem:lod><dem:TINRelief><dem:lod> 3\n</dem:lod><dem:extent xlink:type="simple">` +
    `<gml:Polygon>9</gml:Polygon></dem:extent><dem:tin>${triangle}${triangle}</dem:tin></dem:TINRelief>` +
    `<lod>x</lod>${triangle}<gml:extentOf>${triangle}</gml:extentOf>` +
    `<dem:extent/>${triangle}<dem:extent xlink:href="#there"/>${triangle}`;
  for (const size of [1, 7, 1_000])
    assert.deepEqual(
      cut(text, [size]).found,
      Array.from({ length: 6 }, () => [triangle, 3]),
    );
});
