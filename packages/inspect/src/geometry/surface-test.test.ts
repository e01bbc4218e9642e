import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { closed, hole, polygonOf as openPolygon, type Point, SQUARE } from '../testing/shapes.ts';
import { surfaceIssues } from './surface-test.ts';

const polygonOf = (...rings: ReadonlyArray<readonly Point[]>) => openPolygon(...rings.map(closed));

/** A rigid motion: turned around two axes, then moved. */
const motion = fc.record({
  yaw: fc.double({ min: 0, max: 6, noNaN: true }),
  pitch: fc.double({ min: -1, max: 1, noNaN: true }),
  x: fc.integer({ min: -100_000, max: 100_000 }),
  y: fc.integer({ min: -100_000, max: 100_000 }),
});
type Motion = typeof motion extends fc.Arbitrary<infer T> ? T : never;

function moved(ring: readonly Point[], { yaw, pitch, x, y }: Motion): Point[] {
  return ring.map(([a, b, c]) => {
    const [p, q] = [b * Math.cos(pitch) - c * Math.sin(pitch), b * Math.sin(pitch) + c * Math.cos(pitch)];
    return [a * Math.cos(yaw) - p * Math.sin(yaw) + x, a * Math.sin(yaw) + p * Math.cos(yaw) + y, q];
  });
}

test('a clean polygon holds, wherever it lies and however it is turned', () => {
  fc.assert(
    fc.property(motion, (by) => {
      const rings = [SQUARE, hole(2, 2, 2), hole(6, 6, 2)].map((ring) => moved(ring, by));
      assert.deepEqual(surfaceIssues(polygonOf(...rings)), []);
    }),
  );
});

const FAULTS: Record<string, Array<readonly Point[]>> = {
  TooFewPoints: [[SQUARE[0]!, SQUARE[1]!]],
  NonPlanarSurface: [[SQUARE[0]!, SQUARE[1]!, [10, 10, 0.2], SQUARE[3]!]],
  DuplicateConsecutivePoints: [[SQUARE[0]!, [0.009, 0, 0], SQUARE[1]!, SQUARE[2]!, SQUARE[3]!]],
  SelfIntersection: [[SQUARE[0]!, SQUARE[1]!, SQUARE[3]!, SQUARE[2]!]],
  InteriorRingNotContainedInExteriorRing: [SQUARE, hole(9, 4, 2)],
  IntersectionBetweenInteriorAndInterior: [SQUARE, hole(2, 2, 3), hole(4, 4, 3)],
  IncorrectInteriorOrientation: [SQUARE, hole(2, 2, 2).toReversed()],
};

for (const [issue, rings] of Object.entries(FAULTS)) {
  test(`${issue} is found wherever the polygon lies, and nothing else`, () => {
    fc.assert(
      fc.property(motion, (by) => {
        assert.deepEqual(surfaceIssues(polygonOf(...rings.map((ring) => moved(ring, by)))), [issue]);
      }),
    );
  });
}

test('tolerances are those of the rules, on both sides', () => {
  const lifted = (by: number) => surfaceIssues(polygonOf([SQUARE[0]!, SQUARE[1]!, [10, 10, by], SQUARE[3]!]));
  assert.deepEqual(lifted(0.028), []);
  assert.deepEqual(lifted(0.032), ['NonPlanarSurface']);
  const near = (by: number) => surfaceIssues(polygonOf([SQUARE[0]!, [by, 0, 0], ...SQUARE.slice(1)]));
  assert.deepEqual(near(0.0098), ['DuplicateConsecutivePoints']);
  assert.deepEqual(near(0.01), []);
  const apart = (by: number) => surfaceIssues(polygonOf(SQUARE, hole(2, 2, 2), hole(4 + by, 2, 2)));
  assert.deepEqual(apart(0.009), ['IntersectionBetweenInteriorAndInterior']);
  assert.deepEqual(apart(0.011), []);
});

test('a hole is near to any part of the exterior, and holes to any part of each other', () => {
  const turned = (ring: readonly Point[], by: number) => [...ring.slice(by), ...ring.slice(0, by)];
  // Nearest are two edges, a corner of the hole and an edge, or the corner of a notch and an edge of the hole.
  const NOTCHED: Point[] = [...SQUARE.slice(0, 2), [10, 4.5, 0], [7, 5, 0], [10, 5.5, 0], ...SQUARE.slice(2)];
  const diamond = (x: number, y: number, size: number): Point[] => [
    [x - size, y, 0],
    [x, y + size, 0],
    [x + size, y, 0],
    [x, y - size, 0],
  ];
  for (const [exterior, holeAt] of [
    [SQUARE, (by: number) => hole(by, 4, 2)],
    [SQUARE, (by: number) => hole(4, by, 2)],
    [SQUARE, (by: number) => hole(8 - by, 4, 2)],
    [SQUARE, (by: number) => hole(4, 8 - by, 2)],
    [SQUARE, (by: number) => diamond(2 + by, 5, 2)],
    [SQUARE, (by: number) => diamond(5, 8 - by, 2)],
    [NOTCHED, (by: number) => hole(5 - by, 4, 2)],
  ] as const) {
    for (let from = 0; from < exterior.length; from++) {
      for (let begin = 0; begin < 4; begin++) {
        const issues = (by: number) =>
          surfaceIssues(polygonOf(turned(exterior, from), turned(holeAt(by), begin)));
        assert.deepEqual(issues(0.008), ['InteriorRingNotContainedInExteriorRing'], `${from} ${begin}`);
        assert.deepEqual(issues(0.012), []);
      }
    }
  }
  for (let from = 0; from < 4; from++) {
    for (let begin = 0; begin < 4; begin++) {
      const issues = (by: number) =>
        surfaceIssues(polygonOf(SQUARE, turned(hole(2, 4, 2), from), turned(diamond(5 + by, 5, 1), begin)));
      assert.deepEqual(issues(0.009), ['IntersectionBetweenInteriorAndInterior']);
      assert.deepEqual(issues(0.011), []);
    }
  }
});

test('a ring that is not closed is named when nothing else is wrong', () => {
  const polygon = polygonOf(SQUARE);
  polygon.rings = [polygon.rings[0]!.slice(0, -3)];
  assert.deepEqual(surfaceIssues(polygon), ['RingNotClosed']);
});

test('a wall with a window holds', () => {
  const upright = (ring: readonly Point[]): Point[] => ring.map(([x, y]) => [x, 0, y]);
  assert.deepEqual(surfaceIssues(polygonOf(upright(SQUARE), upright(hole(2, 2, 2)))), []);
});
