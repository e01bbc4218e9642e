import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import fc from 'fast-check';
import { areaOfCut, NO_AREA, triangulate } from './triangulate.ts';

type Vec3 = [number, number, number];

/** A turn of space by two angles. */
function turned([x, y, z]: Vec3, a: number, b: number): Vec3 {
  const [u, v] = [x * Math.cos(a) - y * Math.sin(a), x * Math.sin(a) + y * Math.cos(a)];
  return [u, v * Math.cos(b) - z * Math.sin(b), v * Math.sin(b) + z * Math.cos(b)];
}

function areaOf(points: Float64Array, triangles: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = triangles.slice(i, i + 3).map((k) => points.subarray(3 * k, 3 * k + 3)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const u = [0, 1, 2].map((k) => b[k]! - a[k]!) as Vec3;
    const v = [0, 1, 2].map((k) => c[k]! - a[k]!) as Vec3;
    sum += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
  }
  return sum;
}

/** Star-shaped polygons around the origin: distances from it at equal angles. */
const stars = fc.array(fc.double({ min: 1, max: 20, noNaN: true }), { minLength: 3, maxLength: 24 });
const angle = evenly(0, 6.3);

test('triangles cover a polygon with a hole exactly, seen from where its normal points to', () => {
  fc.assert(
    fc.property(stars, angle, angle, fc.boolean(), (distances, a, b, hasHole) => {
      const at = (radius: number, i: number): Vec3 => {
        const phi = (2 * Math.PI * i) / distances.length;
        return [radius * Math.cos(phi), radius * Math.sin(phi), 0];
      };
      const outer = distances.map(at);
      const hole = hasHole ? [at(0.2, 2), at(0.2, 1), at(0.2, 0)] : [];
      if (hasHole && distances.length === 3) hole.length = 0;
      const points = Float64Array.from([...outer, ...hole].flatMap((point) => turned(point, a, b)));
      const ends = hole.length === 0 ? [outer.length] : [outer.length, outer.length + 3];
      const cut = triangulate(points, 0, Uint32Array.from(ends));
      assert.ok(typeof cut === 'object');
      const shoelace = (ring: Vec3[]) =>
        Math.abs(
          ring.reduce(
            (sum, [x, y], i) =>
              sum + x * ring[(i + 1) % ring.length]![1] - y * ring[(i + 1) % ring.length]![0],
            0,
          ),
        ) / 2;
      const expected = shoelace(outer) - (hole.length === 0 ? 0 : shoelace(hole));
      assert.ok(Math.abs(areaOf(points, cut.triangles) / expected - 1) < 1e-6);
      const up = turned([0, 0, 1], a, b);
      assert.ok(Math.hypot(...cut.normal.map((value, i) => value - up[i]!)) < 1e-6);
      assert.equal(cut.bent, false);
      const area = areaOfCut(points, 0, Uint32Array.from(ends), cut);
      assert.ok(Math.abs(area.rings / expected - 1) < 1e-6 && Math.abs(area.triangles / expected - 1) < 1e-6);
      assert.equal(area.crosses, false);
      // Of many triangles, a half is not taken for all.
      const half = cut.triangles.slice(0, 3 * Math.floor(cut.triangles.length / 6));
      const covered = areaOf(points, half);
      const halved = areaOfCut(points, 0, Uint32Array.from(ends), { ...cut, triangles: half });
      if (points.length > 9) assert.equal(halved.crosses, expected - covered > 0.1 + 0.01 * expected);
    }),
  );
});

test('what has no area has no triangles, and a bent polygon says so', () => {
  const line = Float64Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2);
  assert.equal(triangulate(line, 0, Uint32Array.of(3)), 'tiny');
  const bent = Float64Array.of(0, 0, 0, 5, 0, 1, 5, 5, 0, 0, 5, 1);
  const cut = triangulate(bent, 0, Uint32Array.of(4));
  assert.ok(typeof cut === 'object' && cut.bent);
});

test('rings that cross are told from lines and from small things, and what is drawn of them is known', () => {
  const flat = (...corners: Array<[number, number]>) =>
    Float64Array.from(corners.flatMap(([x, y]) => [x, y, 0]));
  assert.equal(triangulate(flat([0, 0], [10, 10], [10, 0], [0, 10]), 0, Uint32Array.of(4)), 'crossed');
  for (const line of [
    flat([0, 0], [10, 10], [5, 5], [0, 1e-5]),
    flat([0, 0], [0.01, 0.01], [0.01, 0], [0, 0.01]),
    // As wide as rounding to centimetres makes it.
    flat([0, 0], [100, 0.01], [100, 0], [0, 0.01]),
  ])
    assert.equal(triangulate(line, 0, Uint32Array.of(line.length / 3)), 'tiny');
  const uneven = flat([0, 0], [20, 10], [20, 0], [0, 20]);
  const cut = triangulate(uneven, 0, Uint32Array.of(4));
  assert.ok(typeof cut === 'object');
  const { crosses, triangles, rings } = areaOfCut(uneven, 0, Uint32Array.of(4), cut);
  assert.deepEqual([crosses, triangles > rings], [true, true]);
});

const minus = (a: ArrayLike<number>, b: ArrayLike<number>): Vec3 => [
  a[0]! - b[0]!,
  a[1]! - b[1]!,
  a[2]! - b[2]!,
];
const cross = (u: Vec3, v: Vec3): Vec3 => [
  u[1] * v[2] - u[2] * v[1],
  u[2] * v[0] - u[0] * v[2],
  u[0] * v[1] - u[1] * v[0],
];

/** Corners of each triangle. */
function cornersOf(points: Float64Array, triangles: readonly number[]): Array<[Vec3, Vec3, Vec3]> {
  const at = (k: number) => [...points.subarray(3 * k, 3 * k + 3)] as Vec3;
  return Array.from({ length: triangles.length / 3 }, (_, i) => [
    at(triangles[3 * i]!),
    at(triangles[3 * i + 1]!),
    at(triangles[3 * i + 2]!),
  ]);
}

test('triangles are counter-clockwise, of positions of the polygon alone, and as many as its corners ask for', () => {
  fc.assert(
    fc.property(stars, angle, angle, fc.nat(4), (distances, a, b, from) => {
      // Straight corners fall away, so that there are none.
      const ring = distances.map((radius, i): Vec3 => {
        const phi = (2 * Math.PI * i) / distances.length;
        return [radius * Math.cos(phi), radius * Math.sin(phi), 7];
      });
      const before = Array.from({ length: from }, (): Vec3 => [900, -900, 900]);
      const points = Float64Array.from([...before, ...ring.map((point) => turned(point, a, b))].flat());
      const cut = triangulate(points, from, Uint32Array.of(from + ring.length));
      assert.ok(typeof cut === 'object');
      assert.equal(cut.triangles.length, 3 * (ring.length - 2));
      assert.ok(cut.triangles.every((k) => k >= from && k < from + ring.length));
      assert.equal(new Set(cut.triangles).size, ring.length, 'each corner is used');
      let twice = 0;
      for (const [p, q, r] of cornersOf(points, cut.triangles)) {
        const face = cross(minus(q, p), minus(r, p));
        const seen = face.reduce((sum, value, k) => sum + value * cut.normal[k]!, 0);
        assert.ok(seen > -1e-9, `${seen} m² as seen from where the normal points to`);
        twice += seen;
      }
      assert.ok(Math.abs(twice / 2 / cut.outerArea - 1) < 1e-9);
    }),
  );
});

test('a polygon of four corners is cut inside, whichever of them is a dent', () => {
  // A dart: its fourth corner lies within the triangle of the others.
  const dart: Vec3[] = [
    [0, 0, 0],
    [10, 0, 0],
    [3, 3, 0],
    [0, 10, 0],
  ];
  const square: Vec3[] = [
    [0, 0, 0],
    [10, 0, 0],
    [10, 10, 0],
    [0, 10, 0],
  ];
  for (const [ring, area] of [
    [dart, 30],
    [square, 100],
  ] as const) {
    for (let first = 0; first < 4; first++) {
      for (const [a, b] of [
        [0, 0],
        [0.4, 1.6],
        [2.1, 3],
        [1.6, 1.6],
      ] as const) {
        const points = Float64Array.from(ring.flatMap((_, i) => turned(ring[(first + i) % 4]!, a, b)));
        const cut = triangulate(points, 0, Uint32Array.of(4));
        assert.ok(typeof cut === 'object');
        assert.equal(cut.triangles.length, 6);
        assert.ok(Math.abs(areaOf(points, cut.triangles) - area) < 1e-9, `corner ${first}, ${a}, ${b}`);
        const normals = cornersOf(points, cut.triangles).map(([p, q, r]) => cross(minus(q, p), minus(r, p)));
        for (const normal of normals) {
          assert.ok(normal.reduce((sum, value, k) => sum + value * cut.normal[k]!, 0) > 0);
        }
      }
    }
  }
});

test('polygons have a least area and width, and are bent from ten centimetres on', () => {
  const flat = (...corners: Array<[number, number]>) =>
    Float64Array.from(corners.flatMap(([x, y]) => [x, y, 0]));
  const oblong = (width: number, height: number) => flat([0, 0], [width, 0], [width, height], [0, height]);
  const cut = (points: Float64Array, least?: number) => {
    const result = triangulate(points, 0, Uint32Array.of(points.length / 3), least);
    return typeof result === 'object' ? result.triangles.length / 3 : result;
  };
  assert.equal(cut(oblong(0.0101, 0.0101)), 2);
  assert.equal(cut(oblong(0.0099, 0.0099)), 'tiny');
  assert.equal(cut(oblong(0.0099, 0.0099), NO_AREA), 2);
  assert.equal(cut(oblong(0.00032, 0.00032), NO_AREA), 2);
  assert.equal(cut(oblong(0.00031, 0.00031), NO_AREA), 'tiny');
  // Of a metre's length, and as narrow as a twentieth of a millimetre.
  assert.equal(cut(oblong(1, 0.000_051), NO_AREA), 2);
  assert.equal(cut(oblong(1, 0.000_049), NO_AREA), 'tiny');
  assert.equal(cut(oblong(3, 0.000_049)), 2, 'from a square centimetre on it is as narrow as it likes');
  const saddle = (height: number) => Float64Array.of(0, 0, 0, 9, 0, height, 9, 9, 0, 0, 9, height);
  for (const [height, expected] of [
    [0.19, false],
    [0.21, true],
    [-0.21, true],
  ] as const) {
    const bent = triangulate(saddle(height), 0, Uint32Array.of(4));
    assert.equal(typeof bent === 'object' && bent.bent, expected, `${height} m`);
  }
  const triangle = triangulate(Float64Array.of(0, 0, 0, 3, 0, 0, 0, 0, 4), 0, Uint32Array.of(3));
  assert.deepEqual(triangle, { triangles: [0, 1, 2], normal: [0, -1, 0], bent: false, outerArea: 6 });
});

test('halves that take each other away cross from five centimetres of width on; a thinner ring is a line', () => {
  // A bow tie: its halves run opposite ways.
  const bow = (length: number, width: number) =>
    triangulate(Float64Array.of(0, 0, 0, length, width, 0, length, 0, 0, 0, width, 0), 0, Uint32Array.of(4));
  for (const length of [3, 10, 40]) {
    assert.equal(bow(length, 0.052), 'crossed', `${length} m`);
    assert.equal(bow(length, 0.048), 'tiny', `${length} m`);
  }
  assert.equal(bow(0.009, 0.009), 'tiny');
});

test('rings cross where areas by rings and by triangles differ by a tenth of a square metre and a hundredth', () => {
  // The square, then corners of smaller ones, of which triangles may be made instead.
  const points = (width: number) =>
    Float64Array.of(
      0,
      0,
      0,
      10,
      0,
      0,
      10,
      10,
      0,
      0,
      10,
      0,
      ...[0, 0, 0, width, 0, 0, width, 10, 0, 0, 10, 0],
    );
  const of = (width: number, bent = false) =>
    areaOfCut(points(width), 0, Uint32Array.of(4), {
      ...{ triangles: [4, 5, 6, 4, 6, 7], normal: [0, 0, 1] as Vec3, bent, outerArea: 100 },
    });
  assert.deepEqual(of(10), { rings: 100, triangles: 100, crosses: false });
  assert.deepEqual(
    [9.895, 9.885, 10.105, 10.115].map((width) => of(width).crosses),
    [false, true, false, true],
  );
  assert.equal(of(5, true).crosses, false, 'a bent polygon has more area than its plane');
  const hole = Float64Array.of(0, 0, 0, 10, 0, 0, 10, 10, 0, 0, 10, 0, 1, 1, 0, 1, 3, 0, 3, 3, 0, 3, 1, 0);
  const ends = Uint32Array.of(4, 8);
  const cut = triangulate(hole, 0, ends);
  assert.ok(typeof cut === 'object');
  const area = areaOfCut(hole, 0, ends, cut);
  assert.ok(Math.abs(area.rings - 96) < 1e-9 && Math.abs(area.triangles - 96) < 1e-9);
});
