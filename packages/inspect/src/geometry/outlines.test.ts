import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boxOf } from './box-pairs.ts';
import { type Outline, OutlinePacker, Outlines } from './outlines.ts';

const metres = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 16);
const height = fc.oneof(metres, fc.constant(Infinity), fc.constant(-Infinity));
const outline: fc.Arbitrary<Outline> = fc.record({
  id: fc.option(fc.string({ maxLength: 8 })),
  type: fc.constantFrom('bldg:Building', 'bldg:BuildingPart', 'tran:Road'),
  line: fc.nat(),
  member: fc.nat(),
  lod: fc.nat(4),
  position: fc.option(fc.tuple(metres, metres, metres)),
  rings: fc.array(
    fc.array(metres, { minLength: 6, maxLength: 12 }).map((ring) => Float64Array.from(ring)),
    {
      maxLength: 3,
    },
  ),
  from: height,
  to: height,
});

function packed(outlines: readonly Outline[]) {
  const packer = new OutlinePacker();
  for (const one of outlines) packer.add(one);
  const carry = packer.take();
  // As between threads.
  return carry === undefined ? undefined : structuredClone(carry);
}

test('outlines of files are as they were handed on, whatever they lack', () => {
  fc.assert(
    fc.property(fc.array(fc.array(outline, { maxLength: 5 }), { maxLength: 4 }), (files) => {
      const carried = files.flatMap((one, i) => {
        const carry = packed(one);
        assert.equal(carry === undefined, one.length === 0);
        return carry === undefined ? [] : [{ path: `${i}.gml`, folder: 'bldg', carry }];
      });
      const all = new Outlines(carried);
      const expected = files.flatMap((one, i) => one.map((placed) => ({ ...placed, path: `${i}.gml` })));
      assert.equal(all.count, expected.length);
      for (const [n, one] of expected.entries()) assert.deepEqual(all.at(n), one);
      assert.deepEqual(
        all.boxes(),
        expected.map(({ rings }) => boxOf(rings)),
      );
    }),
  );
});

test('a file may have more outlines than a block, and a ring more points than usual', () => {
  const rings = (n: number) => [Float64Array.from({ length: n === 5000 ? 4000 : 8 }, (_, i) => n + i)];
  const outlineOf = (n: number): Outline => ({
    id: `bldg_${n}`,
    type: 'bldg:Building',
    line: n,
    member: n,
    lod: 1,
    position: [139, 35, n],
    rings: rings(n),
    from: 0,
    to: n,
  });
  const before = packed([outlineOf(0)])!;
  const carry = packed(Array.from({ length: 9000 }, (_, n) => outlineOf(n)))!;
  const all = new Outlines([
    { path: 'a.gml', folder: 'bldg', carry: before },
    { path: 'b.gml', folder: 'bldg', carry },
  ]);
  assert.equal(all.count, 9001);
  for (const n of [0, 1, 4095, 4096, 4097, 5000, 8191, 8192, 8999]) {
    assert.deepEqual(all.at(n + 1), { ...outlineOf(n), path: 'b.gml' });
  }
});
