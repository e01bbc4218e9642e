import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import fc from 'fast-check';
import { calcTreeSize, generateLevelBounds } from 'flatgeobuf/lib/mjs/packedrtree.js';
import { FlatGeobufIndex, NODE_SIZE } from './flatgeobuf-index.ts';

type Sides = [number, number, number, number];

/** Boxes of a node in the bytes, and what it leads to. */
function nodeOf(bytes: Buffer, number: number): { box: Sides; offset: number } {
  const side = (n: number) => bytes.readDoubleLE(number * 40 + n * 8);
  return {
    box: [side(0), side(1), side(2), side(3)],
    offset: Number(bytes.readBigUInt64LE(number * 40 + 32)),
  };
}

test('the tree is laid out as the library reads it, and every node is the box of its children', () => {
  const sides = fc.tuple(evenly(-180, 179), evenly(-90, 89), evenly(0, 1), evenly(0, 1));
  const leaf = fc.record({ sides: fc.option(sides), length: fc.integer({ min: 1, max: 2 ** 31 }) });
  fc.assert(
    fc.property(fc.array(leaf, { minLength: 1, maxLength: 700, size: 'max' }), (leaves) => {
      const index = new FlatGeobufIndex();
      for (const one of leaves) {
        const [x, y, width, height] = one.sides ?? [0, 0, 0, 0];
        index.add(
          one.sides === null ? null : { xmin: x, ymin: y, xmax: x + width, ymax: y + height },
          one.length,
        );
      }
      const bytes = Buffer.concat([...index.bytes()]);
      assert.equal(bytes.length, calcTreeSize(leaves.length, NODE_SIZE));
      const levels = generateLevelBounds(leaves.length, NODE_SIZE);
      let offset = 0;
      for (const [n, { sides: placed, length }] of leaves.entries()) {
        const { box, offset: found } = nodeOf(bytes, levels[0]![0] + n);
        assert.equal(found, offset);
        offset += length;
        const [x, y, width, height] = placed ?? [0, 0, 0, 0];
        const expected =
          placed === null ? [Infinity, Infinity, -Infinity, -Infinity] : [x, y, x + width, y + height];
        assert.deepEqual(box, expected);
      }
      for (const [level, [from, to]] of levels.entries()) {
        if (level === 0) continue;
        const below = levels[level - 1]!;
        for (let number = from; number < to; number++) {
          const { box, offset: first } = nodeOf(bytes, number);
          assert.equal(first, below[0] + (number - from) * NODE_SIZE);
          const all: Sides = [Infinity, Infinity, -Infinity, -Infinity];
          for (let child = first; child < Math.min(below[1], first + NODE_SIZE); child++) {
            const { box: inner } = nodeOf(bytes, child);
            for (const side of [0, 1] as const) all[side] = Math.min(all[side], inner[side]);
            for (const side of [2, 3] as const) all[side] = Math.max(all[side], inner[side]);
          }
          assert.deepEqual(box, all);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('pieces have up to 1600 nodes, and none is empty', () => {
  for (const [features, expected] of [
    [1, [1, 1]],
    [1_600, [1, 7, 100, 1_600]],
    [1_601, [1, 7, 101, 1_600, 1]],
  ] as const) {
    const index = new FlatGeobufIndex();
    for (let n = 0; n < features; n++) index.add(null, 1);
    const pieces = [...index.bytes()].map(({ length }) => length / 40);
    assert.deepEqual(pieces, expected);
  }
});
