import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Position } from 'geojson';
import { type Rings, splitRings } from './split-rings.ts';

/** Counter-clockwise from the south-western corner, which comes first and last. */
function box(west: number, south: number, east: number, north: number): Position[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

/** Boxes that touch in corners as one ring: along their right sides, and back along their left ones. */
function chain(corners: readonly Position[]): Position[] {
  const there = corners.slice(1).flatMap(([x, y], i): Position[] => [
    [x!, corners[i]![1]!],
    [x!, y!],
  ]);
  const back = corners
    .slice(0, -1)
    .map(([x, y], i): Position[] => [
      [x!, corners[i + 1]![1]!],
      [x!, y!],
    ])
    .reverse()
    .flat();
  return [corners[0]!, ...there, ...back];
}

const sorted = (polygons: readonly Rings[]) =>
  polygons.map((rings) => rings.map((ring) => ring.slice(1).map(String).sort().join(' '))).sort();

test('a ring without a double vertex stays as it is', () => {
  const polygon = [box(0, 0, 9, 9), box(2, 2, 4, 4).reverse()];
  assert.deepEqual(splitRings(polygon), [polygon]);
});

test('each hole goes to the box around it, wherever both lie', () => {
  const step = fc.integer({ min: 3, max: 9 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(step, step), { minLength: 2, maxLength: 6 }),
      fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      (steps, hasHole) => {
        const corners: Position[] = [[0, 0]];
        for (const [dx, dy] of steps) corners.push([corners.at(-1)![0]! + dx, corners.at(-1)![1]! + dy]);
        const expected = steps.map((_, i): Rings => {
          const [[west, south], [east, north]] = [corners[i]!, corners[i + 1]!];
          const hole = box(west! + 1, south! + 1, east! - 1, north! - 1).reverse();
          return [box(west!, south!, east!, north!), ...(hasHole[i] ? [hole] : [])];
        });
        const holes = expected.flatMap(([, ...rings]) => rings).reverse();
        assert.deepEqual(sorted(splitRings([chain(corners), ...holes])), sorted(expected));
      },
    ),
    { numRuns: 300 },
  );
});

test('an island in a hole has its own hole, and takes none of what lies around it', () => {
  // The hole runs along its outer edge clockwise and around the island, which it touches in (6, 3), the other way.
  const hole: Position[] = [
    [6, 3],
    [3, 3],
    [3, 17],
    [17, 17],
    [17, 3],
    [6, 3],
    [9, 3.5],
    [9, 9],
    [5, 9],
    [6, 3],
  ];
  const pond = box(6, 6, 8, 8).reverse();
  const polygons = splitRings([box(0, 0, 20, 20), hole, pond]);
  assert.deepEqual(
    polygons.map((rings) => rings.length),
    [2, 2],
  );
  const [island, land] = polygons as [Rings, Rings];
  assert.deepEqual(sorted([island]), sorted([[hole.slice(5), pond]]));
  assert.deepEqual(sorted([land]), sorted([[box(0, 0, 20, 20), hole.slice(0, 6)]]));
});

test('a hole that no ring lies around goes', () => {
  const corners: Position[] = [
    [0, 0],
    [3, 3],
    [6, 6],
  ];
  const far = box(8, 8, 9, 9).reverse();
  // It is larger than each of the two boxes, though its first edge lies in one.
  const large = box(-9, 1, 9, 9).reverse();
  assert.deepEqual(
    sorted(splitRings([chain(corners), far, large])),
    sorted([[box(0, 0, 3, 3)], [box(3, 3, 6, 6)]]),
  );
});

test('a hole at the latitude of corners goes to the ring around it', () => {
  const diamonds: Position[] = [
    [0, 0],
    [3, -3],
    [6, 0],
    [9, -3],
    [12, 0],
    [9, 3],
    [6, 0],
    [3, 3],
    [0, 0],
  ];
  const holes = [box(2, -1, 4, 1).reverse(), box(8, -1, 10, 1).reverse()];
  const polygons = splitRings([diamonds, ...holes]);
  assert.deepEqual(
    polygons.map((rings) => rings[1]),
    polygons.map(([exterior]) => holes[exterior!.some(([x]) => x === 0) ? 0 : 1]),
  );
});

test('triangles that touch are split, there-and-back ways and flat rings go', () => {
  const triangles: Position[] = [
    [0, 0],
    [2, 1],
    [4, 0],
    [4, 2],
    [2, 1],
    [0, 2],
    [0, 0],
  ];
  const expected = [
    [
      [
        [2, 1],
        [4, 0],
        [4, 2],
        [2, 1],
      ],
    ],
    [
      [
        [0, 0],
        [2, 1],
        [0, 2],
        [0, 0],
      ],
    ],
  ];
  assert.deepEqual(sorted(splitRings([triangles])), sorted(expected));
  const spiked = [...triangles.slice(0, 2), [9, 9], ...triangles.slice(1)];
  assert.deepEqual(sorted(splitRings([spiked])), sorted(expected));
  const flat: Position[] = [
    [0.2, 1],
    [0.4, 1],
    [0.6, 1],
    [0.2, 1],
  ];
  assert.deepEqual(sorted(splitRings([triangles, flat])), sorted(expected));
});
