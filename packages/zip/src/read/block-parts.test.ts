import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BEFORE, type SeekableFile, seekableFile } from '../testing/seekable-file.ts';
import { type BlockParts, BlockPartsReader } from './block-parts.ts';

const TEXT = Buffer.from(
  Array.from({ length: 20_000 }, (_, i) => `<棟 n="${(i * 7_919) % 9_973}"/>`).join('\n'),
);
const TARGET = 8_000;

function partsOf(file: SeekableFile, i: number, shares: Array<[number, number]>): BlockParts {
  const { blocks, crcs } = file;
  const size = blocks.textOffset(i + 1) - blocks.textOffset(i);
  return {
    position: BEFORE + blocks.dataOffset(i),
    length: blocks.dataOffset(i + 1) - blocks.dataOffset(i),
    crc32: crcs[i]!,
    head: null,
    ranges: shares.map(([a, b]) => ({
      start: Math.floor(Math.min(a, b) * size),
      end: Math.ceil(Math.max(a, b) * size),
    })),
  };
}

test('parts of any blocks in any order are those of the text', async () => {
  await using file = await seekableFile(TEXT, TARGET);
  const reader = new BlockPartsReader();
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const wanted = fc.array(
    fc.tuple(fc.nat(file.blocks.count - 1), fc.array(fc.tuple(share, share), { minLength: 1, maxLength: 4 })),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(wanted, fc.boolean(), (chosen, knowsCrcs) => {
      const parts = chosen.map(([i, shares]) => {
        const one = partsOf(file, i, shares);
        return knowsCrcs ? one : { ...one, crc32: null };
      });
      const oracle = chosen.flatMap(([i], n) => {
        const base = file.blocks.textOffset(i);
        return parts[n]!.ranges.map(({ start, end }) => TEXT.subarray(base + start, base + end));
      });
      assert.ok(Buffer.concat(oracle).equals(reader.read(file.descriptor, parts)!));
    }),
    { numRuns: 100 },
  );
});

test('a changed bit gives null and never text, with and without a CRC; blocks beside it are read', async () => {
  const bad = 3;
  await using file = await seekableFile(TEXT, TARGET, (data, blocks) => {
    data.fill(0xff, blocks.dataOffset(bad), blocks.dataOffset(bad) + 40);
  });
  const reader = new BlockPartsReader();
  const one = partsOf(file, bad, [[0, 1]]);
  assert.equal(reader.read(file.descriptor, [partsOf(file, bad - 1, [[0, 1]]), one]), null);
  assert.equal(reader.read(file.descriptor, [{ ...one, crc32: null }]), null);
  const beside = reader.read(file.descriptor, [partsOf(file, bad + 1, [[0, 1]])]);
  const { blocks } = file;
  assert.ok(TEXT.subarray(blocks.textOffset(bad + 1), blocks.textOffset(bad + 2)).equals(beside!));
});

test('a single bit that deflate does not notice is noticed by the CRC', async () => {
  await using file = await seekableFile(TEXT, TARGET);
  const one = partsOf(file, 1, [[0, 0.5]]);
  const reader = new BlockPartsReader();
  assert.notEqual(reader.read(file.descriptor, [one]), null);
  assert.equal(reader.read(file.descriptor, [{ ...one, crc32: one.crc32! ^ 1 }]), null);
});

test('a file that is too short or cannot be read gives null', async () => {
  await using file = await seekableFile(TEXT, TARGET);
  const last = partsOf(file, file.blocks.count - 1, [[0, 1]]);
  const reader = new BlockPartsReader();
  assert.equal(reader.read(file.descriptor, [{ ...last, length: last.length + 1 }]), null);
  assert.equal(reader.read(-1, [last]), null);
});
