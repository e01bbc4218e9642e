import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeDraco, gridOf, loadDraco } from './draco.ts';
import { EncoderFailed } from './encoder-failed.ts';
import type { TriangleMesh } from './mesh-builder.ts';
import { encodeMeshopt, loadMeshopt } from './meshopt.ts';

/** A triangle. */
function triangle(size: number): TriangleMesh {
  return {
    positions: Float32Array.of(0, 0, 0, size, 0, 0, 0, size, 0),
    normals: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1),
    uvs: null,
    colours: null,
    features: Uint16Array.of(0, 0, 0),
    indices: Uint32Array.of(0, 1, 2),
  };
}

const encode = async (mesh: TriangleMesh) =>
  encodeDraco(await loadDraco(), mesh, {
    grid: gridOf([mesh], 0.01),
    uvError: 0,
    featureAttribute: '_FEATURE_ID_0',
  });

test('a mesh that Draco refuses is told, and the next one gets an encoder of its own', async () => {
  const first = await loadDraco();
  assert.ok((await encode(triangle(10))).bytes.length > 0);
  assert.equal(await loadDraco(), first);
  // All that it has are triangles without an area.
  await assert.rejects(encode({ ...triangle(10), indices: Uint32Array.of(0, 1, 1) }), EncoderFailed);
  assert.notEqual(await loadDraco(), first);
  assert.equal((await encode(triangle(10))).triangles, 1);
});

test('an encoder that has taken much memory is not used again', async () => {
  const first = await loadDraco();
  const heap = first.HEAP8;
  first.HEAP8 = new Int8Array(new ArrayBuffer(300 << 20));
  await encode(triangle(10));
  first.HEAP8 = heap;
  assert.notEqual(await loadDraco(), first);
});

test('a mesh that meshoptimizer refuses is told', async () => {
  const encoder = await loadMeshopt();
  const broken = { ...triangle(10), indices: Uint32Array.of(0, 1) };
  const options = { error: 0.01, uvError: 0, featureAttribute: '_FEATURE_ID_0' };
  const buffer = { compressedView: () => 0 };
  assert.throws(() => encodeMeshopt(encoder, broken, options, buffer), EncoderFailed);
  assert.equal(encodeMeshopt(encoder, triangle(10), options, buffer).attributes.length, 3);
});

test('the grid of a tile begins at the least of its meshes, and reaches as far as they do', () => {
  const meshes = [
    [1, -7, 30, 5, 2, -40, 0, 0, 0],
    [-3, 4, 8, 2, 9, 1, 4, -2, 3],
  ].map((positions) => ({ positions: Float32Array.from(positions) }));
  const places = meshes.flatMap(({ positions }) => [
    positions.subarray(0, 3),
    positions.subarray(3, 6),
    positions.subarray(6),
  ]);
  for (const all of [meshes, meshes.toReversed(), meshes.slice(0, 1), meshes.slice(1)]) {
    const own = places.filter((_, i) => all.includes(meshes[Math.floor(i / 3)]!));
    const sides = [0, 1, 2].map((axis) => own.map((place) => place[axis]!));
    const { origin, range, bits } = gridOf(all, 0.01);
    assert.deepEqual(
      origin,
      sides.map((values) => Math.min(...values)),
    );
    const extent = Math.max(...sides.map((values) => Math.max(...values) - Math.min(...values)));
    const step = range / (2 ** bits - 1);
    assert.ok(range >= extent && step <= 0.02, `${range} m for ${extent} m, ${step} m`);
    // One bit less would be too few.
    assert.ok(extent / (2 ** (bits - 1) - 1) > step, `${bits} bits`);
  }
});
