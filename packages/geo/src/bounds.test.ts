import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Bounds, boundsIntersect, boundsOverlap, boundsToArray, unionBounds } from './bounds.ts';

/** Few whole numbers, so that edges often touch. */
const bounds: fc.Arbitrary<Bounds> = fc
  .tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 4 })))
  .map(([a, b, c, d]) => ({
    west: Math.min(a!, b!),
    east: Math.max(a!, b!),
    south: Math.min(c!, d!),
    north: Math.max(c!, d!),
  }));

/** Every quarter of a unit from 0 to 4: enough to see each point and each area that whole numbers make. */
const steps = Array.from({ length: 17 }, (_, i) => i / 4);
const inside = (b: Bounds, x: number, y: number) =>
  x >= b.west && x <= b.east && y >= b.south && y <= b.north;
const within = (b: Bounds, x: number, y: number) => x > b.west && x < b.east && y > b.south && y < b.north;
const anyPoint = (holds: (x: number, y: number) => boolean) =>
  steps.some((x) => steps.some((y) => holds(x, y)));

test('bounds share a point, an area and their union as their points say', () => {
  fc.assert(
    fc.property(bounds, bounds, (a, b) => {
      assert.equal(
        boundsIntersect(a, b),
        anyPoint((x, y) => inside(a, x, y) && inside(b, x, y)),
      );
      const hasAreas = a.west < a.east && a.south < a.north && b.west < b.east && b.south < b.north;
      if (hasAreas) {
        assert.equal(
          boundsOverlap(a, b),
          anyPoint((x, y) => within(a, x, y) && within(b, x, y)),
        );
      }
      const union = unionBounds(a, b)!;
      for (const key of ['west', 'south'] as const) assert.equal(union[key], Math.min(a[key], b[key]));
      for (const key of ['east', 'north'] as const) assert.equal(union[key], Math.max(a[key], b[key]));
    }),
    { numRuns: 500 },
  );
});

test('nothing adds nothing to a union', () => {
  const box = { west: 1, south: 2, east: 3, north: 4 };
  assert.equal(unionBounds(null, null), null);
  assert.equal(unionBounds(box, null), box);
  assert.equal(unionBounds(null, box), box);
});

test('bounds as an array', () => {
  const box = { west: 1, south: 2, east: 3, north: 4 };
  assert.deepEqual(boundsToArray(box), [1, 2, 3, 4]);
});
