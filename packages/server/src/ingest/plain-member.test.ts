import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32, gzipSync, inflateRawSync } from 'node:zlib';
import { compressMember, passPlain } from './plain-member.ts';
import type { RawMember, Upload, UploadMember } from './upload.ts';

const TEXT = Buffer.from('a text that is long enough to become shorter, '.repeat(40));

/** An upload of one member, in chunks; `raw` is how it has the member compressed. */
function uploadOf(bytes: Buffer, { name = 'a.txt', chunk = 700, raw = null as RawMember | null } = {}) {
  const member: UploadMember = { name, size: bytes.length, crc32: null, modified: 0 };
  const upload = {
    raw: () => raw,
    async *read(_member: UploadMember, { onRaw }: { onRaw?: (chunk: Uint8Array) => unknown } = {}) {
      for (let at = 0; at < bytes.length; at += chunk) {
        await onRaw?.(Buffer.from(`raw ${at}`));
        yield bytes.subarray(at, at + chunk);
      }
    },
  } as unknown as Upload;
  return { upload, member };
}

/** What the archive keeps, and how much text was reported. */
async function passed(
  bytes: Buffer,
  options: Parameters<typeof uploadOf>[1] & { unwrapGzip?: boolean } = {},
) {
  const { upload, member } = uploadOf(bytes, options);
  let textBytes = 0;
  const { chunks, sha256, ...rest } = await compressMember(upload, member, {
    level: 9,
    unwrapGzip: options.unwrapGzip ?? false,
    onText: (count) => {
      textBytes += count;
    },
  });
  return { ...rest, sha256: Buffer.from(sha256).toString('hex'), data: Buffer.concat(chunks), textBytes };
}

const factsOf = (text: Buffer) => ({
  crc32: crc32(text),
  size: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
});

test('a member of a directory is compressed, unless it is compressed in itself', async () => {
  const { data, ...text } = await passed(TEXT);
  assert.deepEqual(text, {
    ...factsOf(TEXT),
    method: 8,
    compressedSize: data.length,
    textBytes: TEXT.length,
  });
  assert.deepEqual(inflateRawSync(data), TEXT);
  for (const name of ['a.JPG', 'a.jpeg', 'a.zip', 'b/c.ktx2', 'x.mp4']) {
    const image = await passed(TEXT, { name });
    assert.deepEqual(
      [image.method, image.compressedSize, image.textBytes],
      [0, TEXT.length, TEXT.length],
      name,
    );
    assert.deepEqual(image.data, TEXT);
  }
  assert.equal((await passed(TEXT, { name: 'zip' })).method, 8);
});

test('stored bytes of a zip are kept as they are', async () => {
  for (const method of [0, 8] as const) {
    const kept = await passed(TEXT, { raw: { method, compressedSize: 9, crc32: 1 } });
    assert.equal(String(kept.data), 'raw 0raw 700raw 1400');
    assert.deepEqual(
      [kept.method, kept.compressedSize, kept.textBytes, kept.crc32],
      [method, kept.data.length, TEXT.length, crc32(TEXT)],
    );
  }
});

test('what waits for the writer holds up the reading', async () => {
  const { upload, member } = uploadOf(TEXT, { name: 'a.zip' });
  const order: string[] = [];
  await passPlain(upload, member, {
    level: 1,
    onText: () => order.push('text'),
    onBytes: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('written');
    },
  });
  assert.deepEqual(order, ['text', 'written', 'text', 'written', 'text', 'written']);
});

test('a tile in gzip is kept as what is inside, and any other as it is', async () => {
  const gzip = gzipSync(TEXT);
  for (const chunk of [20, gzip.length]) {
    const { data, ...tile } = await passed(gzip, { unwrapGzip: true, chunk });
    assert.deepEqual(tile, {
      ...factsOf(TEXT),
      method: 8,
      compressedSize: data.length,
      textBytes: gzip.length,
    });
    assert.deepEqual(inflateRawSync(data), TEXT);
  }
  for (const other of [TEXT, Buffer.concat([gzip, gzip])]) {
    const tile = await passed(other, { unwrapGzip: true });
    assert.deepEqual([tile.size, tile.crc32], [other.length, crc32(other)]);
    assert.deepEqual(inflateRawSync(tile.data), other);
  }
  const untouched = await passed(gzip, { name: 'a.txt' });
  assert.equal(untouched.size, gzip.length);
});
