import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { areaOfCut, triangulate } from './triangulate.ts';

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
const angle = fc.double({ min: 0, max: 6.3, noNaN: true });

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
