import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LocalPlane, ringArea } from './local-plane.ts';
import { type Outline, outlineOf } from './outline.ts';

const plane = new LocalPlane(139.7, 35.6);
/** A square with its lower left corner at a place, counter-clockwise. */
const square = (x: number, y: number, side: number) =>
  Float64Array.of(x, y, x + side, y, x + side, y + side, x, y + side);
const turned = (ring: Float64Array) => {
  const corners = Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i]!, ring[2 * i + 1]!]);
  return Float64Array.from(corners.reverse().flat());
};
const areaOf = (ring: ReadonlyArray<readonly [number, number]>) => ringArea(plane.ring(ring.flat()));

function polygonsOf(outline: Outline | null) {
  if (outline === null) return [];
  return outline.type === 'Polygon' ? [outline.coordinates] : outline.coordinates;
}

test('a ring of either direction becomes a closed polygon that runs counter-clockwise', () => {
  fc.assert(
    fc.property(
      fc.tuple(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -200, max: 200 })),
      fc.integer({ min: 1, max: 90 }),
      fc.boolean(),
      ([x, y], side, isTurned) => {
        const ring = square(x, y, side);
        const [polygon, ...others] = polygonsOf(outlineOf([isTurned ? turned(ring) : ring], plane));
        assert.equal(others.length, 0);
        const [exterior] = polygon!;
        assert.equal(exterior!.length, 5);
        assert.deepEqual(exterior![0], exterior!.at(-1));
        const area = areaOf(exterior!);
        assert.ok(Math.abs(area - side * side) < 0.02 * 4 * side + 0.01, `${area} for ${side * side}`);
      },
    ),
  );
});

test('holes belong to the smallest exterior around them, and run the other way', () => {
  const rings = [
    square(0, 0, 100),
    turned(square(10, 10, 60)),
    square(20, 20, 40),
    turned(square(30, 30, 10)),
  ];
  const outline = outlineOf([...rings, square(200, 0, 5)], plane)!;
  assert.equal(outline.type, 'MultiPolygon');
  const polygons = polygonsOf(outline).map((polygon) =>
    polygon.map((ring) => Math.round(areaOf(ring) / 5) * 5),
  );
  assert.deepEqual(
    polygons.sort((a, b) => a[0]! - b[0]!),
    [[25], [1600, -100], [10000, -3600]],
  );
});

test('a hole is found inside whatever corner its exterior begins at', () => {
  const begunAt = (ring: Float64Array, corner: number) =>
    Float64Array.from({ length: ring.length }, (_, i) => ring[(i + 2 * corner) % ring.length]!);
  const hole = turned(square(10, 10, 20));
  for (let corner = 0; corner < 4; corner++) {
    for (const [x, y] of [
      [0, 0],
      [-60, 0],
      [0, -60],
    ] as const) {
      const around = begunAt(square(x, y, 100), corner);
      // Smaller, so that it is asked first, and on each side of the hole in turn
      const others = [square(-40, 12, 15), square(50, 12, 15), square(12, 50, 15), square(12, -40, 15)];
      for (const other of others.map((ring) => begunAt(ring, corner))) {
        const polygons = polygonsOf(outlineOf([around, other, hole], plane));
        assert.deepEqual(
          polygons.map((rings) => rings.length),
          [1, 2],
          `corner ${corner}`,
        );
      }
    }
  }
});

test('a hole belongs to the side of a slanting edge on which it lies', () => {
  const size = fc.integer({ min: 40, max: 400 });
  const share = fc.integer({ min: 5, max: 90 });
  fc.assert(
    fc.property(size, size, share, share, fc.boolean(), fc.nat(2), (w, h, east, north, isMirrored, start) => {
      fc.pre(Math.abs(east + north - 100) > 5);
      const [x, y] = [(w * east) / 100, (h * north) / 100];
      const mirrored = (ring: number[]) =>
        isMirrored ? turned(Float64Array.from(ring, (value, i) => (i % 2 === 0 ? -value : value))) : ring;
      const begun = (ring: number[]) => [...ring.slice(2 * start), ...ring.slice(0, 2 * start)];
      const [near, far] = [
        [0, 0, w, 0, 0, h],
        [w, 0, w, h, 0, h],
      ].map((ring) => Float64Array.from(mirrored(begun(ring))));
      const hole = turned(Float64Array.from(mirrored([...square(x, y, 0.1)])));
      const polygons = polygonsOf(outlineOf([near!, far!, hole], plane));
      const own = polygons.find((rings) => rings.length === 2)![0]!;
      const isNear = own.some(([lng, lat]) => Math.abs(plane.x(lng)) + Math.abs(plane.y(lat)) < 0.1);
      assert.equal(isNear, east + north < 100);
    }),
  );
});

test('a triangle is a polygon, and parts of less than a square metre are parts', () => {
  const triangle = polygonsOf(outlineOf([Float64Array.of(0, 0, 9, 0, 0, 9)], plane));
  assert.deepEqual(
    triangle.map((rings) => rings.map((ring) => ring.length)),
    [[4]],
  );
  const small = outlineOf([square(0, 0, 0.5), square(5, 5, 0.9), turned(square(5.3, 5.3, 0.3))], plane);
  assert.deepEqual(
    polygonsOf(small).map((rings) => rings.map((ring) => Math.sign(areaOf(ring)) * ring.length)),
    [[5], [5, -5]],
  );
  const flat = Float64Array.of(0, 0, 5, 5, 9, 9);
  assert.deepEqual(polygonsOf(outlineOf([square(0, 0, 9), flat], plane)).length, 1, 'without an area');
});

test('nothing has no outline, nor has what has too many corners', () => {
  assert.equal(outlineOf([], plane), null);
  assert.equal(outlineOf([Float64Array.of(0, 0, 1, 1)], plane), null);
  assert.equal(outlineOf([turned(square(0, 0, 5)), turned(square(9, 9, 5))], plane), null, 'holes alone');
  const circle = (n: number) =>
    Float64Array.from({ length: 2 * n }, (_, i) => {
      const angle = (2 * Math.PI * (i >> 1)) / n;
      return 50 * (i % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
    });
  assert.equal(outlineOf([circle(2_001)], plane), null);
  assert.equal(polygonsOf(outlineOf([circle(2_000)], plane))[0]![0]!.length, 2_001);
});

test('an exterior with its holes alone is one polygon, with seven decimal places', () => {
  const outline = outlineOf([square(0, 0, 100), turned(square(10, 10, 60))], plane)!;
  assert.equal(outline.type, 'Polygon');
  assert.deepEqual(
    polygonsOf(outline).map((polygon) => polygon.map((ring) => Math.round(areaOf(ring) / 50) * 50)),
    [[10_000, -3_600]],
  );
  const numbers = polygonsOf(outline).flat(3);
  assert.ok(numbers.every((number) => Number(number.toFixed(7)) === number));
  assert.ok(numbers.some((number) => Number(number.toFixed(6)) !== number));
  assert.equal(
    outlineOf([turned(square(0, 0, 9)), turned(square(20, 0, 9))], plane),
    null,
    'holes of nothing',
  );
  assert.equal(outlineOf([Float64Array.of(0, 0, 1, 1)], plane), null);
});
