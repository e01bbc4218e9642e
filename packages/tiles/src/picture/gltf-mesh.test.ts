import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vec3 } from '@citymodel/geo';
import fc from 'fast-check';
import { readPrimitives } from './gltf-mesh.ts';

const CORNERS: Vec3[] = [
  [1, 2, 3],
  [-4, 5, 0.5],
  [0, -2, 7],
];
/** Three positions, then three texture coordinates. */
const BIN = new Uint8Array(Float32Array.of(...CORNERS.flat(), 0, 0, 1, 0, 0.5, 1).buffer);
const UNUSED = () => assert.fail('nothing is compressed');

/** A glTF of one triangle under nodes. */
const gltf = (nodes: object[], more: object = {}) => ({
  ...{ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes },
  buffers: [{ byteLength: BIN.length }],
  bufferViews: [
    { buffer: 0, byteOffset: 0, byteLength: 36 },
    { buffer: 0, byteOffset: 36, byteLength: 24 },
  ],
  accessors: [
    { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' },
    { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' },
  ],
  meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
  ...more,
});
const read = (nodes: object[], more: object = {}, isZUp = true) =>
  readPrimitives({ json: gltf(nodes, more), bin: BIN } as never, UNUSED as never, isZUp);

async function cornersOf(nodes: object[], isZUp = true): Promise<Vec3[]> {
  const [primitive, ...others] = await read(nodes, {}, isZUp);
  assert.equal(others.length, 0);
  const { positions, indices } = primitive!;
  return Array.from(indices, (i) => [...positions.subarray(3 * i, 3 * i + 3)] as Vec3);
}

const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** A vector turned by a unit quaternion: v + 2 q × (q × v + w v). */
function turned(v: Vec3, [i, j, k, w]: readonly [number, number, number, number]): Vec3 {
  const q: Vec3 = [i, j, k];
  const once = cross(q, v).map((part, axis) => part + w * v[axis]!) as Vec3;
  const twice = cross(q, once);
  return v.map((part, axis) => part + 2 * twice[axis]!) as Vec3;
}

function assertNear(found: readonly Vec3[], expected: readonly Vec3[]): void {
  assert.equal(found.length, expected.length);
  for (const [n, corner] of expected.entries())
    for (const axis of [0, 1, 2])
      assert.ok(Math.abs(found[n]![axis]! - corner[axis]!) < 1e-4, `${found[n]} is not ${corner}`);
}

test('a node scales, then turns, then moves what it holds (glTF 2.0, section 3.5.3)', async () => {
  const number = fc.integer({ min: -90, max: 90 }).map((value) => value / 10);
  const vector = fc.tuple(number, number, number);
  const rotation = fc
    .tuple(number, number, number, number)
    .filter((values) => Math.hypot(...values) > 1)
    .map(
      (values) => values.map((value) => value / Math.hypot(...values)) as [number, number, number, number],
    );
  await fc.assert(
    fc.asyncProperty(vector, rotation, vector, async (translation, turn, scale) => {
      const expected = CORNERS.map((corner) => {
        const scaled = corner.map((part, axis) => part * scale[axis]!) as Vec3;
        return turned(scaled, turn).map((part, axis) => part + translation[axis]!) as Vec3;
      });
      assertNear(await cornersOf([{ mesh: 0, translation, rotation: turn, scale }]), expected);
    }),
    { numRuns: 40 },
  );
});

test('nodes lie in each other, matrices count by columns, and the default turns y up to z up', async () => {
  assertNear(await cornersOf([{ mesh: 0 }]), CORNERS);
  assertNear(
    await cornersOf([{ mesh: 0 }], false),
    CORNERS.map(([x, y, z]): Vec3 => [x, -z, y]),
  );
  const moved = { children: [1], translation: [10, 20, 30] };
  assertNear(
    await cornersOf([moved, { mesh: 0, scale: [2, 1, 1] }]),
    CORNERS.map(([x, y, z]): Vec3 => [2 * x + 10, y + 20, z + 30]),
  );
  // Columns: x goes to y, y to z, z to x; the last is where it is moved.
  const matrix = [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 7, 8, 9, 1];
  assertNear(
    await cornersOf([{ mesh: 0, matrix }]),
    CORNERS.map(([x, y, z]): Vec3 => [z + 7, x + 8, y + 9]),
  );
});

test('a material is its factor and its image, WebP first, by its own texture coordinates', async () => {
  const textures = [{ source: 3, extensions: { EXT_texture_webp: { source: 5 } } }, { source: 2 }];
  const material = (info: object | undefined, factor?: number[]) => ({
    materials: [{ pbrMetallicRoughness: { baseColorTexture: info, baseColorFactor: factor } }],
    textures,
  });
  const look = async (more: object) => {
    const [{ factor, image, uvs, colours }] = (await read([{ mesh: 0 }], more)) as [
      Awaited<ReturnType<typeof read>>[number],
    ];
    assert.equal(colours, null);
    return { factor, image, uvs: uvs === null ? null : [...uvs] };
  };
  const uvs = [0, 0, 1, 0, 0.5, 1];
  const white = [1, 1, 1, 1];
  assert.deepEqual(await look({}), { factor: white, image: null, uvs: null });
  assert.deepEqual(await look(material({ index: 0 })), { factor: white, image: 5, uvs });
  assert.deepEqual(await look(material({ index: 1, texCoord: 0 })), { factor: white, image: 2, uvs });
  // Coordinates that the triangles do not have.
  assert.deepEqual(await look(material({ index: 1, texCoord: 1 })), { factor: white, image: 2, uvs: null });
  const half = [0.5, 0.25, 1, 0.5];
  assert.deepEqual(await look(material(undefined, half)), { factor: half, image: null, uvs: null });
});

test('lines and points are left out; indices without a vertex and nodes in themselves are refused', async () => {
  const primitive = (part: object) => ({
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, ...part }] }],
  });
  for (const mode of [0, 1, 5]) assert.deepEqual(await read([{ mesh: 0 }], primitive({ mode })), []);
  assert.equal((await read([{ mesh: 0 }], primitive({ mode: 4 }))).length, 1);
  assert.deepEqual(await read([{}, { mesh: 0 }]), [], 'a node outside of the scene');
  await assert.rejects(read([{ children: [0], mesh: 0 }]), /too many nodes/);
  // Bytes of the first position: 0, 0 and 128.
  const { accessors } = gltf([]);
  const indices = { bufferView: 0, componentType: 5121, count: 3, type: 'SCALAR' };
  const more = { accessors: [...accessors, indices], ...primitive({ indices: 2 }) };
  await assert.rejects(read([{ mesh: 0 }], more), /no vertex/);
});

test('a file has 20,000 nodes at most, 64 deep in the first', async () => {
  const chain = (count: number) =>
    Array.from({ length: count }, (_, i) => (i === count - 1 ? { mesh: 0 } : { children: [i + 1] }));
  assert.equal((await read(chain(65))).length, 1);
  await assert.rejects(read(chain(66)), /too many nodes/);
  const wide = (count: number) => [
    { children: Array.from({ length: count - 1 }, (_, i) => i + 1), mesh: 0 },
    ...Array.from({ length: count - 1 }, () => ({})),
  ];
  assert.equal((await read(wide(20_000))).length, 1);
  await assert.rejects(read(wide(20_001)), /too many nodes/);
});
