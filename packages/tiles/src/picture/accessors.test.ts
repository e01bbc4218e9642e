import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MeshoptEncoder } from 'meshoptimizer';
import { ContentError } from '../tile-content.ts';
import { openAccessors } from './accessors.ts';

/** A glTF with one accessor over bytes. */
function gltf(bytes: Uint8Array, accessor: object, view: object = {}) {
  const whole = { buffer: 0, byteOffset: 0, byteLength: bytes.length };
  const json = { bufferViews: [{ ...whole, ...view }], accessors: [{ bufferView: 0, ...accessor }] };
  return openAccessors(json, bytes);
}

/** Numbers as bytes, as glTF has them: little-endian. */
function bytesOf(write: 'Int8' | 'Uint8' | 'Int16' | 'Uint16' | 'Uint32' | 'Float32', values: number[]) {
  const size = write.endsWith('8') ? 1 : write.endsWith('16') ? 2 : 4;
  const view = new DataView(new ArrayBuffer(size * values.length));
  for (const [i, value] of values.entries()) view[`set${write}`](size * i, value, true);
  return new Uint8Array(view.buffer);
}

suite('accessors of a glTF', () => {
  test('are numbers of each type, and normalised ones are parts of one', async () => {
    const cases = [
      [5120, 'Int8', [-128, -127, 0, 127], [-1, -1, 0, 1]],
      [5121, 'Uint8', [0, 51, 255, 254], [0, 0.2, 1, 254 / 255]],
      [5122, 'Int16', [-32_768, -32_767, 258, 32_767], [-1, -1, 258 / 32_767, 1]],
      [5123, 'Uint16', [0, 258, 65_535, 1], [0, 258 / 65_535, 1, 1 / 65_535]],
      [5125, 'Uint32', [0, 16_909_060, 7, 4_294_967_040], [0, 16_909_060, 7, 4_294_967_040]],
      [5126, 'Float32', [0.5, -1, 0.25, 3e8], [0.5, -1, 0.25, 3e8]],
    ] as const;
    for (const [componentType, write, values, parts] of cases) {
      const bytes = bytesOf(write, [...values]);
      const accessor = { componentType, count: 4, type: 'SCALAR' };
      const plain = await gltf(bytes, accessor);
      assert.deepEqual(plain.floats(0, 1), Float32Array.from(values), write);
      assert.equal(plain.isNormalized(0), false);
      const scaled = await gltf(bytes, { ...accessor, normalized: true });
      assert.deepEqual(
        scaled.floats(0, 1),
        Float32Array.from(parts.map((part) => Math.max(-1, part))),
        write,
      );
      assert.equal(scaled.isNormalized(0), true);
    }
    const indices = await gltf(bytesOf('Uint32', [0, 4_000_000_000, 2]), {
      componentType: 5125,
      count: 3,
      type: 'SCALAR',
    });
    assert.deepEqual(indices.indices(0), Uint32Array.of(0, 4_000_000_000, 2));
  });

  test('lie where offsets and strides say, and may be wider than is asked', async () => {
    const bytes = bytesOf('Float32', [9, 9, 1, 2, 3, 9, 4, 5, 6, 9, 7, 8, 10]);
    const accessor = { componentType: 5126, count: 3, type: 'VEC3', byteOffset: 4 };
    const found = await gltf(bytes, accessor, { byteOffset: 4, byteLength: 48, byteStride: 16 });
    assert.deepEqual(found.floats(0, 3), Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 10));
    assert.deepEqual(found.floats(0, 2), Float32Array.of(1, 2, 4, 5, 7, 8));
    assert.equal(found.floats(0, 4), null);
    assert.deepEqual(found.view(0), bytes.subarray(4, 52));
  });

  test('of colours have four parts each, and are opaque where they say nothing', async () => {
    const colours = async (type: string, values: number[]) =>
      (await gltf(bytesOf('Float32', values), { componentType: 5126, count: 2, type })).colours(0);
    assert.deepEqual(await colours('VEC3', [1, 2, 3, 4, 5, 6]), Float32Array.of(1, 2, 3, 1, 4, 5, 6, 1));
    assert.deepEqual(
      await colours('VEC4', [1, 2, 3, 4, 5, 6, 7, 8]),
      Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8),
    );
    assert.equal(await colours('VEC2', [1, 2, 3, 4]), null);
  });

  test('that are not there, or of a type that is unknown, are none', async () => {
    const bytes = bytesOf('Float32', [1]);
    const accessor = { componentType: 5126, count: 1, type: 'SCALAR' };
    const found = await gltf(bytes, accessor);
    for (const number of [1, -1, undefined, '0', null]) {
      assert.deepEqual(
        [found.floats(number, 1), found.indices(number), found.colours(number)],
        [null, null, null],
      );
      assert.equal(found.isNormalized(number), false);
    }
    for (const changes of [{ type: 'MAT4' }, { componentType: 5124 }, { bufferView: undefined }]) {
      assert.equal((await gltf(bytes, { ...accessor, ...changes })).floats(0, 1), null);
    }
    assert.equal((await openAccessors({}, bytes)).floats(0, 1), null);
    assert.equal((await openAccessors({ accessors: ['?'] }, bytes)).floats(0, 1), null);
  });

  test('whose lengths contradict each other are refused, and the last byte may be used', async () => {
    const bytes = bytesOf('Uint16', [1, 2, 3, 4]);
    const read = async (accessor: object, view: object = {}) =>
      (await gltf(bytes, { componentType: 5123, count: 4, type: 'SCALAR', ...accessor }, view)).floats(0, 1);
    assert.equal((await read({}))!.length, 4);
    assert.deepEqual(await read({ count: 2 }, { byteLength: 6, byteStride: 4 }), Float32Array.of(1, 3));
    assert.equal((await read({ count: 0, byteOffset: 100 }))!.length, 0);
    const refused = (accessor: object, view: object, reason: RegExp) =>
      assert.rejects(
        read(accessor, view),
        (error: Error) => error instanceof ContentError && reason.test(error.message),
      );
    await refused({ count: 5 }, {}, /reaches beyond its view/);
    await refused({ byteOffset: 1 }, {}, /reaches beyond its view/);
    await refused({ count: 2 }, { byteLength: 5, byteStride: 4 }, /reaches beyond its view/);
    await refused({}, { byteOffset: 1 }, /reaches beyond its bytes/);
    await refused({}, { buffer: 1 }, /in another file/);
    await refused({ bufferView: 1 }, {}, /names a buffer view that it lacks/);
    for (const count of [-1, 0.5, '4', undefined]) await refused({ count }, {}, /is no whole number/);
    await refused({ count: 5_000_001 }, {}, /is too long/);
    await refused({ count: 5_000_000 }, {}, /reaches beyond its view/);
  });

  test('of views that meshopt compressed are what was compressed, by either name of the extension', async () => {
    await MeshoptEncoder.ready;
    const values = Float32Array.from({ length: 300 }, (_, i) => Math.sin(i));
    const packed = MeshoptEncoder.encodeGltfBuffer(new Uint8Array(values.buffer), 100, 12, 'ATTRIBUTES');
    for (const name of ['EXT_meshopt_compression', 'KHR_meshopt_compression']) {
      const of = (changes: object) =>
        gltf(
          packed,
          { componentType: 5126, count: 100, type: 'VEC3' },
          {
            byteLength: 1_200,
            byteStride: 12,
            extensions: {
              [name]: {
                byteLength: packed.length,
                count: 100,
                byteStride: 12,
                mode: 'ATTRIBUTES',
                ...changes,
              },
            },
          },
        );
      const found = await of({});
      assert.deepEqual(found.floats(0, 3), values);
      assert.equal(found.view(0), found.view(0), 'unpacked once');
      assert.deepEqual((await of({ filter: 'NONE' })).floats(0, 3), values);
      for (const [changes, reason] of [
        [{ mode: 'NOTHING' }, /cannot be read/],
        [{ count: 6_000_000 }, /too large/],
        [{ byteLength: 10 }, /cannot be read/],
      ] as const) {
        const broken = await of(changes);
        assert.throws(
          () => broken.floats(0, 3),
          (error: Error) => error instanceof ContentError && reason.test(error.message),
        );
      }
    }
  });
});
