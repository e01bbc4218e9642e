import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, crc32, deflateRawSync, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { featureText } from '../testing/features.ts';
import { SeekableDeflate, type SeekableResult } from './seekable-deflate.ts';

/** Text of short lines with numbers in them, seeded. */
function text(bytes: number, seed = 1): Buffer {
  let x = seed;
  let result = '';
  while (result.length < bytes) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    result += `<gml:pos>35.${x % 1_000_000} 139.${(x >>> 7) % 1_000_000}</gml:pos>\n`;
  }
  return Buffer.from(result.slice(0, bytes));
}

/** Bytes that do not compress: an empty window costs nothing there, and blocks have the target size. */
function noise(bytes: number): Buffer {
  const result = Buffer.alloc(bytes);
  for (let i = 0, x = 7; i < bytes; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    result[i] = x >>> 24;
  }
  return result;
}

interface Run {
  result: SeekableResult;
  data: Buffer;
}

async function compress(
  content: Buffer,
  target: number,
  chunkBytes: number,
  hints: number[] = [],
): Promise<Run> {
  const chunks: Uint8Array[] = [];
  let running = false;
  const deflate = new SeekableDeflate({
    target,
    concurrency: 3,
    onBytes: async (bytes) => {
      assert.ok(!running, 'one call at a time');
      running = true;
      await new Promise((resolve) => setImmediate(resolve));
      chunks.push(bytes);
      running = false;
    },
  });
  let next = 0;
  for (let at = 0; at < content.length; at += chunkBytes) {
    for (; next < hints.length && (hints[next] as number) <= at + chunkBytes; next++)
      deflate.cutAt(hints[next] as number);
    await deflate.push(content.subarray(at, at + chunkBytes));
  }
  return { result: await deflate.end(), data: Buffer.concat(chunks) };
}

/** Every promise of the class, checked with zlib alone. */
function assertSound({ result, data }: Run, content: Buffer, target: number) {
  const { blocks } = result;
  assert.equal(result.size, content.length);
  assert.equal(result.crc32, crc32(content));
  assert.equal(result.compressedSize, data.length);
  assert.equal(blocks.textOffset(blocks.count), content.length);
  assert.equal(blocks.dataOffset(blocks.count), data.length);
  assert.ok(inflateRawSync(data).equals(content), 'the whole is one deflate stream');
  for (let i = 0; i < blocks.count; i++) {
    const from = blocks.textOffset(i);
    const to = blocks.textOffset(i + 1);
    assert.ok(to - from <= 6 * target, `block ${i} has ${to - from} bytes`);
    if (i < blocks.count - 1) assert.ok(to - from >= 0.75 * target, `block ${i} has ${to - from} bytes`);
    else
      assert.ok(
        to - from >= Math.min(content.length, 0.25 * target),
        `the last block has ${to - from} bytes`,
      );
    const block = data.subarray(blocks.dataOffset(i), blocks.dataOffset(i + 1));
    const alone = inflateRawSync(block, { finishFlush: constants.Z_SYNC_FLUSH });
    assert.ok(alone.equals(content.subarray(from, to)), `block ${i} inflates alone`);
  }
}

test('any text in any chunks with any hints: one stream, and every block alone', async () => {
  const hints = fc.array(fc.nat(20_000), { maxLength: 60 }).map((list) => list.sort((a, b) => a - b));
  await fc.assert(
    fc.asyncProperty(
      fc.nat(20_000),
      fc.integer({ min: 1, max: 9_000 }),
      fc.integer({ min: 4, max: 3_000 }),
      hints,
      async (size, chunk, target, list) => {
        const content = text(size);
        assertSound(await compress(content, target, chunk, list), content, target);
      },
    ),
    { numRuns: 150 },
  );
});

test('blocks end at the last hint between 0.75 and 1.25 targets', async () => {
  const content = noise(10_000);
  const every = (step: number) => Array.from({ length: 10_000 / step }, (_, i) => (i + 1) * step);
  const ends = async (hints: number[], chunk = 500) => {
    const { result } = await compress(content, 1000, chunk, hints);
    return Array.from({ length: result.blocks.count }, (_, i) => result.blocks.textOffset(i + 1));
  };
  assert.deepEqual(await ends(every(100)), [1200, 2400, 3600, 4800, 6000, 7200, 8400, 9600, 10_000]);
  assert.deepEqual(await ends(every(100), 1), await ends(every(100), 10_000), 'chunks make no difference');
  assert.deepEqual(await ends([760, 1250, 1251]), [1250, 2500, 3750, 5000, 6250, 7500, 8750, 10_000]);
  assert.equal((await ends([750]))[0], 750, 'a hint at exactly 0.75 targets counts');
  assert.deepEqual((await ends([749, 1251])).slice(0, 2), [1250, 2500], 'hints outside do not count');
  assert.equal((await ends([950, 900]))[0], 950, 'a hint that goes back is ignored');
});

test('blocks grow where the window matters, whatever the chunks', async () => {
  const lengths = async (content: Buffer, chunk: number) => {
    const { blocks } = (await compress(content, 10_000, chunk)).result;
    return Array.from({ length: blocks.count }, (_, i) => blocks.textOffset(i + 1) - blocks.textOffset(i));
  };
  assert.equal((await lengths(noise(100_000), 4_096))[0], 12_500);
  const paragraph = noise(2_000);
  const repeating = Buffer.concat(Array.from({ length: 50 }, () => paragraph));
  assert.equal((await lengths(repeating, 4_096))[0], 50_000);
  assert.deepEqual(await lengths(repeating, 777), await lengths(repeating, 100_000));
});

test('the empty text is one empty block', async () => {
  const { result, data } = await compress(Buffer.alloc(0), 1000, 10);
  assert.equal(result.blocks.count, 1);
  assert.equal(inflateRawSync(data).length, 0);
});

test('a text of up to 4.5 targets is ordinary deflate', async () => {
  const content = text(4500);
  assert.ok((await compress(content, 1000, 100)).data.equals(deflateRawSync(content)));
});

test('with a gzip header and trailer it is a gzip file', async () => {
  const content = text(100_000);
  const { data, result } = await compress(content, 10_000, 4096);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(result.crc32, 0);
  tail.writeUInt32LE(result.size, 4);
  const gzip = Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255), data, tail]);
  assert.ok(gunzipSync(gzip).equals(content));
});

test('push waits for a slow receiver', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const deflate = new SeekableDeflate({ target: 1000, concurrency: 2, onBytes: () => gate });
  let pushed = 0;
  const content = noise(20_000);
  const pushing = (async () => {
    for (let i = 0; i < 20; i++) {
      await deflate.push(content.subarray(i * 1000, (i + 1) * 1000));
      pushed++;
    }
  })();
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(pushed <= 5, `${pushed} chunks were taken`);
  release();
  await pushing;
  assert.equal((await deflate.end()).size, 20_000);
});

test('what the receiver throws comes out of push or end', async () => {
  const deflate = new SeekableDeflate({ target: 100, onBytes: () => Promise.reject(new Error('disk full')) });
  await assert.rejects(async () => {
    for (let i = 0; i < 100; i++) await deflate.push(text(100));
    await deflate.end();
  }, /disk full/);
});

test('after abandon the receiver is left alone', async () => {
  let calls = 0;
  const deflate = new SeekableDeflate({
    target: 1000,
    onBytes: () => {
      calls++;
    },
  });
  await deflate.push(text(100_000));
  await deflate.abandon();
  const before = calls;
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(calls, before);
  await assert.rejects(deflate.push(text(1)), /abandoned/);
});

test('a target of at least 4 bytes and a concurrency of at least 1 are accepted, less is not', () => {
  const make = (target: number, concurrency: number) =>
    new SeekableDeflate({ onBytes: () => {}, target, concurrency });
  make(4, 1);
  for (const [target, concurrency] of [
    [3, 1],
    [4.5, 1],
    [4, 0],
  ] as const)
    assert.throws(() => make(target, concurrency), RangeError);
});

test('the same text gives the same bytes and pieces, however many blocks are in work at once', async () => {
  const { text: content, ends } = featureText(600_000);
  const packed = async (concurrency: number) => {
    const chunks: Uint8Array[] = [];
    const deflate = new SeekableDeflate({
      target: 4_000,
      pieceCost: 0.02,
      concurrency,
      onBytes: (bytes) => void chunks.push(bytes),
    });
    for (const end of ends) deflate.cutAt(end);
    await deflate.push(content);
    const { pieces } = await deflate.end();
    return { data: Buffer.concat(chunks), pieces: Buffer.from(pieces!) };
  };
  const first = await packed(1);
  assert.ok(inflateRawSync(first.data).equals(content));
  for (const concurrency of [1, 4, 9]) assert.deepEqual(await packed(concurrency), first);
});
