import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BufferBuilder, padded, ViewTarget } from './buffer-builder.ts';

test('views begin at multiples of 8 and hold their bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 }), fc.nat(9), (parts, at) => {
      const builder = new BufferBuilder();
      const numbers = parts.map((bytes) => builder.view(bytes, { target: ViewTarget.vertices }));
      assert.deepEqual(numbers, [...parts.keys()]);
      const target = new Uint8Array(at + builder.length);
      builder.copyTo(target, at);
      for (const [i, bytes] of parts.entries()) {
        const { buffer, byteOffset, byteLength } = builder.views[i] as Record<string, number>;
        assert.equal(buffer, 0);
        assert.equal(byteOffset! % 8, 0);
        assert.deepEqual(target.subarray(at + byteOffset!, at + byteOffset! + byteLength!), bytes);
      }
      assert.equal(
        builder.length,
        parts.reduce((sum, { length }) => sum + padded(length), 0),
      );
      assert.equal(builder.fallbackLength, 0);
    }),
  );
  assert.deepEqual([0, 1, 7, 8, 9, 16].map(padded), [0, 8, 8, 8, 16, 16]);
});

test('a view of EXT_meshopt_compression says where its bytes lie, and what they decode to', () => {
  const builder = new BufferBuilder();
  builder.view(new Uint16Array(3));
  const vertices = { count: 5, byteStride: 12, mode: 'ATTRIBUTES', target: ViewTarget.vertices } as const;
  builder.compressedView(new Uint8Array(9), { ...vertices, filter: 'EXPONENTIAL' });
  const indices = { count: 3, byteStride: 2, mode: 'TRIANGLES', target: ViewTarget.indices } as const;
  assert.equal(builder.compressedView(new Uint8Array(4), indices), 2);
  const { target: _, ...attributes } = vertices;
  const { target: __, ...triangles } = indices;
  assert.deepEqual(builder.views, [
    { buffer: 0, byteOffset: 0, byteLength: 6 },
    {
      buffer: 1,
      byteOffset: 0,
      byteLength: 60,
      byteStride: 12,
      target: 34_962,
      extensions: {
        EXT_meshopt_compression: {
          ...{ buffer: 0, byteOffset: 8, byteLength: 9 },
          ...attributes,
          filter: 'EXPONENTIAL',
        },
      },
    },
    {
      buffer: 1,
      byteOffset: 64,
      byteLength: 6,
      target: 34_963,
      extensions: { EXT_meshopt_compression: { buffer: 0, byteOffset: 24, byteLength: 4, ...triangles } },
    },
  ]);
  assert.deepEqual([builder.length, builder.fallbackLength], [32, 72]);
});
