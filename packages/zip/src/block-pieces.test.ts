import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { decodeBlockChecks, encodeBlockChecks } from './block-checks.ts';
import { decodePieces } from './block-pieces.ts';
import { BlockTable } from './block-table.ts';
import { MemberDamaged } from './member-damaged.ts';
import { BlockInflater } from './read/block-inflater.ts';
import { recoverBlocks } from './read/recover-blocks.ts';
import { recoverPieces } from './read/recover-pieces.ts';
import { bufferSource } from './source.ts';
import { featureText } from './testing/features.ts';
import { SeekableDeflate } from './write/seekable-deflate.ts';

const MEMBER = { path: 'udx/a.gml', offset: 0 };

async function deflated(text: Uint8Array, ends: readonly number[], target?: number) {
  const chunks: Uint8Array[] = [];
  const deflate = new SeekableDeflate({
    ...(target === undefined ? {} : { target }),
    // Of short texts, pieces cost more.
    pieceCost: 0.02,
    onBytes: (chunk) => void chunks.push(chunk),
  });
  let next = 0;
  for (let at = 0; at < text.length; at += 50_000) {
    for (; next < ends.length && ends[next]! <= at + 50_000; next++) deflate.cutAt(ends[next]!);
    await deflate.push(text.subarray(at, at + 50_000));
  }
  const { blocks: bare, blockCrcs, pieces: encoded } = await deflate.end();
  const table = bare.encode();
  const checks = encodeBlockChecks({ table, features: new Uint8Array(0) }, blockCrcs);
  const blocks = bare.withChecks(decodeBlockChecks(checks, MEMBER.path));
  return { data: Buffer.concat(chunks), blocks, encoded };
}

type Deflated = Awaited<ReturnType<typeof deflated>>;

async function pieceText(inflater: BlockInflater, { data }: Deflated, pieces: BlockTable, i: number) {
  const bytes = data.subarray(pieces.dataOffset(i), pieces.dataOffset(i + 1));
  pieces.checkData(i, bytes, MEMBER.path);
  const size = pieces.textOffset(i + 1) - pieces.textOffset(i);
  return (await inflater.parts(bytes, MEMBER, pieces, i, [{ start: 0, end: size }]))[0]!;
}

describe('pieces of blocks', () => {
  test('any text: it is one stream, and any part of any piece is what inflating all of it gives', async () => {
    let divided = 0;
    const inflater = new BlockInflater();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60_000 }),
        fc.nat(1_000),
        fc.integer({ min: 40, max: 4_000 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 20 }),
        fc.array(fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 30 })), { maxLength: 5 }),
        async (bytes, seed, target, wanted, odd) => {
          const { text, ends } = featureText(bytes, seed);
          // Zeros too, and whatever else no GML has.
          for (const [at, some] of odd)
            text.set(some.subarray(0, text.length - (at % text.length)), at % text.length);
          const packed = await deflated(text, ends, target);
          const { data, blocks, encoded } = packed;
          const oracle = inflateRawSync(data);
          assert.ok(oracle.equals(text));
          const pieces = encoded === null ? blocks : decodePieces(encoded, blocks, MEMBER.path);
          if (pieces.count > blocks.count) divided++;
          for (const [which, a, b] of wanted) {
            const i = which % pieces.count;
            const base = pieces.textOffset(i);
            const size = pieces.textOffset(i + 1) - base;
            const [start, end] = [a % (size + 1), b % (size + 1)].sort((x, y) => x - y) as [number, number];
            const own = data.subarray(pieces.dataOffset(i), pieces.dataOffset(i + 1));
            pieces.checkData(i, own, MEMBER.path);
            const [part] = await inflater.parts(own, MEMBER, pieces, i, [{ start, end }]);
            assert.ok(oracle.subarray(base + start, base + end).equals(part!));
          }
        },
      ),
      { numRuns: 100 },
    );
    assert.ok(divided > 20, `${divided} texts had pieces`);
    assert.equal(inflater.plainBlocks, 0, 'the fast way is taken');
  });

  test('a block with a zero in its text is one piece, the others are divided at features', async () => {
    const { text, ends } = featureText(400_000);
    text[200_000] = 0;
    const packed = await deflated(text, ends, 4_000);
    const pieces = decodePieces(packed.encoded!, packed.blocks, MEMBER.path);
    const holding = packed.blocks.find(200_000);
    const piecesIn = (i: number) =>
      pieces.find(packed.blocks.textOffset(i + 1) - 1) - pieces.find(packed.blocks.textOffset(i)) + 1;
    assert.equal(piecesIn(holding), 1);
    assert.ok(piecesIn(holding - 1) > 1 && piecesIn(holding + 1) > 1);
    const features = new Set(ends);
    for (let i = 1; i <= pieces.count; i++) assert.ok(features.has(pieces.textOffset(i)));
    const inflater = new BlockInflater();
    for (let i = 0; i < pieces.count; i++) {
      const expected = text.subarray(pieces.textOffset(i), pieces.textOffset(i + 1));
      assert.ok(expected.equals(await pieceText(inflater, packed, pieces, i)));
    }
  });

  test('without the engine, pieces are the same', async () => {
    const { text, ends } = featureText(200_000);
    const packed = await deflated(text, ends, 4_000);
    const pieces = decodePieces(packed.encoded!, packed.blocks, MEMBER.path);
    const inflater = new BlockInflater();
    Object.defineProperty(inflater, 'isFast', { value: false });
    for (let i = 0; i < pieces.count; i++) {
      const expected = text.subarray(pieces.textOffset(i), pieces.textOffset(i + 1));
      assert.ok(expected.equals(await pieceText(inflater, packed, pieces, i)));
    }
    assert.equal(inflater.plainBlocks, pieces.count);
  });

  test('a text without features, and a short one, has no pieces', async () => {
    const { text, ends } = featureText(300_000);
    assert.equal((await deflated(text, [], 4_000)).encoded, null);
    assert.equal((await deflated(text, ends)).encoded, null);
  });
});

describe('damage of pieces', () => {
  test('a changed byte, or one more or less, is told', async () => {
    const { text, ends } = featureText(150_000);
    const { blocks, encoded } = await deflated(text, ends, 4_000);
    const refused = (bytes: Uint8Array) =>
      assert.throws(
        () => decodePieces(bytes, blocks, MEMBER.path),
        (error: unknown) => error instanceof MemberDamaged && error.code === 'CRC_MISMATCH',
      );
    for (let at = 0; at < encoded!.length; at++) {
      const changed = Buffer.from(encoded!);
      changed[at]! ^= 1 << (at % 8);
      refused(changed);
    }
    for (const length of [0, 8, 23, 24, encoded!.length - 1]) refused(encoded!.subarray(0, length));
    refused(Buffer.concat([encoded!, Buffer.of(0)]));
  });

  test('numbers that lie under a right CRC-32 give an error or the right text', async () => {
    const { text, ends } = featureText(150_000);
    const packed = await deflated(text, ends, 4_000);
    const inflater = new BlockInflater();
    const count = Buffer.from(packed.encoded!).readUInt32LE(12);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 12, max: 24 + 16 * count - 4 }),
        fc.oneof(fc.nat(0xffffffff), fc.nat(70_000)),
        async (at, value) => {
          const changed = Buffer.from(packed.encoded!);
          changed.writeUInt32LE(value, at - (at % 4));
          changed.writeUInt32LE(crc32(changed.subarray(12)), 8);
          try {
            const pieces = decodePieces(changed, packed.blocks, MEMBER.path);
            for (let i = 0; i < pieces.count; i++) {
              const expected = text.subarray(pieces.textOffset(i), pieces.textOffset(i + 1));
              assert.ok(expected.equals(await pieceText(inflater, packed, pieces, i)));
            }
          } catch (error) {
            assert.ok(error instanceof MemberDamaged, String(error));
            refused++;
          }
        },
      ),
      { numRuns: 300 },
    );
    assert.ok(refused > 200);
  });

  test('pieces of other blocks are refused', async () => {
    const { text, ends } = featureText(150_000);
    const { blocks, encoded } = await deflated(text, ends, 4_000);
    const other = await deflated(text.subarray(0, -1), ends, 4_000);
    assert.throws(() => decodePieces(encoded!, other.blocks, MEMBER.path), MemberDamaged);
    assert.throws(() => decodePieces(encoded!, blocks.withChecks(null), MEMBER.path), MemberDamaged);
    const lengths = (offset: (i: number) => number) =>
      Array.from({ length: blocks.count - 1 }, (_, i) => offset(i + 1) - offset(i));
    const fewer = BlockTable.fromLengths(
      lengths((i) => blocks.textOffset(i)),
      lengths((i) => blocks.dataOffset(i)),
    ).withChecks(blocks.checks);
    assert.throws(() => decodePieces(encoded!, fewer, MEMBER.path), MemberDamaged);
  });

  test('a changed bit in the data of a piece, or a window of another length, gives no text', async () => {
    const { text, ends } = featureText(150_000);
    const packed = await deflated(text, ends, 4_000);
    const pieces = decodePieces(packed.encoded!, packed.blocks, MEMBER.path);
    const i = Array.from({ length: pieces.count }, (_, k) => k).find((k) => pieces.head(k) !== null)!;
    const head = pieces.head(i)!;
    const inflater = new BlockInflater();
    const data = Buffer.from(packed.data.subarray(pieces.dataOffset(i), pieces.dataOffset(i + 1)));
    const target = Buffer.alloc(100);
    const range = [{ start: 0, end: 100 }];
    assert.ok(inflater.copyParts(data, head, range, target));
    assert.equal(inflater.copyParts(data, { ...head, textBytes: head.textBytes - 1 }, range, target), false);
    const short = { start: head.second.start, end: head.second.end - 20 };
    assert.equal(inflater.copyParts(data, { ...head, second: short }, range, target), false);
    const noise = head.memory.map(() => 0xff);
    assert.equal(inflater.copyParts(data, { ...head, memory: noise }, range, target), false);
    data[5]! ^= 1;
    assert.throws(() => pieces.checkData(i, data, MEMBER.path), MemberDamaged);
  });
});

describe('finding pieces in the data', () => {
  test('gives the blocks and the pieces that were written', async () => {
    const { text, ends } = featureText(1_500_000);
    const { data, blocks, encoded } = await deflated(text, ends);
    const member = { ...MEMBER, compressedSize: data.length, size: text.length, crc32: crc32(text) };
    const found = await recoverBlocks(bufferSource(data), member);
    assert.deepEqual(found.encode(), blocks.encode());
    assert.ok(encoded !== null);
    assert.deepEqual(await recoverPieces(bufferSource(data), member, found), encoded);
  });

  test('passes over a flush that is repeated', async () => {
    const { text, ends } = featureText(1_500_000);
    const { data, blocks, encoded } = await deflated(text, ends);
    const pieces = decodePieces(encoded!, blocks, MEMBER.path);
    const i = Array.from({ length: pieces.count }, (_, k) => k).find((k) => pieces.head(k) !== null)!;
    const at = pieces.dataOffset(i);
    const longer = Buffer.concat([data.subarray(0, at), Buffer.from('000000ffff', 'hex'), data.subarray(at)]);
    assert.ok(inflateRawSync(longer).equals(text));
    const lengths = (offset: (k: number) => number) =>
      Array.from({ length: blocks.count }, (_, k) => offset(k + 1) - offset(k));
    const table = BlockTable.fromLengths(
      lengths((k) => blocks.textOffset(k)),
      lengths((k) => blocks.dataOffset(k) + (blocks.dataOffset(k) > at ? 5 : 0)),
    ).withChecks(blocks.checks);
    const found = await recoverPieces(bufferSource(longer), MEMBER, table);
    const decoded = decodePieces(found!, table, MEMBER.path);
    assert.equal(decoded.count, pieces.count);
    assert.equal(decoded.textOffset(i), pieces.textOffset(i));
  });

  test('gives null where there are none', async () => {
    const { text } = featureText(1_000_000);
    const { data, blocks } = await deflated(text, []);
    assert.ok(blocks.count > 1);
    assert.equal(await recoverPieces(bufferSource(data), MEMBER, blocks), null);
  });
});
