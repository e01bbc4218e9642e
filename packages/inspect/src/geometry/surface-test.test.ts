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

test('a ring that is not closed is named when nothing else is wrong', () => {
  const polygon = polygonOf(SQUARE);
  polygon.rings = [polygon.rings[0]!.slice(0, -3)];
  assert.deepEqual(surfaceIssues(polygon), ['RingNotClosed']);
});

test('a wall with a window holds', () => {
  const upright = (ring: readonly Point[]): Point[] => ring.map(([x, y]) => [x, 0, y]);
  assert.deepEqual(surfaceIssues(polygonOf(upright(SQUARE), upright(hole(2, 2, 2)))), []);
});
