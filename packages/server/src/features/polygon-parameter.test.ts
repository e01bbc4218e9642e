import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePolygons } from './polygon-parameter.ts';

const TRIANGLE: Array<[number, number]> = [
  [139, 35],
  [140, 35],
  [140, 36],
];

test('corners by turns, closed or not', () => {
  assert.deepEqual(parsePolygons('139,35,140,35,140,36'), [[TRIANGLE]]);
  assert.deepEqual(parsePolygons(' 139, 35 ,140,35,140,36,139,35'), [[TRIANGLE]]);
  assert.deepEqual(parsePolygons('-.5,0,1e1,+0,0,5.'), [
    [
      [
        [-0.5, 0],
        [10, 0],
        [0, 5],
      ],
    ],
  ]);
});

test('WKT with holes, of one polygon or several', () => {
  const ring = '(139 35, 140 35, 140 36, 139 35)';
  assert.deepEqual(parsePolygons(`POLYGON(${ring})`), [[TRIANGLE]]);
  assert.deepEqual(parsePolygons(`polygon (${ring}, ${ring})`), [[TRIANGLE, TRIANGLE]]);
  assert.deepEqual(parsePolygons(`MULTIPOLYGON((${ring}), (${ring},${ring}))`), [
    [TRIANGLE],
    [TRIANGLE, TRIANGLE],
  ]);
});

test('what is wrong is said with what is expected', () => {
  for (const [text, reason] of [
    ['139,35,140', /3 numbers, which are no pairs/],
    ['139,35,140,36', /ring of 2 corners/],
    ['139,35,140,36,139,35', /ring of 2 corners/],
    ['35,139,36,139,36,140', /outside the world: expected longitude first/],
    ['139,35,x,36,140,36', /where a longitude and a latitude are expected/],
    ['139,35,0x8c,36,140,36', /where a longitude and a latitude are expected/],
    ['POLYGON(139 35, 140 35, 140 36)', /brackets do not match|no list of corners/],
    ['POLYGON((139 35, 140 35, 140 36)', /brackets do not match/],
    ['POLYGON((139 35, 140 35, 140 36)))', /brackets do not match/],
    ['POLYGON(((139 35, 140 35, 140 36))', /brackets do not match/],
    ['POLYGON((139 35, 140 35, 140 36))((139 35, 140 35, 140 36))', /brackets do not match/],
    ['MULTIPOLYGON(((139 35, 140 35, 140 36))))((', /brackets do not match|no pairs/],
    ['MULTIPOLYGON(((139 35, 140 35, 140 36))))(()', /brackets do not match/],
    ['POLYGON((139 35 0, 140 35 0, 140 36 0))', /where a longitude and a latitude/],
    ['MULTIPOLYGON((139 35, 140 35, 140 36))', /no list of corners|brackets do not match/],
    ['POLYGON x ((139 35, 140 35, 140 36))', /no pairs|expected/],
    ['', /no pairs|expected/],
  ] as const) {
    assert.throws(
      () => parsePolygons(text),
      (error) => error instanceof RangeError && reason.test(error.message),
      text,
    );
  }
});

test('the edges of the world belong to it', () => {
  assert.deepEqual(parsePolygons('-180,-90,180,-90,180,90'), [
    [
      [
        [-180, -90],
        [180, -90],
        [180, 90],
      ],
    ],
  ]);
  for (const corner of ['180.1,0', '-180.1,0', '0,90.1', '0,-90.1'])
    assert.throws(() => parsePolygons(`0,0,1,1,${corner}`), /outside the world/, corner);
  // Only where both numbers repeat is a ring closed.
  assert.equal(parsePolygons('139,35,140,35,139,36')[0]![0]!.length, 3);
  assert.equal(parsePolygons('139,35,140,36,141,35')[0]![0]!.length, 3);
  assert.equal(parsePolygons('MULTIPOLYGON(((0 0,1 0,1 1)),((2 2,3 2,3 3)))').length, 2);
});

test('corners are counted over all rings', () => {
  const corners = (count: number) => Array.from({ length: count }, (_, i) => `${i * 1e-3},1`).join(',');
  assert.equal(parsePolygons(corners(2_000))[0]![0]!.length, 2_000);
  assert.throws(() => parsePolygons(corners(2_001)), /2001 corners; at most 2000/);
});

test('any text is polygons of three corners and more, or an error that says why', () => {
  const part = fc.constantFrom('POLYGON', 'MULTI', '(', ')', ',', ' ', '139', '35', '-1.5', '1e2', 'x');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 24 }), (parts) => {
      try {
        const polygons = parsePolygons(parts.join(''));
        assert.ok(polygons.length > 0 && polygons.flat().every((ring) => ring.length >= 3));
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }),
  );
});
