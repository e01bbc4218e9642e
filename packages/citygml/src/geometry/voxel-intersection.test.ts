import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { slowlyMeetsBox, slowlyMeetsPolygon } from '../testing/slow-overlap.ts';
import type { FeatureShape } from './feature-shape.ts';
import { meetsBox, meetsPolygon, type SearchPolygon } from './voxel-intersection.ts';

type Ring = Array<[number, number]>;

const positions = (ring: Ring) => Float64Array.from(ring.flat());

function shape(
  parts: { areas?: Ring[][]; lines?: Ring[]; points?: Ring },
  altitudes: FeatureShape['altitudes'] = null,
): FeatureShape {
  return {
    polygons: (parts.areas ?? []).map((rings) => rings.map(positions)),
    lines: (parts.lines ?? []).map(positions),
    points: (parts.points ?? []).map((point) => positions([point])),
    altitudes,
  };
}

const box = (west: number, south: number, east: number, north: number) => ({ west, south, east, north });
const rectangle = (west: number, south: number, east: number, north: number): Ring => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
];

test('an area meets what it covers, crosses or lies in, and not what lies in its hole', () => {
  const ringed = shape({ areas: [[rectangle(0, 0, 10, 10), rectangle(3, 3, 7, 7)]] });
  for (const [name, cell, expected] of [
    ['around it', box(-1, -1, 11, 11), true],
    ['inside the hole', box(4, 4, 6, 6), false],
    ['the hole exactly', box(3, 3, 7, 7), true],
    ['inside the hole, at its north edge', box(4, 4, 6, 7), true],
    ['inside the hole, at its south edge', box(4, 3, 6, 6), false],
    ['inside the area', box(1, 1, 2, 2), true],
    ['across the hole', box(2, 4, 8, 5), true],
    ['away', box(11, 0, 12, 1), false],
    ['beyond the corner', box(10.5, 10.5, 12, 12), false],
  ] as const) {
    assert.equal(meetsBox(ringed, cell, null), expected, name);
  }
});

test('cells own their west and north edges, closed boxes all four', () => {
  const cell = box(0, 0, 1, 1);
  for (const [x, y, expected] of [
    [0, 0.5, true],
    [0.5, 1, true],
    [0, 1, true],
    [1, 0.5, false],
    [0.5, 0, false],
    [0, 0, false],
    [1, 1, false],
  ] as const) {
    assert.equal(meetsBox(shape({ points: [[x, y]] }), cell, null), expected, `${x} ${y}`);
    assert.equal(meetsBox(shape({ points: [[x, y]] }), cell, null, 'closed'), true);
  }
  assert.equal(meetsBox(shape({ areas: [[rectangle(1, 0, 2, 1)]] }), cell, null), false);
  assert.equal(meetsBox(shape({ areas: [[rectangle(-1, 0, 0, 1)]] }), cell, null), true);
  assert.equal(meetsBox(shape({ lines: [rectangle(-1, 0, 2, 0).slice(0, 2)] }), cell, null), false);
  assert.equal(
    meetsBox(
      shape({
        lines: [
          [
            [-1, 1],
            [2, 1],
          ],
        ],
      }),
      cell,
      null,
    ),
    true,
  );
  assert.equal(
    meetsBox(
      shape({
        lines: [
          [
            [-1, -1],
            [0, 0],
            [1, -1],
          ],
        ],
      }),
      cell,
      null,
    ),
    false,
  );
});

test(
  'altitudes: of a cell from the floor up to below the ceiling, of a closed box with both; none means every ' +
    'one',
  () => {
    const at = (
      altitudes: FeatureShape['altitudes'],
      wanted: { min: number; max: number } | null,
      edges: 'cell' | 'closed' = 'cell',
    ) => meetsBox(shape({ points: [[0, 0]] }, altitudes), box(-1, -1, 1, 1), wanted, edges);
    assert.equal(at({ min: 5, max: 9 }, { min: 0, max: 5 }), false);
    assert.equal(at({ min: 5, max: 9 }, { min: 0, max: 5.1 }), true);
    assert.equal(at({ min: 5, max: 9 }, { min: 6, max: 7 }), true);
    assert.equal(at({ min: 5, max: 9 }, { min: 9, max: 10 }), true);
    assert.equal(at({ min: 5, max: 9 }, { min: 9.1, max: 10 }), false);
    assert.equal(at({ min: -3, max: -1 }, { min: -8, max: 0 }), true);
    assert.equal(at({ min: 0, max: 0 }, { min: -8, max: 0 }), false);
    assert.equal(at({ min: 5, max: 9 }, { min: 0, max: 5 }, 'closed'), true);
    assert.equal(at({ min: 5, max: 9 }, { min: 0, max: 4.9 }, 'closed'), false);
    assert.equal(at({ min: 5, max: 9 }, { min: 9, max: 12 }, 'closed'), true);
    assert.equal(at({ min: 0, max: 0 }, { min: -8, max: 0 }, 'closed'), true);
    assert.equal(at({ min: 5, max: 5 }, { min: 5, max: 5 }, 'closed'), true);
    assert.equal(at(null, { min: 0, max: 1 }), true);
    assert.equal(at({ min: 5, max: 9 }, null), true);
    assert.equal(
      meetsPolygon(shape({ points: [[0, 0]] }, { min: 5, max: 9 }), [rectangle(-1, -1, 1, 1)], {
        min: 0,
        max: 1,
      }),
      false,
    );
  },
);

test('a polygon to search in may have holes, be closed or not, and be empty', () => {
  const area = shape({ areas: [[rectangle(4, 4, 5, 5)]] });
  assert.equal(meetsPolygon(area, [[...rectangle(0, 0, 9, 9), [0, 0]]], null), true);
  assert.equal(meetsPolygon(area, [rectangle(0, 0, 9, 9), rectangle(3, 3, 6, 6)], null), false);
  assert.equal(meetsPolygon(area, [rectangle(0, 0, 9, 9), rectangle(4, 3, 6, 6)], null), true);
  assert.equal(meetsPolygon(area, [rectangle(4.4, 4.4, 4.6, 4.6)], null), true);
  assert.equal(meetsPolygon(area, [], null), false);
  assert.equal(meetsPolygon(area, [[]], null), false);
  const corner: Ring = [
    [0, 0],
    [9, 0],
    [0, 9],
  ];
  const beside = shape({ areas: [[rectangle(6, 6, 8, 8), []]], lines: [[]] });
  assert.equal(meetsPolygon(beside, [corner], null), false, 'what is empty meets nothing');
});

/** Star-shaped about a centre, so mostly simple; rounding to integers makes edges touch and coincide often. */
const star = (centre: number, size: number): fc.Arbitrary<Ring> =>
  fc
    .array(fc.tuple(fc.nat(359), fc.integer({ min: 1, max: size })), { minLength: 3, maxLength: 6 })
    .map((list) =>
      list
        .sort(([a], [b]) => a - b)
        .map(([angle, radius]): [number, number] => [
          centre + Math.round(radius * Math.cos((angle * Math.PI) / 180)),
          centre + Math.round(radius * Math.sin((angle * Math.PI) / 180)),
        ]),
    );
const area = fc
  .tuple(star(6, 6), fc.option(star(6, 3), { nil: null }))
  .map(([outer, hole]) => (hole === null ? [outer] : [outer, hole]));
const cell = fc
  .tuple(fc.nat(12), fc.nat(12), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
  .map(([x, y, w, h]) => box(x, y, x + w, y + h));
const line = fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { minLength: 2, maxLength: 4 });

test('boxes agree with exact overlays by an independent algorithm', () => {
  fc.assert(
    fc.property(area, cell, fc.constantFrom('cell' as const, 'closed' as const), (rings, bounds, edges) => {
      assert.equal(
        meetsBox(shape({ areas: [rings] }), bounds, null, edges),
        slowlyMeetsBox(rings, true, bounds, edges),
      );
    }),
    { numRuns: 1500 },
  );
  fc.assert(
    fc.property(line, cell, fc.constantFrom('cell' as const, 'closed' as const), (path, bounds, edges) => {
      assert.equal(
        meetsBox(shape({ lines: [path] }), bounds, null, edges),
        slowlyMeetsBox([path], false, bounds, edges),
      );
    }),
    { numRuns: 3000 },
  );
});

test('polygons agree with exact overlays by an independent algorithm', () => {
  fc.assert(
    fc.property(area, area, (rings, search) => {
      assert.equal(
        meetsPolygon(shape({ areas: [rings] }), search as SearchPolygon, null),
        slowlyMeetsPolygon(rings, true, search),
      );
    }),
    { numRuns: 1500 },
  );
  fc.assert(
    fc.property(line, area, (path, search) => {
      assert.equal(
        meetsPolygon(shape({ lines: [path] }), search as SearchPolygon, null),
        slowlyMeetsPolygon([path], false, search),
      );
    }),
    { numRuns: 1500 },
  );
});

/** By the edges that a ray crosses which leans so little that it meets no corner; exact in whole numbers. */
function slowlyHolds(rings: readonly Ring[], x: number, y: number): boolean {
  const turn = (a: readonly number[], b: readonly number[], c: readonly number[]) =>
    Math.sign((b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!));
  const edges = rings.flatMap((ring) =>
    ring.map((to, i): [[number, number], [number, number]] => [ring.at(i - 1)!, to]),
  );
  const [from, to] = [
    [x, y],
    [x + 1000, y + 1],
  ];
  const lies = edges.some(
    ([a, b]) => turn(a, b, from!) === 0 && (x - a[0]) * (x - b[0]) <= 0 && (y - a[1]) * (y - b[1]) <= 0,
  );
  const crossed = edges.filter(
    ([a, b]) => turn(a, b, from!) !== turn(a, b, to!) && turn(from!, to!, a) * turn(from!, to!, b) < 0,
  );
  return lies || crossed.length % 2 === 1;
}

test('a point is in an area when it lies on an edge, or a ray from it leaves the area once more than it enters', () => {
  fc.assert(
    fc.property(area, (rings) => {
      for (let x = 0; x <= 12; x++) {
        for (let y = 0; y <= 12; y++) {
          assert.equal(
            meetsPolygon(shape({ points: [[x, y]] }), rings as SearchPolygon, null),
            slowlyHolds(rings, x, y),
            `${x} ${y}`,
          );
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('every point is in exactly one cell of a grid', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.nat(40), (x, y) => {
      const point = shape({ points: [[x / 4, y / 4]] });
      let cells = 0;
      for (let i = -1; i < 12; i++)
        for (let j = -1; j < 12; j++) if (meetsBox(point, box(i, j, i + 1, j + 1), null)) cells++;
      assert.equal(cells, 1);
    }),
    { numRuns: 100 },
  );
});

test('a box that is a point is met by what passes through it, in each direction', () => {
  const at = { west: 139, south: 35, east: 139, north: 35 };
  for (const [dx, dy] of [
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
    [1, 0],
    [0, 1],
    [1, 3],
  ] as const) {
    const meets = (shift: number, edges: 'cell' | 'closed') => {
      const line = Float64Array.of(139 - dx + shift, 35 - dy, 139 + dx + shift, 35 + dy);
      return meetsBox({ polygons: [], lines: [line], points: [], altitudes: null }, at, null, edges);
    };
    assert.equal(meets(0, 'closed'), true, `${dx} ${dy}`);
    if (dy !== 0) assert.equal(meets(0.5, 'closed'), false, `${dx} ${dy}`);
    assert.equal(meets(0, 'cell'), false, 'a cell of no size has no points');
  }
});
