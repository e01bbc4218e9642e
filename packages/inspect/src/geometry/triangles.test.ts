import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cross, type Triangle, trianglesCross } from './triangles.ts';

type Point = readonly [x: number, y: number, z: number];
const [ONE, OTHER]: Triangle[] = [
  [0, 1, 2],
  [3, 4, 5],
];
const FLAT: Point[] = [
  [0, 0, 0],
  [10, 0, 0],
  [0, 10, 0],
];

/** Whether the flat triangle and another one cross, whichever of both comes first and however corners turn. */
function crosses(...other: Point[]): boolean {
  const found = new Set<boolean>();
  for (const turn of [
    (p: Point) => p,
    ([x, y, z]: Point): Point => [z, x, y],
    ([x, y, z]: Point): Point => [y, z, x],
  ]) {
    for (const corners of [other, other.toReversed(), [other[1]!, other[2]!, other[0]!]]) {
      const positions = [...FLAT, ...corners].flatMap((point) => [...turn(point)]);
      for (const [a, b] of [
        [ONE!, OTHER!],
        [OTHER!, ONE!],
      ] as const) {
        found.add(cross(a, b, positions));
        found.add(trianglesCross([a, b], positions));
      }
    }
  }
  assert.equal(found.size, 1, 'the same in every order');
  return [...found][0]!;
}

test('triangles cross where one goes through the inside of the other', () => {
  assert.ok(crosses([2, 2, -1], [3, 2, 1], [2, 3, 1]), 'an edge pierces it');
  assert.ok(crosses([-5, 2, -1], [20, 2, -1], [5, 2, 3]), 'its own edges pierce the other');
  assert.ok(!crosses([2, 2, 1], [3, 2, 1], [2, 3, 2]), 'above');
  assert.ok(!crosses([20, 20, -1], [21, 20, 1], [20, 21, 1]), 'beside, through the same plane');
  assert.ok(!crosses([8, 8, -1], [9, 8, 1], [8, 9, 1]), 'beside, within its box');
});

test('touching is no crossing', () => {
  assert.ok(!crosses([2, 2, 0], [3, 2, 5], [2, 3, 5]), 'with a corner');
  assert.ok(!crosses([2, 2, 0], [3, 2, 0], [2, 3, 5]), 'with an edge');
  assert.ok(!crosses([5, 0, -1], [5, 0, 1], [5, -5, 0]), 'at an edge');
  assert.ok(!crosses([0, 0, -1], [0, 0, 1], [-5, -5, 0]), 'at a corner');
});

test('in one plane they cross where they overlap', () => {
  assert.ok(crosses([2, 2, 0], [20, 2, 0], [2, 20, 0]), 'edges cross');
  assert.ok(crosses([1, 1, 0], [2, 1, 0], [1, 2, 0]), 'one within the other');
  assert.ok(crosses([-50, -50, 0], [90, -50, 0], [-50, 90, 0]), 'around the other');
  assert.ok(!crosses([10, 10, 0], [20, 10, 0], [10, 20, 0]), 'beside');
  assert.ok(!crosses([0, 0, 0], [10, 0, 0], [5, -9, 0]), 'along an edge');
  assert.ok(!crosses([7, 7, 0], [9, 7, 0], [7, 9, 0]), 'beside, boxes overlap');
});

test('a pair of many that crosses is found, and those that share a corner do not count', () => {
  const at = (x: number, z: number): Point[] => FLAT.map(([a, b, c]) => [a + x, b, c + z]);
  const apart = [0, 1, 2, 3].flatMap((i) => at(i * 5, i));
  const numbers = (count: number) =>
    Array.from({ length: count }, (_, i): Triangle => [3 * i, 3 * i + 1, 3 * i + 2]);
  assert.equal(trianglesCross(numbers(4), apart.flat()), false);
  const through: Point[] = [
    [17, 2, 2],
    [18, 2, 4],
    [17, 3, 4],
  ];
  assert.equal(trianglesCross(numbers(5), [...apart, ...through].flat()), true);
  assert.equal(trianglesCross(numbers(5).toReversed(), [...apart, ...through].flat()), true);
  const shared = [...FLAT, [3, 3, -1], [3, 4, 1]] as Point[];
  assert.equal(trianglesCross([ONE!, [0, 3, 4]], shared.flat()), false);
  assert.equal(trianglesCross([], []), false);
});

test('what crosses has points of both on the other, found by many points of its edges', () => {
  const coordinate = fc.integer({ min: -6, max: 6 });
  const corner = fc.tuple(coordinate, coordinate, coordinate);
  fc.assert(
    fc.property(fc.array(corner, { minLength: 6, maxLength: 6 }), (points) => {
      const positions = points.flat();
      const sub = (a: number[], b: number[]) => a.map((value, i) => value - b[i]!);
      const product = (a: number[], b: number[]) => [
        a[1]! * b[2]! - a[2]! * b[1]!,
        a[2]! * b[0]! - a[0]! * b[2]!,
        a[0]! * b[1]! - a[1]! * b[0]!,
      ];
      const dot = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
      /** Whether an edge goes through the inside of a triangle (Möller and Trumbore), none of its corners on it. */
      const pierces = (from: number[], to: number[], [a, b, c]: number[][]) => {
        const [u, v, way] = [sub(b!, a!), sub(c!, a!), sub(to, from)];
        const normal = product(u, v);
        const [before, after] = [dot(normal, sub(from, a!)), dot(normal, sub(to, a!))];
        if (before * after >= 0) return false;
        const t = before / (before - after);
        const hit = from.map((value, i) => value + t * way[i]!);
        const inside = [
          [a!, b!],
          [b!, c!],
          [c!, a!],
        ].map(([p, q]) => dot(normal, product(sub(q!, p!), sub(hit, p!))));
        return inside.every((side) => side > 1e-6);
      };
      const [one, other] = [points.slice(0, 3), points.slice(3)];
      const edges = (t: number[][]) => [0, 1, 2].map((i) => [t[i]!, t[(i + 1) % 3]!] as const);
      const isPierced =
        edges(one).some(([a, b]) => pierces(a, b, other)) ||
        edges(other).some(([a, b]) => pierces(a, b, one));
      if (isPierced) assert.equal(cross(ONE!, OTHER!, positions), true);
      assert.equal(cross(ONE!, OTHER!, positions), cross(OTHER!, ONE!, positions));
    }),
    { numRuns: 300 },
  );
});
