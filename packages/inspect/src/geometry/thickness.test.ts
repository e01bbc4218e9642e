import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  areaVector,
  areCollinear,
  convexHull,
  directionOf,
  hullThickness,
  normalsOfSurface,
  spreadAlong,
} from './thickness.ts';

type Vector = [number, number, number];
const whole = fc.integer({ min: -9, max: 9 });
const vector = fc.tuple(whole, whole, whole);
const points = (list: ReadonlyArray<readonly number[]>) => Float64Array.from(list.flat());
const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const cross = ([a, b, c]: readonly number[], [d, e, f]: readonly number[]): Vector => [
  b! * f! - c! * e!,
  c! * d! - a! * f!,
  a! * e! - b! * d!,
];
const minus = (a: readonly number[], b: readonly number[]) => a.map((value, i) => value - b[i]!);
const near = (a: readonly number[], b: readonly number[], most = 1e-9) =>
  assert.ok(Math.hypot(...minus(a, b)) <= most, `${a} and ${b}`);

test('the area vector of a ring is the sum over a fan of triangles', () => {
  fc.assert(
    fc.property(fc.array(vector, { minLength: 3, maxLength: 8 }), (corners) => {
      const expected: Vector = [0, 0, 0];
      for (let i = 1; i + 1 < corners.length; i++) {
        const one = cross(minus(corners[i]!, corners[0]!), minus(corners[i + 1]!, corners[0]!));
        for (const axis of [0, 1, 2]) expected[axis]! += one[axis]!;
      }
      near(areaVector(points(corners)), expected);
      // Closed or not, it is the same ring.
      near(areaVector(points([...corners, corners[0]!])), expected);
    }),
  );
});

test('a direction has the length 1, and none of length 0', () => {
  assert.equal(directionOf([0, 0, 0]), null);
  fc.assert(
    fc.property(vector, (one) => {
      const direction = directionOf(one);
      if (one.every((value) => value === 0)) return assert.equal(direction, null);
      assert.ok(Math.abs(Math.hypot(...direction!) - 1) < 1e-12);
      near(cross(direction!, one), [0, 0, 0]);
      assert.ok(dot(direction!, one) > 0);
    }),
  );
});

test('the spread is that of the heights along a direction', () => {
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 8 }), vector, (list, direction) => {
      const heights = list.map((one) => dot(one, direction));
      assert.equal(spreadAlong(points(list), direction), Math.max(...heights) - Math.min(...heights));
    }),
  );
});

test('points lie on a line where no two ways between them lie across', () => {
  const mixed = fc.oneof(
    fc.array(vector, { minLength: 1, maxLength: 6 }),
    fc
      .tuple(vector, vector, fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 6 }))
      .map(([from, way, steps]) => steps.map((step) => from.map((value, i) => value + step * way[i]!))),
  );
  fc.assert(
    fc.property(mixed, (list) => {
      const ways = list.map((one) => minus(one, list[0]!));
      const expected = ways.every((a) => ways.every((b) => Math.hypot(...cross(a, b)) < 1e-9));
      assert.equal(areCollinear(points(list)), expected);
    }),
  );
});

test('a convex hull is closed, and no point is outside of a face', () => {
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 10 }), (list) => {
      const faces = convexHull(points(list));
      const ways = list.map((one) => minus(one, list[0]!));
      const isFlat = ways.every((a) => ways.every((b) => ways.every((c) => dot(cross(a, b), c) === 0)));
      assert.equal(faces.length === 0, isFlat);
      const edges = new Set(faces.flatMap(([a, b, c]) => [`${a} ${b}`, `${b} ${c}`, `${c} ${a}`]));
      assert.equal(edges.size, 3 * faces.length, 'an edge has one face on a side');
      for (const edge of edges)
        assert.ok(edges.has(edge.split(' ').reverse().join(' ')), 'and one on the other');
      let least = Infinity;
      for (const [a, b, c] of faces) {
        const outwards = cross(minus(list[b]!, list[a]!), minus(list[c]!, list[a]!));
        for (const one of list) assert.ok(dot(minus(one, list[a]!), outwards) <= 0);
        const direction = directionOf(outwards);
        if (direction !== null) least = Math.min(least, spreadAlong(points(list), direction));
      }
      const thickness = hullThickness(points(list), [0, 0, 1]);
      assert.ok(Math.abs(thickness - (isFlat ? 0 : least)) < 1e-9, `${thickness} for ${least}`);
    }),
    { numRuns: 300 },
  );
});

test('of very many points the thickness is measured along the normal', () => {
  const list = Array.from({ length: 2_001 }, (_, i): Vector => [i % 50, Math.floor(i / 50), i === 7 ? 3 : 0]);
  assert.equal(hullThickness(points(list), [0, 0, 1]), 3);
  assert.equal(hullThickness(points(list), [1, 0, 0]), 49);
  assert.ok(hullThickness(points(list.slice(0, 2_000)), [1, 0, 0]) < 3.1);
});

test('normals of a surface lie across it', () => {
  fc.assert(
    fc.property(
      vector,
      vector,
      vector,
      fc.array(fc.tuple(whole, whole), { maxLength: 5 }),
      (at, u, v, more) => {
        const across = cross(u, v);
        fc.pre(across.some((value) => value !== 0));
        const place = (s: number, t: number) => at.map((value, i) => value + s * u[i]! + t * v[i]!);
        const exterior = [place(0, 0), place(1, 0), place(1, 1), place(0, 1)];
        const all = points([...exterior, ...more.map(([s, t]) => place(s, t))]);
        const { mean, triangle } = normalsOfSurface(points(exterior), all);
        const expected = directionOf(across)!;
        near(mean, expected, 1e-9);
        // The largest triangle may be seen from either side.
        assert.ok(Math.abs(Math.abs(dot(triangle, expected)) - 1) < 1e-9);
        // An eight has no area: the triangle stands for it.
        const eight = points([place(0, 0), place(1, 1), place(1, 0), place(0, 1)]);
        const twisted = normalsOfSurface(eight, all);
        assert.deepEqual(twisted.mean, twisted.triangle);
      },
    ),
  );
  const nothing = points([[1, 2, 3]]);
  assert.deepEqual(normalsOfSurface(nothing, nothing), { mean: [0, 0, 1], triangle: [0, 0, 1] });
});
