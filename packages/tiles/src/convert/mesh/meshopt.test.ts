import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import fc from 'fast-check';
import { MeshoptDecoder } from 'meshoptimizer';
import { BufferBuilder } from './buffer-builder.ts';
import type { TriangleMesh } from './mesh-builder.ts';
import { encodeMeshopt, loadMeshopt } from './meshopt.ts';

const encoder = await loadMeshopt();
await MeshoptDecoder.ready;

interface Accessor {
  bufferView: number;
  componentType: number;
  count: number;
  type: string;
  min?: number[];
  max?: number[];
}

interface Compressed {
  byteOffset: number;
  byteLength: number;
  byteStride: number;
  count: number;
  mode: string;
  filter?: string;
}

/** The numbers of an accessor as the library decodes them, without bytes that only fill up. */
function decoded(builder: BufferBuilder, accessor: Accessor, width: number) {
  const file = new Uint8Array(builder.length);
  builder.copyTo(file, 0);
  const view = builder.views[accessor.bufferView]!;
  const { byteOffset, byteLength, byteStride, count, mode, filter } = (
    view.extensions as { EXT_meshopt_compression: Compressed }
  ).EXT_meshopt_compression;
  assert.equal(view.byteLength, count * byteStride);
  assert.equal(count, accessor.count);
  const bytes = new Uint8Array(count * byteStride);
  const source = file.subarray(byteOffset, byteOffset + byteLength);
  MeshoptDecoder.decodeGltfBuffer(bytes, count, byteStride, source, mode, filter ?? 'NONE');
  const Kind = {
    5120: Int8Array,
    5121: Uint8Array,
    5123: Uint16Array,
    5125: Uint32Array,
    5126: Float32Array,
  }[accessor.componentType]!;
  const numbers = new Kind(bytes.buffer);
  const stride = numbers.length / count;
  return Array.from({ length: count }, (_, i) => Array.from(numbers.slice(stride * i, stride * i + width)));
}

const coordinate = evenly(-3_000, 3_000);
const unit = fc
  .tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .map((vector) => vector.map((part) => part / Math.hypot(...vector)));
const vertex = fc.record({
  position: fc.tuple(coordinate, coordinate, coordinate),
  normal: unit,
  uv: fc.tuple(evenly(-4, 4), evenly(0, 1)),
  colour: fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)),
  feature: fc.nat(65_535),
});
const corners = fc.array(vertex, { minLength: 3, maxLength: 40 }).chain((vertices) =>
  fc.record({
    vertices: fc.constant(vertices),
    triangles: fc.array(fc.uniqueArray(fc.nat(vertices.length - 1), { minLength: 3, maxLength: 3 }), {
      minLength: 1,
      maxLength: 60,
    }),
    isTextured: fc.boolean(),
    isColoured: fc.boolean(),
  }),
);

test('a decoder of others finds every corner of every triangle, as exact as was asked', () => {
  fc.assert(
    fc.property(
      corners,
      fc.constantFrom(0.001, 0.01, 0.5),
      fc.constantFrom(1 / 4_096, 1 / 64),
      ({ vertices, triangles, isTextured, isColoured }, error, uvError) => {
        const mesh: TriangleMesh = {
          positions: Float32Array.from(vertices.flatMap(({ position }) => position)),
          normals: Float32Array.from(vertices.flatMap(({ normal }) => normal)),
          uvs: isTextured ? Float32Array.from(vertices.flatMap(({ uv }) => uv)) : null,
          colours: isColoured ? Uint8Array.from(vertices.flatMap(({ colour }) => colour)) : null,
          features: Uint16Array.from(vertices.map(({ feature }) => feature)),
          indices: Uint32Array.from(triangles.flat()),
        };
        const builder = new BufferBuilder();
        const options = { error, uvError, featureAttribute: '_FEATURE_ID_0' };
        const { attributes, indices } = encodeMeshopt(encoder, mesh, options, builder);
        const names = attributes.map(([name]) => name);
        assert.deepEqual(names, [
          'POSITION',
          'NORMAL',
          ...(isTextured ? ['TEXCOORD_0'] : []),
          ...(isColoured ? ['COLOR_0'] : []),
          '_FEATURE_ID_0',
        ]);
        const widths: Record<string, number> = { TEXCOORD_0: 2, COLOR_0: 4, _FEATURE_ID_0: 1 };
        const read = new Map(
          attributes.map(([name, accessor]) => [
            name,
            decoded(builder, accessor as Accessor, widths[name] ?? 3),
          ]),
        );
        const order = decoded(builder, indices as Accessor, 1).map(([index]) => index!);
        assert.equal(order.length, 3 * triangles.length);

        const close = (found: readonly number[], expected: readonly number[], most: number) =>
          found.every((value, i) => Math.abs(value - expected[i]!) <= most);
        /** Whether the vertex `i` of the file is the corner that was written. */
        const isCorner = (i: number, corner: number): boolean => {
          const { uv, colour, feature } = vertices[corner]!;
          const position = Array.from(mesh.positions.subarray(3 * corner, 3 * corner + 3));
          const normal = Array.from(mesh.normals.subarray(3 * corner, 3 * corner + 3));
          return (
            close(read.get('POSITION')![i]!, position, error * 1.001) &&
            close(
              read.get('NORMAL')![i]!.map((part) => part / 127),
              normal,
              0.03,
            ) &&
            close(read.get('TEXCOORD_0')?.[i] ?? [], uv, uvError * 1.001) &&
            close(read.get('COLOR_0')?.[i] ?? [], colour, 0) &&
            read.get('_FEATURE_ID_0')![i]![0] === feature
          );
        };
        // Triangles may come in another order, and begin with another corner; they keep the side that they show.
        const left = [...triangles];
        for (let t = 0; t < order.length; t += 3) {
          const [a, b, c] = order.slice(t, t + 3) as [number, number, number];
          const at = left.findIndex(([x, y, z]) =>
            [
              [x!, y!, z!],
              [y!, z!, x!],
              [z!, x!, y!],
            ].some(([p, q, r]) => isCorner(a, p!) && isCorner(b, q!) && isCorner(c, r!)),
          );
          assert.notEqual(at, -1, `triangle ${t / 3}`);
          left.splice(at, 1);
        }

        const positions = read.get('POSITION')!;
        const { min, max } = attributes[0]![1] as Accessor;
        for (const axis of [0, 1, 2]) {
          const values = positions.map((position) => position[axis]!);
          assert.deepEqual([min![axis], max![axis]], [Math.min(...values), Math.max(...values)]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('more vertices than 16 bits count have indices of 32', () => {
  for (const [count, componentType] of [
    [65_535, 5123],
    [65_538, 5125],
  ] as const) {
    const mesh: TriangleMesh = {
      positions: Float32Array.from({ length: 3 * count }, (_, i) => (i * 7) % 1_009),
      normals: Float32Array.from({ length: 3 * count }, (_, i) => (i % 3 === 2 ? 1 : 0)),
      uvs: null,
      colours: null,
      features: new Uint16Array(count),
      indices: Uint32Array.from({ length: count }, (_, i) => i),
    };
    const builder = new BufferBuilder();
    const { indices } = encodeMeshopt(
      encoder,
      mesh,
      { error: 0.01, uvError: 1, featureAttribute: 'F' },
      builder,
    );
    assert.equal((indices as Accessor).componentType, componentType);
    const order = decoded(builder, indices as Accessor, 1).flat();
    assert.equal(Math.max(...new Set(order)), count - 1);
  }
});
