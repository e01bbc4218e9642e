import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BlockTable } from '../block-table.ts';
import type { Member } from '../member.ts';
import { MemberDamaged } from '../member-damaged.ts';
import { bufferSource, type RangedSource } from '../source.ts';
import { SeekableDeflate } from '../write/seekable-deflate.ts';
import { gzipRange, gzipSize, identityRange, readWhole } from './member-stream.ts';

interface Served {
  archive: Buffer;
  member: Member;
  blocks: BlockTable | null;
  content: Buffer;
}

const PREFIX = Buffer.from('other members come before');

function served(content: Buffer, data: Buffer, method: 0 | 8, blocks: BlockTable | null): Served {
  const member: Member = {
    path: 'udx/bldg/53394509_bldg_6697_op.gml',
    method,
    offset: PREFIX.length,
    compressedSize: data.length,
    size: content.length,
    crc32: crc32(content),
    sha256: new Uint8Array(32),
    modified: 0,
    sections: {},
  };
  return { archive: Buffer.concat([PREFIX, data, Buffer.from('and after')]), member, blocks, content };
}

async function seekable(content: Buffer, target: number): Promise<Served> {
  const chunks: Uint8Array[] = [];
  const deflate = new SeekableDeflate({ target, onBytes: (bytes) => void chunks.push(bytes) });
  await deflate.push(content);
  const { blocks } = await deflate.end();
  return served(content, Buffer.concat(chunks), 8, BlockTable.decode(blocks.encode()));
}

function text(bytes: number): Buffer {
  const result = Buffer.alloc(bytes);
  for (let i = 0, x = 1; i < bytes; i++) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    result[i] = 48 + ((x >>> 16) % 10);
  }
  return result;
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const list: Uint8Array[] = [];
  for await (const chunk of chunks) {
    assert.ok(chunk.length > 0, 'no empty chunks');
    list.push(chunk);
  }
  return Buffer.concat(list);
}

const content = text(40_000);
const large = text(2_500_000);
const forms: Record<string, Served> = {
  stored: served(content, content, 0, null),
  'deflate without blocks': served(content, deflateRawSync(content), 8, null),
  'deflate without blocks, in several chunks': served(large, deflateRawSync(large), 8, null),
  'one block': await seekable(content, 100_000),
  'many blocks': await seekable(content, 1_000),
  'blocks read in several groups': await seekable(text(4_000_000), 64 * 1024),
};

for (const [form, { archive, member, blocks, content }] of Object.entries(forms)) {
  test(`${form}: every range is the slice of the whole`, async () => {
    const source = bufferSource(archive);
    const range = fc.tuple(fc.nat(content.length), fc.nat(content.length));
    const edges = fc.constantFrom([0, content.length], [0, 0], [content.length, content.length], [0, 1]);
    await fc.assert(
      fc.asyncProperty(fc.oneof(range, edges), async (pair) => {
        const [start, end] = pair.toSorted((a, b) => a - b) as [number, number];
        const got = await collect(identityRange(source, member, blocks, start, end));
        assert.ok(got.equals(content.subarray(start, end)));
      }),
      { numRuns: 60 },
    );
    assert.ok((await collect(identityRange(source, member, blocks, 0, content.length))).equals(content));
    assert.ok(content.equals(await readWhole(source, member)));
    assert.throws(() => identityRange(source, member, blocks, 0, content.length + 1), RangeError);
    assert.throws(() => identityRange(source, member, blocks, 2, 1), RangeError);
  });
}

for (const form of ['deflate without blocks', 'many blocks'] as const) {
  test(`${form}: the gzip form, whole and by range`, async () => {
    const { archive, member } = forms[form] as Served;
    const source = bufferSource(archive);
    const size = gzipSize(member);
    const whole = await collect(gzipRange(source, member, 0, size));
    assert.equal(whole.length, size);
    assert.ok(gunzipSync(whole).equals(content));
    const edge = fc.constantFrom(0, 1, 9, 10, 11, size - 9, size - 8, size - 7, size - 1, size);
    const position = fc.oneof(fc.nat(size), edge);
    await fc.assert(
      fc.asyncProperty(position, position, async (a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        const got = await collect(gzipRange(source, member, start, end));
        assert.ok(got.equals(whole.subarray(start, end)), `${start} to ${end}`);
      }),
      { numRuns: 200 },
    );
    assert.throws(() => gzipRange(source, member, 0, size + 1), RangeError);
  });
}

test('a stored member has no gzip form; the size in the trailer wraps at 4 GiB', async () => {
  const { member } = forms.stored as Served;
  assert.throws(() => gzipSize(member), TypeError);
  const big = { ...member, method: 8 as const, size: 2 ** 32 + 5 };
  const end = gzipSize(big);
  const trailer = await collect(gzipRange(bufferSource(PREFIX), big, end - 4, end));
  assert.equal(trailer.readUInt32LE(), 5);
});

test('a range reads the blocks that it touches and nothing else', async () => {
  const { archive, member, blocks, content } = (await seekable(text(200_000), 10_000)) as Served & {
    blocks: BlockTable;
  };
  const inner = bufferSource(archive);
  const reads: Array<[number, number]> = [];
  const source: RangedSource = {
    size: inner.size,
    read: (offset, length) => {
      reads.push([offset, length]);
      return inner.read(offset, length);
    },
    stream: () => assert.fail('a range of blocks is read, not streamed'),
  };
  const start = blocks.textOffset(4) - 1;
  const end = blocks.textOffset(6) + 1;
  assert.ok(
    (await collect(identityRange(source, member, blocks, start, end))).equals(content.subarray(start, end)),
  );
  assert.deepEqual(reads, [
    [member.offset + blocks.dataOffset(3), blocks.dataOffset(7) - blocks.dataOffset(3)],
  ]);
});

test('damage is noticed: within a block, in the whole, in a table that belongs to another member', async () => {
  const { archive, member, blocks } = forms['many blocks'] as Served & { blocks: BlockTable };
  const damaged = Buffer.from(archive);
  damaged.fill(0xff, member.offset + blocks.dataOffset(3) + 3, member.offset + blocks.dataOffset(3) + 60);
  const source = bufferSource(damaged);
  const range = (from: number, to: number) => collect(identityRange(source, member, blocks, from, to));
  await assert.rejects(range(blocks.textOffset(3), blocks.textOffset(4)), MemberDamaged);
  await range(blocks.textOffset(4), member.size);

  const wrongCrc = { ...member, crc32: 1 };
  const wholeOf = (m: Member, b: BlockTable | null) =>
    collect(identityRange(bufferSource(archive), m, b, 0, m.size));
  for (const table of [blocks, null]) {
    await assert.rejects(wholeOf(wrongCrc, table), { code: 'CRC_MISMATCH' });
  }
  await assert.rejects(readWhole(bufferSource(archive), wrongCrc), { code: 'CRC_MISMATCH' });
  const other = BlockTable.fromLengths([1], [1]);
  await assert.rejects(wholeOf(member, other), { code: 'HEADERS_DISAGREE' });
  const stored = forms.stored as Served;
  const crc = { ...stored.member, crc32: 1 };
  await assert.rejects(collect(identityRange(bufferSource(stored.archive), crc, null, 0, crc.size)), {
    code: 'CRC_MISMATCH',
  });
});

test('a consumer that goes away stops the reading', async () => {
  const { archive, member, blocks } = await seekable(text(12_000_000), 64 * 1024);
  let running = 0;
  let reads = 0;
  const inner = bufferSource(archive);
  const source: RangedSource = {
    ...inner,
    async read(offset, length) {
      running++;
      reads++;
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return inner.read(offset, length);
    },
  };
  for await (const _ of identityRange(source, member, blocks, 0, member.size)) break;
  assert.equal(running, 0);
  assert.ok(
    reads <= 5 && member.compressedSize > 4_000_000,
    `${reads} reads of ${member.compressedSize} bytes`,
  );
});

test('a sync flush at the end of a block is not taken for the end of the member', async () => {
  const data = deflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH });
  const { archive, member } = served(content, data, 8, null);
  await assert.rejects(collect(identityRange(bufferSource(archive), member, null, 0, member.size)), {
    code: 'TRUNCATED',
  });
});

test('a range of an ordinary deflate member reads no farther than its end', async () => {
  const content = text(5_000_000);
  const data = deflateRawSync(content);
  const member = {
    ...(forms.stored as Served).member,
    method: 8 as const,
    size: content.length,
    compressedSize: data.length,
    offset: 0,
  };
  let bytes = 0;
  const source: RangedSource = {
    ...bufferSource(data),
    async *stream(offset, length) {
      for (let at = offset; at < offset + length; at += 65_536) {
        const chunk = data.subarray(at, Math.min(at + 65_536, offset + length));
        bytes += chunk.length;
        yield chunk;
      }
    },
  };
  const got = await collect(identityRange(source, member, null, 1000, 2000));
  assert.ok(got.equals(content.subarray(1000, 2000)));
  assert.ok(bytes < data.length * 0.9, `${bytes} of ${data.length} bytes were read`);
});

test('the gzip form begins with the ten bytes that RFC 1952 asks for, without name, time and system', async () => {
  const { archive, member } = Object.values(forms).find((form) => form.member.method === 8) as Served;
  const head = await collect(gzipRange(bufferSource(archive), member, 0, 10));
  assert.deepEqual([...head], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
});
