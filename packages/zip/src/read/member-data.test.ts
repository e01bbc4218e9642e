import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { bufferSource, type RangedSource } from '../source.ts';
import { extraField, type RawMember, rawZip, u64 } from '../testing/raw-zip.ts';
import {
  locateData,
  type MemberDamage,
  MemberDamaged,
  type ReadMemberOptions,
  readMember,
} from './member-data.ts';
import { readZipDirectory, ZipRefused } from './zip-directory.ts';

/** Streams in chunks of the given size, and notes whether every stream was closed. */
function chunked(bytes: Uint8Array, size: number): RangedSource & { open: number; streamed: number } {
  const inner = bufferSource(bytes);
  return {
    size: bytes.length,
    open: 0,
    streamed: 0,
    read: inner.read,
    async *stream(offset, length) {
      this.open++;
      try {
        for (let at = 0; at < length; at += size) {
          const chunk = await inner.read(offset + at, Math.min(size, length - at));
          this.streamed += chunk.length;
          yield chunk;
        }
      } finally {
        this.open--;
      }
    },
  };
}

async function readFirst(source: RangedSource, options?: ReadMemberOptions): Promise<Buffer> {
  const directory = await readZipDirectory(source);
  const chunks: Uint8Array[] = [];
  for await (const chunk of readMember(source, directory.entry(0), options)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function assertDamaged(read: Promise<unknown>, code: MemberDamage) {
  return assert.rejects(read, (error: unknown) => {
    assert.ok(error instanceof MemberDamaged, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
}

/** Text that deflate makes about a quarter of. */
function text(bytes: number): Buffer {
  const result = Buffer.alloc(bytes);
  for (let i = 0, x = 1; i < bytes; i++) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    result[i] = 48 + ((x >>> 16) % 5);
  }
  return result;
}

const large = text(5_000_000);

interface Packed {
  content: Buffer;
  /** As deflate data, at the lowest effort: how small it gets does not matter. */
  data: Buffer;
}

/** Beginnings of the text by their size. */
const beginnings = new Map(
  [0, 1, 1000, 1024 * 1024, 3_000_000, 5_000_000].map((size): [number, Packed] => {
    const content = large.subarray(0, size);
    return [size, { content, data: deflateRawSync(content, { level: 1 }) }];
  }),
);

test('members of every size come back, with their raw bytes handed on in the same read', async () => {
  for (const size of [0, 1, 1000, 1024 * 1024, 5_000_000]) {
    for (const method of [0, 8]) {
      const { content, data: deflated } = beginnings.get(size)!;
      const data = method === 8 ? deflated : content;
      const source = chunked(rawZip([{ name: 'a', text: content, method, data }, { name: 'b' }]), 100_000);
      const raw: Uint8Array[] = [];
      const got = await readFirst(source, {
        onRaw: async (chunk) => {
          await Promise.resolve();
          raw.push(Uint8Array.from(chunk));
        },
      });
      assert.ok(got.equals(content), `${size} bytes by method ${method}`);
      assert.ok(Buffer.concat(raw).equals(data));
      assert.equal(source.open, 0);
    }
  }
});

test('a small member takes one read', async () => {
  const source = bufferSource(
    rawZip([{ name: 'a', text: 'small', extra: extraField(0x9999, new Uint8Array(100)) }]),
  );
  const entry = (await readZipDirectory(source)).entry(0);
  let reads = 0;
  const counting: RangedSource = {
    ...source,
    read: (offset, length) => {
      reads++;
      return source.read(offset, length);
    },
  };
  let place = 0;
  const onPlace = (offset: number) => {
    place = offset;
  };
  for await (const chunk of readMember(counting, entry, { onPlace })) {
    assert.equal(Buffer.from(chunk).toString(), 'small');
    assert.equal(place, 30 + 1 + 104);
  }
  assert.equal(reads, 1);
  assert.equal(await locateData(source, entry), place);
});

test('long extra fields, and Zip64 sizes in the local header', async () => {
  const max = 0xffffffff;
  const member: RawMember = {
    name: 'a',
    text: 'zip64',
    method: 0,
    localSays: { size: max, compressedSize: max },
    extra: new Uint8Array(0),
    localExtra: Buffer.concat([extraField(0x9999, new Uint8Array(60_000)), extraField(1, u64(5), u64(5))]),
  };
  assert.equal((await readFirst(bufferSource(rawZip([member])))).toString(), 'zip64');
});

test('data descriptors: sizes that follow the data are taken from the directory', async () => {
  const descriptor = Buffer.alloc(16);
  const member: RawMember = {
    name: 'a',
    text: 'described',
    flags: 0x808,
    localSays: { crc32: 0, size: 0, compressedSize: 0 },
    after: descriptor,
  };
  assert.equal((await readFirst(bufferSource(rawZip([member, { name: 'b' }])))).toString(), 'described');
});

/** Damage of a member, small and large, and what is said of it. */
const damages: Array<[string, MemberDamage, (packed: Packed) => RawMember]> = [
  [
    'no local header',
    'NO_LOCAL_HEADER',
    ({ content, data }) => ({ name: 'a', text: content, data, headerOffset: 1, after: new Uint8Array(1) }),
  ],
  [
    'another name',
    'HEADERS_DISAGREE',
    ({ content, data }) => ({ name: 'a', text: content, data, localSays: { name: Buffer.from('b') } }),
  ],
  [
    'another method',
    'HEADERS_DISAGREE',
    ({ content, data }) => ({ name: 'a', text: content, data, localSays: { method: 0 } }),
  ],
  [
    'another size',
    'HEADERS_DISAGREE',
    ({ content, data }) => ({ name: 'a', text: content, data, localSays: { size: 1 } }),
  ],
  [
    'another CRC',
    'HEADERS_DISAGREE',
    ({ content, data }) => ({ name: 'a', text: content, data, localSays: { crc32: 1 } }),
  ],
  [
    'data into the directory',
    'OVERLAPS',
    ({ content, data }) => ({
      name: 'a',
      text: content,
      localExtra: extraField(9, new Uint8Array(9)),
      data: data.subarray(0, -9),
      says: { compressedSize: data.length },
    }),
  ],
  [
    'more than declared',
    'INFLATES_TOO_FAR',
    ({ content, data }) => ({ name: 'a', text: content, data, says: { size: content.length - 1 } }),
  ],
  [
    'less than declared',
    'INFLATES_SHORT',
    ({ content, data }) => ({ name: 'a', text: content, data, says: { size: content.length + 1 } }),
  ],
  ['cut data', 'TRUNCATED', cutData],
  [
    'not deflate',
    'BAD_DEFLATE',
    ({ content }) => ({ name: 'a', text: content, data: Buffer.alloc(content.length / 2, 0xff) }),
  ],
  [
    'bytes behind the deflate data',
    'BAD_DEFLATE',
    ({ content, data }) => ({
      name: 'a',
      text: content,
      data: Buffer.concat([data, Buffer.alloc(400_000, 1)]),
    }),
  ],
  [
    'another CRC than the data',
    'CRC_MISMATCH',
    ({ content, data }) => ({ name: 'a', text: content, data, says: { crc32: 1 } }),
  ],
  [
    'another CRC than the stored data',
    'CRC_MISMATCH',
    ({ content }) => ({ name: 'a', text: content, method: 0, says: { crc32: 1 } }),
  ],
];

function cutData({ content, data }: Packed): RawMember {
  return { name: 'a', text: content, data: data.subarray(0, data.length - 3) };
}

for (const [what, code, member] of damages) {
  test(`damage: ${what}`, async () => {
    for (const size of [1000, 3_000_000]) {
      const source = chunked(rawZip([member(beginnings.get(size)!)]), 65536);
      await assertDamaged(readFirst(source), code);
      assert.equal(source.open, 0);
    }
  });
}

test('the ratio is accepted up to the limit itself, and no further', async () => {
  // Not compressed, so the ratio is exactly 1.
  const stored = bufferSource(rawZip([{ name: 'a', text: Buffer.alloc(2 << 20), method: 0 }]));
  assert.equal((await readFirst(stored, { maxRatio: 1 })).length, 2 << 20);
  await assertDamaged(readFirst(stored, { maxRatio: 1 - 1e-6 }), 'RATIO_TOO_HIGH');
});

test('limits: size and ratio are checked before anything is read', async () => {
  const bomb = bufferSource(rawZip([{ name: 'a', text: Buffer.alloc(20_000_000) }]));
  await assertDamaged(readFirst(bomb, { maxSize: 10_000_000 }), 'TOO_LARGE');
  await assertDamaged(readFirst(bomb, { maxRatio: 100 }), 'RATIO_TOO_HIGH');
  assert.equal((await readFirst(bomb, { maxSize: 20_000_000, maxRatio: 1_032 })).length, 20_000_000);
});

test('a member that inflates to far more than declared is stopped early', async () => {
  // 500 MB: a block that is not the last one may come again and again.
  const block = deflateRawSync(Buffer.alloc(10_000_000), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const data = Buffer.concat([...Array.from({ length: 50 }, () => block), deflateRawSync('')]);
  for (const size of [10, 2_000_000]) {
    const source = chunked(rawZip([{ name: 'a', data, says: { size } }]), 16_384);
    let out = 0;
    const directory = await readZipDirectory(source);
    await assertDamaged(
      (async () => {
        for await (const chunk of readMember(source, directory.entry(0))) out += chunk.length;
      })(),
      'INFLATES_TOO_FAR',
    );
    assert.ok(out <= size);
    assert.ok(source.streamed < 300_000, `${source.streamed} bytes were read`);
    assert.equal(source.open, 0);
  }
});

test('cancelling closes the source, and reading does not run ahead of the consumer', async () => {
  const content = text(60_000_000);
  const source = chunked(
    rawZip([{ name: 'a', text: content, data: deflateRawSync(content, { level: 1 }) }]),
    65_536,
  );
  const directory = await readZipDirectory(source);
  for await (const chunk of readMember(source, directory.entry(0))) {
    assert.ok(chunk.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    break;
  }
  assert.equal(source.open, 0);
  assert.ok(source.streamed < 8_000_000, `${source.streamed} bytes were read for the first chunk`);
});

test('an error of the source or of the receiver of raw bytes comes through as it is', async () => {
  const zip = rawZip([{ name: 'a', text: large, data: beginnings.get(5_000_000)!.data }]);
  const failing: RangedSource = {
    ...bufferSource(zip),
    async *stream(offset, length) {
      yield zip.subarray(offset, offset + Math.floor(length / 2));
      throw new Error('disk gone');
    },
  };
  await assert.rejects(readFirst(failing), /disk gone/);
  const onRaw = () => Promise.reject(new Error('disk full'));
  await assert.rejects(readFirst(bufferSource(zip), { onRaw }), /disk full/);
});

test('a deflate stream with flushes in it is read like any other', async () => {
  const parts = [large.subarray(0, 300_000), large.subarray(300_000, 2_000_000)];
  const data = Buffer.concat(
    parts.map((part, i) =>
      deflateRawSync(part, { finishFlush: i === 1 ? constants.Z_FINISH : constants.Z_SYNC_FLUSH }),
    ),
  );
  const content = Buffer.concat(parts);
  assert.ok((await readFirst(bufferSource(rawZip([{ name: 'a', text: content, data }])))).equals(content));
});

test('whatever bytes are changed, a member is right, damaged or refused', async () => {
  const content = text(3_000);
  const zip = rawZip([
    { name: 'a', text: content },
    { name: 'b', text: 'x' },
  ]);
  await fc.assert(
    fc.asyncProperty(fc.nat(zip.length - 1), fc.integer({ min: 1, max: 255 }), async (at, xor) => {
      const bytes = Buffer.from(zip);
      bytes[at] = (bytes[at] as number) ^ xor;
      try {
        const source = bufferSource(bytes);
        const directory = await readZipDirectory(source);
        for (const entry of directory.entries()) {
          if (entry.name !== 'a') continue;
          const got: Uint8Array[] = [];
          for await (const chunk of readMember(source, entry)) got.push(chunk);
          assert.ok(Buffer.concat(got).equals(content));
        }
      } catch (error) {
        assert.ok(error instanceof MemberDamaged || error instanceof ZipRefused, String(error));
      }
    }),
    { numRuns: 1_000 },
  );
});

test('with a data descriptor a local header says nothing, all bits, or the truth, and nothing else', async () => {
  const max = 0xffffffff;
  const read = (says: Partial<{ crc32: number; size: number; compressedSize: number }>, flags = 0x808) =>
    readFirst(
      bufferSource(
        rawZip([
          {
            name: 'a',
            text: 'described',
            flags,
            localSays: { crc32: 0, size: 0, compressedSize: 0, ...says },
          },
          { name: 'b' },
        ]),
      ),
    );
  for (const key of ['crc32', 'size', 'compressedSize'] as const) {
    assert.equal((await read({ [key]: max })).toString(), 'described');
    await assertDamaged(read({ [key]: 7 }), 'HEADERS_DISAGREE');
  }
  await assertDamaged(read({}, 0x800), 'HEADERS_DISAGREE');
});

test('a wrong CRC-32 is told as eight hexadecimal digits', async () => {
  const zip = rawZip([{ name: 'a', text: 'abc', says: { crc32: 0x0a } }]);
  await assert.rejects(
    readFirst(bufferSource(zip)),
    /CRC-32 of the data is 352441c2; the directory says 0000000a\./,
  );
});

test('a Zip64 field of a local header that is too short says nothing', async () => {
  const max = 0xffffffff;
  const member = (field: Uint8Array): RawMember => ({
    name: 'a',
    text: 'described',
    flags: 0x808,
    localSays: { crc32: 0, size: max, compressedSize: max },
    localExtra: Buffer.concat([extraField(1, field), extraField(0x9999, new Uint8Array(20))]),
    after: new Uint8Array(24),
  });
  assert.equal((await readFirst(bufferSource(rawZip([member(new Uint8Array(4))])))).toString(), 'described');
  assert.equal((await readFirst(bufferSource(rawZip([member(u64(9))])))).toString(), 'described');
  await assertDamaged(readFirst(bufferSource(rawZip([member(u64(8))]))), 'HEADERS_DISAGREE');
});

test('a local header that says otherwise whether the data is encrypted is told', async () => {
  const bytes = Buffer.from(rawZip([{ name: 'a', text: 'open' }]));
  const source = bufferSource(bytes);
  const entry = (await readZipDirectory(source)).entry(0);
  // Flags of the first local header (APPNOTE 4.3.7).
  bytes[6]! |= 1;
  await assert.rejects(locateData(source, entry), /another encryption flag than the directory/);
  bytes[6]! ^= 1;
  bytes[7]! ^= 8;
  assert.equal(await locateData(source, entry), 31, 'how the name is written is no matter of the data');
});
