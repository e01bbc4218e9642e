import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vec3 } from '@citymodel/geo';
import fc from 'fast-check';
import { SUN } from './exposure.ts';
import { HeightMap, unit } from './height-map.ts';

const WHITE = { factor: [1, 1, 1, 1], colours: null } as const;
const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const triangle = (corners: readonly Vec3[]) => ({
  ...WHITE,
  positions: Float32Array.from(corners.flat()),
  indices: Uint32Array.from(corners, (_, i) => i),
});

test('a map keeps lengths and angles, has its middle in its middle, and looks from where it is told to', () => {
  // Whole numbers lie evenly: most floating-point numbers are tiny.
  const number = fc.integer({ min: -5_000, max: 5_000 }).map((value) => value / 100);
  const point = fc.tuple(number, number, number);
  const toward = fc
    .tuple(number, number, number)
    .filter((vector) => Math.hypot(...vector) > 1)
    .map(unit)
    // Nearly upright directions take the axis of upright ones.
    .filter(([, , up]) => Math.abs(up) < 0.98);
  fc.assert(
    fc.property(toward, point, point, (toward, a, b) => {
      const map = new HeightMap(toward, 80, 32);
      assert.ok([...map.cell(0, 0, 0, new Float64Array(3))].every((value, i) => value === [16, 16, 0][i]));
      const cell = 160 / 32;
      const placeOf = ([x, y, z]: Vec3) => {
        const [column, row, height] = map.cell(x, y, z, new Float64Array(3));
        return [(column! - 16) * cell, (row! - 16) * cell, height!];
      };
      const [here, there] = [placeOf(a), placeOf(b)];
      assert.ok(Math.abs(dot(here, there) - dot(a, b)) < 1e-6 * (1 + Math.abs(dot(a, b)) + 1_000));
      assert.ok(Math.abs(here[2]! - dot(a, toward)) < 1e-9 * 100);
    }),
  );
  // From above, columns go east; rows turn with them into what looks down.
  const above = new HeightMap([0, 0, 1], 10, 20);
  assert.deepEqual([...above.cell(1, 2, 3, new Float64Array(3))], [11, 12, 3]);
  assert.deepEqual([above.reach, above.size, above.heights.length], [10, 20, 400]);
});

test('each cell has what is highest over its middle, of all triangles', () => {
  const number = fc.integer({ min: -1_400, max: 1_400 }).map((value) => Math.fround(value / 100 + 0.003));
  const corner = fc.tuple(number, number, number);
  const triangles = fc.array(fc.tuple(corner, corner, corner), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(triangles, fc.constantFrom<Vec3>([0, 0, 1], SUN), (list, toward) => {
      const map = new HeightMap(toward, 10, 8);
      for (const corners of list) map.draw(triangle(corners));
      const placed = list.map((corners) =>
        corners.map(([x, y, z]) => [...map.cell(x, y, z, new Float64Array(3))] as Vec3),
      );
      for (let row = 0; row < 8; row++) {
        for (let column = 0; column < 8; column++) {
          let highest = -Infinity;
          let isUnsure = false;
          for (const [a, b, c] of placed as Array<[Vec3, Vec3, Vec3]>) {
            const twice = (p: readonly number[], q: readonly number[], r: readonly number[]) =>
              (q[0]! - p[0]!) * (r[1]! - p[1]!) - (r[0]! - p[0]!) * (q[1]! - p[1]!);
            const middle = [column + 0.5, row + 0.5];
            const area = twice(a, b, c);
            const weights = [twice(b, c, middle), twice(c, a, middle), twice(a, b, middle)].map(
              (w) => w / area,
            );
            if (!(Math.abs(Math.min(...weights)) > 1e-6)) isUnsure = true;
            if (Math.min(...weights) >= 0) highest = Math.max(highest, dot(weights, [a[2], b[2], c[2]]));
          }
          if (isUnsure) continue;
          const found = map.at(column + 0.3, row + 0.9);
          if (highest === -Infinity) assert.equal(found, -Infinity);
          else assert.ok(Math.abs(found - highest) < 1e-3, `${found}, not ${highest}`);
        }
      }
    }),
    { numRuns: 80 },
  );
});

test('outside of a map nothing is high', () => {
  const map = new HeightMap([0, 0, 1], 10, 4);
  map.heights.fill(7);
  assert.deepEqual([map.at(0, 0), map.at(3.99, 3.99)], [7, 7]);
  for (const [column, row] of [
    [-0.1, 0],
    [0, -0.1],
    [4, 0],
    [0, 4],
  ] as const) {
    assert.equal(map.at(column, row), -Infinity);
  }
});

test('what is seen through throws no shadow, and neither does a wall of no width', () => {
  const corners: Vec3[] = [
    [-50, -50, 3],
    [50, -50, 3],
    [0, 90, 3],
  ];
  const isDrawn = (changes: object) => {
    const map = new HeightMap([0, 0, 1], 10, 4);
    map.draw({ ...triangle(corners), ...changes });
    return map.at(1, 1) === 3;
  };
  const opacity = (value: number) => Float32Array.from([1, 1, 1, value, 1, 1, 1, 1, 1, 1, 1, 1]);
  assert.equal(isDrawn({}), true);
  assert.equal(isDrawn({ factor: [0, 0, 0, 0.99] }), true);
  assert.equal(isDrawn({ factor: [0, 0, 0, 0.97] }), false);
  assert.equal(isDrawn({ colours: opacity(0.99) }), true);
  assert.equal(isDrawn({ colours: opacity(0.97) }), false);
  const map = new HeightMap([0, 0, 1], 10, 4);
  map.draw(
    triangle([
      [-50, 2.5, 3],
      [50, 2.5, 3],
      [0, 2.5, 30],
    ]),
  );
  assert.ok(map.heights.every((height) => height === -Infinity));
});

test('a map is the same whatever length its direction has', () => {
  const corners: Vec3[] = [
    [-4, -3, 2],
    [5, -1, 7],
    [0, 6, 1],
  ];
  for (const direction of [[0, 0, 1], SUN] as const) {
    const [one, other] = [1, 2.5].map((length) => {
      const map = new HeightMap(direction.map((part) => part * length) as Vec3, 10, 8);
      map.draw(triangle(corners));
      return [...map.heights, ...map.cell(1, 2, 3, new Float64Array(3))];
    });
    assert.ok(one!.some(Number.isFinite));
    for (const [i, value] of one!.entries())
      assert.ok(value === other![i] || Math.abs(value - other![i]!) < 1e-6, `${value} and ${other![i]}`);
  }
});
