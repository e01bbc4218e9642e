import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { box, closed, type Point, polygonOf } from '../testing/shapes.ts';
import { solidsMeet, type TriangleSolid, triangleSolid } from './solids-meet.ts';
import { SOLID_CORNER } from './tolerances.ts';

type Place = readonly [x: number, y: number];
type Box = readonly [x: number, y: number, z: number, width: number, depth: number, height: number];

const solidOf = (faces: Point[][], origin: readonly [number, number] = [0, 0]) =>
  triangleSolid(
    faces.map((ring) => polygonOf(closed(ring))),
    origin,
  );

/** A box that is turned about the origin by an angle. */
function boxOf(shape: Box, angle = 0): TriangleSolid {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turned = ([x, y, z]: Point): Point => [cos * x - sin * y, sin * x + cos * y, z];
  return solidOf(box(...shape).map((ring) => ring.map(turned)));
}

function meet(one: TriangleSolid, other: TriangleSolid): boolean {
  const found = solidsMeet(one, other);
  assert.equal(solidsMeet(other, one), found);
  return found;
}

test('boxes meet when they share more than a touch in every direction, whichever way they are turned', () => {
  const place = fc.integer({ min: -6, max: 6 });
  const size = fc.integer({ min: 1, max: 8 });
  const any = fc.tuple(place, place, place, size, size, size);
  fc.assert(
    fc.property(any, any, fc.constantFrom(0, 0.3, 1.2), (one, other, angle) => {
      const shares = [0, 1, 2].every((axis) => {
        const to = (of: Box) => of[axis]! + of[axis + 3]!;
        return Math.min(to(one), to(other)) > Math.max(one[axis]!, other[axis]!);
      });
      assert.equal(meet(boxOf(one, angle), boxOf(other, angle)), shares);
    }),
    { numRuns: 150 },
  );
});

/** A prism over a triangle of the plane. */
function prismOf(plan: readonly Place[], low: number, high: number): TriangleSolid {
  const [a, b, c] = plan as [Place, Place, Place];
  const twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
  const ring = twice > 0 ? [a, b, c] : [c, b, a];
  const at = ([x, y]: Place, z: number): Point => [x, y, z];
  return solidOf([
    ring.map((place) => at(place, low)).reverse(),
    ring.map((place) => at(place, high)),
    ...ring.map((from, i) => {
      const to = ring[(i + 1) % 3]!;
      return [at(from, low), at(to, low), at(to, high), at(from, high)];
    }),
  ]);
}

/** How deep two triangles overlap, by the axes of their sides (theorem of separating axes); below 0 they are apart. */
function depthOf(one: readonly Place[], other: readonly Place[]): number {
  let depth = Infinity;
  for (const plan of [one, other]) {
    plan.forEach(([x, y], i) => {
      const [toX, toY] = plan[(i + 1) % 3]!;
      const length = Math.hypot(toX - x, toY - y);
      const along = ([px, py]: Place) => ((toX - x) * py - (toY - y) * px) / length;
      const [a, b] = [one.map(along), other.map(along)];
      depth = Math.min(depth, Math.max(...a) - Math.min(...b), Math.max(...b) - Math.min(...a));
    });
  }
  return depth;
}

test('prisms over triangles meet when these overlap, whichever corner they begin with', () => {
  const place = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }));
  const plan = fc
    .tuple(place, place, place)
    .filter(([[ax, ay], [bx, by], [cx, cy]]) => Math.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) > 6);
  fc.assert(
    fc.property(plan, plan, fc.boolean(), (one, other, areAbove) => {
      const depth = depthOf(one, other);
      // A touch depends on rounding.
      if (Math.abs(depth) < 0.2) return;
      const [low, high] = areAbove ? [5, 9] : [-3, 2];
      assert.equal(meet(prismOf(one, 0, 5), prismOf(other, low, high)), depth > 0 && !areAbove);
    }),
    { numRuns: 200 },
  );
});

test('walls that touch up to rounding share nothing, also where one solid hangs over the other', () => {
  const low = boxOf([0, 1, 0, 1, 1, 1], 0.3);
  const tall = [...boxOf([0, -4, 0, 1, 5, 1], 0.3), ...boxOf([0, -4, 1, 1, 6, 1], 0.3)];
  assert.equal(meet(boxOf([0, -4, 0, 1, 5, 1], 0.3), low), false);
  assert.equal(meet(tall, low), false);
  for (const [by, shares] of [
    [0.004, false],
    [0.012, true],
  ] as const) {
    assert.equal(meet(boxOf([0, -4, 0, 1, 5 + by, 1], 0.3), low), shares, `${by}`);
  }
});

test('a centimetre of height is a touch, and more is not', () => {
  const low = boxOf([0, 0, 0, 10, 10, 5]);
  assert.equal(meet(low, boxOf([2, 3, 5, 4, 4, 5])), false);
  assert.equal(meet(low, boxOf([2, 3, 4.992, 4, 4, 5])), false);
  assert.equal(meet(low, boxOf([2, 3, 4.98, 4, 4, 5])), true);
});

/** Rises from nothing at x = 0 to 10 m at x = 10. */
const WEDGE: Point[][] = [
  [
    [0, 0, 0],
    [0, 10, 0],
    [10, 10, 0],
    [10, 0, 0],
  ],
  [
    [0, 0, 0],
    [10, 0, 10],
    [10, 10, 10],
    [0, 10, 0],
  ],
  [
    [10, 0, 0],
    [10, 10, 0],
    [10, 10, 10],
    [10, 0, 10],
  ],
  [
    [0, 0, 0],
    [10, 0, 0],
    [10, 0, 10],
  ],
  [
    [0, 10, 0],
    [10, 10, 10],
    [10, 10, 0],
  ],
];

test('under a slope there is room where the slope is low, and none where it is high', () => {
  const wedge = solidOf(WEDGE);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 18 }), fc.integer({ min: 1, max: 19 }), (x, z) => {
      // The slope is highest above the far side of the box.
      const [west, low] = [x / 2, z / 2];
      const shares = west + 1 > low;
      if (Math.abs(west + 1 - low) < 0.3) return;
      assert.equal(meet(wedge, boxOf([west, 4, low, 1, 1, 20])), shares);
    }),
  );
});

test('a box in a courtyard meets nothing, and one in its walls does', () => {
  const ring = (x: number, y: number, size: number): Point[] => [
    [x, y, 0],
    [x + size, y, 0],
    [x + size, y + size, 0],
    [x, y + size, 0],
  ];
  const lifted = (points: Point[], by: number) => points.map(([x, y, z]): Point => [x, y, z + by]);
  const [outer, inner] = [ring(0, 0, 10), ring(3, 3, 4)];
  const court = triangleSolid(
    [
      polygonOf(closed(outer.toReversed()), closed(inner)),
      polygonOf(closed(lifted(outer, 5)), closed(lifted(inner, 5).toReversed())),
      ...[outer, inner].flatMap((points) =>
        points.map((from, i) => {
          const to = points[(i + 1) % 4]!;
          return polygonOf(closed([from, to, ...lifted([to, from], 5)]));
        }),
      ),
    ],
    [0, 0],
  );
  assert.equal(meet(court, boxOf([3, 3, 0, 4, 4, 5])), false);
  assert.equal(meet(court, boxOf([4, 4, 1, 1, 1, 1])), false);
  assert.equal(meet(court, boxOf([2, 4, 1, 2, 1, 1])), true);
  assert.equal(meet(court, boxOf([1, 1, 1, 1, 1, 1])), true);
});

test('corners are measured from the origin, doubled ones are one, and faces without an area change nothing', () => {
  const doubled = box(0, 0, 0, 2, 2, 2).map((ring) => [ring[0]!, ...ring]);
  const flat: Point[] = [
    [0, 0, 0],
    [1, 0, 0],
    [2, 0, 0],
  ];
  const far = (ring: Point[]) => ring.map(([x, y, z]): Point => [x + 1000, y - 500, z]);
  assert.equal(solidOf(doubled).length, 12);
  const solid = solidOf([...doubled, flat].map(far), [1000, -500]);
  assert.equal(meet(solid, boxOf([1, 1, 1, 9, 9, 9])), true);
  assert.equal(meet(solid, boxOf([2, 1, 1, 9, 9, 9])), false);
});

test('corners that are written twice, or nearer than the tolerance, cut a face as those written once', () => {
  const faces = box(0, 0, 0, 2, 2, 2);
  const near = ([x, y, z]: Point): Point => [x + SOLID_CORNER / 2, y, z];
  const once = solidOf(faces);
  assert.deepEqual(solidOf(faces.map((ring) => ring.flatMap((point) => [point, point]))), once);
  assert.deepEqual(solidOf(faces.map((ring) => ring.flatMap((point) => [point, near(point)]))), once);
  // Of three corners only two are left.
  const sliver: Point[] = [[0, 0, 0], near([0, 0, 0]), [2, 0, 0]];
  assert.deepEqual(solidOf([...faces, sliver]), once);
});
