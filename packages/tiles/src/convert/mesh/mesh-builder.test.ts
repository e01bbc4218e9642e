import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MeshBuilder } from './mesh-builder.ts';

type Vertex = [
  place: readonly [number, number, number],
  normal: readonly [number, number, number],
  uv: readonly [number, number],
  colour: number,
  feature: number,
];

const WHITE = 0xffffffff;
const UP = [0, 0, 1] as const;

function add(builder: MeshBuilder, [[x, y, z], normal, [u, v], colour, feature]: Vertex): number {
  return builder.vertex(x, y, z, normal, u, v, colour, feature);
}

/** Values that are apart by more than what counts as equal, so that a slow comparison is exact. */
const vertex = fc.tuple(
  fc.constantFrom([0, 0, 0], [0.25, 0, 0], [0, 0.25, -7], [0, 0, 0.25]) as fc.Arbitrary<Vertex[0]>,
  fc.constantFrom(UP, [1, 0, 0] as const, [0, -1, 0] as const) as fc.Arbitrary<Vertex[1]>,
  fc.constantFrom([0, 0], [0.5, 0], [0, 0.5]) as fc.Arbitrary<Vertex[2]>,
  fc.constantFrom(WHITE, 0xff000080),
  fc.constantFrom(0, 1, 65_535),
);

test('equal vertices are one, and everything that is told of them stays', () => {
  fc.assert(
    fc.property(fc.array(vertex, { minLength: 3, maxLength: 400 }), fc.boolean(), (vertices, textured) => {
      const builder = new MeshBuilder(textured, null);
      const known = new Map<string, number>();
      const numbers = vertices.map((one) => {
        const number = add(builder, one);
        const key = JSON.stringify(textured ? one : one.with(2, [0, 0]));
        if (!known.has(key)) known.set(key, known.size);
        assert.equal(number, known.get(key));
        return number;
      });
      assert.equal(builder.vertices, known.size);
      const triangles: number[] = [];
      for (let i = 0; i + 2 < numbers.length; i++) {
        const corners = numbers.slice(i, i + 3);
        builder.triangle(corners[0]!, corners[1]!, corners[2]!);
        if (new Set(corners).size === 3) triangles.push(...corners);
      }
      const mesh = builder.finish();
      if (triangles.length === 0) return assert.equal(mesh, null);
      const all = [...known.keys()].map((key) => JSON.parse(key) as Vertex);
      assert.deepEqual([...mesh!.indices], triangles);
      assert.deepEqual(
        [...mesh!.positions],
        all.flatMap(([place]) => place),
      );
      assert.deepEqual(
        [...mesh!.normals],
        all.flatMap(([, normal]) => normal),
      );
      assert.deepEqual(
        [...mesh!.features],
        all.map(([, , , , feature]) => feature),
      );
      const uvs = textured ? all.flatMap(([, , uv]) => uv) : null;
      assert.deepEqual(mesh!.uvs && [...mesh!.uvs], uvs);
      const colours = all.map(([, , , colour]) => colour);
      const bytes = colours.flatMap((colour) => [24, 16, 8, 0].map((by) => (colour >>> by) & 0xff));
      assert.deepEqual(
        mesh!.colours && [...mesh!.colours],
        colours.every((one) => one === WHITE) ? null : bytes,
      );
    }),
    { numRuns: 40 },
  );
});

test('a mesh of many vertices and triangles is whole', () => {
  const builder = new MeshBuilder(true, null);
  const count = 5_000;
  const numbers = Array.from({ length: count }, (_, n) =>
    add(builder, [[n, 2 * n, -n], UP, [n / count, 0], n === 0 ? 1 : WHITE, n % 7]),
  );
  for (let n = 0; n + 2 < count; n++) builder.triangle(numbers[n]!, numbers[n + 1]!, numbers[n + 2]!);
  // All are found again.
  assert.equal(add(builder, [[4_321, 8_642, -4_321], UP, [4_321 / count, 0], WHITE, 4_321 % 7]), 4_321);
  const mesh = builder.finish()!;
  assert.deepEqual(
    [mesh.positions, mesh.normals, mesh.uvs!, mesh.colours!, mesh.features, mesh.indices].map(
      ({ length }) => length,
    ),
    [3 * count, 3 * count, 2 * count, 4 * count, count, 3 * (count - 2)],
  );
  assert.deepEqual([...mesh.positions.slice(-3)], [count - 1, 2 * (count - 1), 1 - count]);
  assert.deepEqual([...mesh.indices.slice(-3)], [count - 3, count - 2, count - 1]);
});

test('places within half a millimetre are one, and those of a step are rounded to it', () => {
  const near = new MeshBuilder(false, null);
  const of = (builder: MeshBuilder, x: number) => add(builder, [[x, 0, 0], UP, [0, 0], WHITE, 0]);
  assert.deepEqual([of(near, 1), of(near, 1.0002), of(near, 1.0004)], [0, 0, 1]);
  const stepped = new MeshBuilder(false, 0.25);
  for (const x of [0.3, 0.6, -0.4]) of(stepped, x);
  stepped.triangle(0, 1, 2);
  assert.deepEqual([...stepped.finish()!.positions], [0.25, 0, 0, 0.5, 0, 0, -0.5, 0, 0]);
});

test('vertices that differ in one number alone are two, and white ones have no colours', () => {
  const base: Vertex = [[1, 2, 3], [0.5, 0.6, 0.62], [0.3, 0.4], WHITE, 5];
  const others: Vertex[] = [
    ...[0, 1, 2].map((axis) => base.with(0, base[0].with(axis, 9) as never) as Vertex),
    ...[0, 1, 2].map((axis) => base.with(1, base[1].with(axis, 0.1) as never) as Vertex),
    ...[0, 1].map((axis) => base.with(2, base[2].with(axis, 0.9) as never) as Vertex),
    base.with(4, 6) as Vertex,
  ];
  for (const other of others) {
    const builder = new MeshBuilder(true, null);
    assert.deepEqual(
      [base, other, base, other].map((one) => add(builder, one)),
      [0, 1, 0, 1],
      String(other),
    );
  }
  const white = new MeshBuilder(true, null);
  for (const one of [base, ...others]) add(white, one);
  white.triangle(0, 1, 2);
  assert.equal(white.finish()!.colours, null);
});
