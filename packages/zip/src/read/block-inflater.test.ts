import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { BlockTable } from '../block-table.ts';
import { MemberDamaged } from '../member-damaged.ts';
import { bufferSource } from '../source.ts';
import { SeekableDeflate } from '../write/seekable-deflate.ts';
import { BlockInflater } from './block-inflater.ts';
import { recoverBlocks } from './recover-blocks.ts';

/** A text that is uneven: noise, repetition, and the bytes of a flush. */
function textOf(length: number, seed: number): Buffer {
  const text = Buffer.alloc(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text[i] = i % 5_000 < 2_500 ? state >>> 24 : 0x20 + (i % 7);
    if (i % 997 === 0) text.set(Buffer.from([0, 0, 0xff, 0xff]).subarray(0, Math.min(4, length - i)), i);
  }
  return text;
}

async function deflated(text: Buffer, target: number): Promise<{ data: Buffer; blocks: BlockTable }> {
  const chunks: Uint8Array[] = [];
  const deflate = new SeekableDeflate({ target, onBytes: (chunk) => void chunks.push(chunk) });
  await deflate.push(text);
  const { blocks } = await deflate.end();
  return { data: Buffer.concat(chunks), blocks };
}

const MEMBER = { path: 'udx/a.gml' };
const dataOf = (data: Buffer, blocks: BlockTable, i: number) =>
  data.subarray(blocks.dataOffset(i), blocks.dataOffset(i + 1));

describe('inflating parts of blocks', () => {
  test('gives any parts of any block, again and again', async () => {
    const text = textOf(100_000, 1);
    const { data, blocks } = await deflated(text, 8_000);
    const inflater = new BlockInflater();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(blocks.count - 1),
        fc.array(
          fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        async (i, shares) => {
          const base = blocks.textOffset(i);
          const size = blocks.textOffset(i + 1) - base;
          const ranges = shares.map(([a, b]) => ({
            start: Math.floor(Math.min(a, b) * size),
            end: Math.ceil(Math.max(a, b) * size),
          }));
          const parts = await inflater.parts(dataOf(data, blocks, i), MEMBER, blocks, i, ranges);
          for (const [n, { start, end }] of ranges.entries()) {
            assert.ok(text.subarray(base + start, base + end).equals(parts[n]!));
          }
        },
      ),
    );
  });

  test('what it gave stays as it is when it goes on', async () => {
    const text = textOf(50_000, 2);
    const { data, blocks } = await deflated(text, 8_000);
    const inflater = new BlockInflater();
    const range = [{ start: 0, end: 4_000 }];
    const [first] = await inflater.parts(dataOf(data, blocks, 0), MEMBER, blocks, 0, range);
    await inflater.parts(dataOf(data, blocks, 1), MEMBER, blocks, 1, range);
    assert.ok(text.subarray(0, 4_000).equals(first!));
  });

  test('the fast way is taken, with this Node.js', async () => {
    const text = textOf(60_000, 4);
    const { data, blocks } = await deflated(text, 8_000);
    const inflater = new BlockInflater();
    assert.ok(inflater.isFast);
    for (let i = 0; i < blocks.count; i++) {
      const range = { start: 0, end: blocks.textOffset(i + 1) - blocks.textOffset(i) };
      await inflater.parts(dataOf(data, blocks, i), MEMBER, blocks, i, [range]);
    }
    assert.equal(inflater.plainBlocks, 0);
  });

  test('fills memory with the text of data that has a dictionary, and leaves to others what is damaged', () => {
    const [text, dictionary] = [textOf(5_000, 5), textOf(5_000, 6)];
    const options = { windowBits: 13, dictionary };
    const inflater = new BlockInflater(options);
    const data = deflateRawSync(Buffer.concat([dictionary.subarray(1_000, 3_000), text]), options);
    assert.ok(data.length < 5_000, 'the dictionary is of use');
    for (const length of [7_000, 0, 1, 5_000]) {
      const target = Buffer.alloc(length);
      assert.equal(inflater.fill(data.subarray(0, 100), Buffer.alloc(7_000)), false, 'too short');
      assert.equal(inflater.fill(Buffer.alloc(100, 0xff), Buffer.alloc(7_000)), false, 'no deflate');
      assert.ok(inflater.fill(data, target));
      assert.ok(
        Buffer.concat([dictionary.subarray(1_000, 3_000), text])
          .subarray(0, length)
          .equals(target),
      );
    }
  });

  test('says what is damaged, and goes on with what is not', async () => {
    const text = textOf(50_000, 3);
    const { data, blocks } = await deflated(text, 8_000);
    const inflater = new BlockInflater();
    const all = [{ start: 0, end: blocks.textOffset(1) }];
    for (const wrong of [
      Buffer.alloc(blocks.dataOffset(1), 0xff),
      dataOf(data, blocks, 0).subarray(0, 200),
      Buffer.alloc(0),
    ]) {
      await assert.rejects(inflater.parts(wrong, MEMBER, blocks, 0, all), MemberDamaged);
      const [right] = await inflater.parts(dataOf(data, blocks, 0), MEMBER, blocks, 0, all);
      assert.ok(text.subarray(0, all[0]!.end).equals(right!));
    }
  });
});

describe('finding blocks in the data', () => {
  const memberOf = (text: Buffer, data: Buffer) => ({
    ...MEMBER,
    offset: 0,
    compressedSize: data.length,
    size: text.length,
    crc32: crc32(text),
  });

  test('gives the table that was written', async () => {
    for (const [length, target] of [
      [100, 8_000],
      [40_000, 8_000],
      [300_000, 20_000],
    ] as const) {
      const text = textOf(length, length);
      const { data, blocks } = await deflated(text, target);
      const found = await recoverBlocks(bufferSource(data), memberOf(text, data));
      assert.deepEqual(found.encode(), blocks.encode());
      assert.deepEqual(BlockTable.decode(found.encode()).count, blocks.count);
    }
  });

  test('refuses what is something else', async () => {
    const text = textOf(40_000, 9);
    const { data } = await deflated(text, 8_000);
    const member = memberOf(text, data);
    await assert.rejects(recoverBlocks(bufferSource(data), { ...member, crc32: 1 }), /CRC-32/);
    await assert.rejects(recoverBlocks(bufferSource(data), { ...member, size: 5 }), /expected 5/);
    await assert.rejects(recoverBlocks(bufferSource(Buffer.alloc(data.length, 0xff)), member));
  });
});

test('bytes in a block that look like the end of one do not divide it', async () => {
  const text = Buffer.concat([
    Buffer.from('before'),
    Buffer.of(0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    Buffer.from('between'),
    Buffer.of(0x00, 0x00, 0xff, 0xff, 0x07, 0xff, 0xff, 0xff),
    Buffer.from('behind'),
  ]);
  // Stored, so that the bytes stand in the data as they are.
  const parts = [
    deflateRawSync(text, { level: 0, finishFlush: constants.Z_SYNC_FLUSH }),
    deflateRawSync(text, { level: 0 }),
  ];
  const data = Buffer.concat(parts);
  const whole = Buffer.concat([text, text]);
  const member = {
    path: 'a',
    offset: 0,
    compressedSize: data.length,
    size: whole.length,
    crc32: crc32(whole),
  };
  const blocks = await recoverBlocks(bufferSource(data), member);
  assert.deepEqual(
    [blocks.count, blocks.dataOffset(1), blocks.textOffset(1)],
    [2, parts[0]!.length, text.length],
  );
});
