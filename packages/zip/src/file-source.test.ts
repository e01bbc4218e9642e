import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openFileSource } from './file-source.ts';

const CHUNK = 256 * 1024;
const content = Buffer.from(Uint32Array.from({ length: 200_000 }, (_, i) => i).buffer);
let directory: string;
let path: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'citymodel-source-'));
  path = join(directory, 'file');
  await writeFile(path, content);
});

after(() => rm(directory, { recursive: true, force: true }));

test('reads are slices of the file', async () => {
  await using source = await openFileSource(path);
  assert.equal(source.size, 800_000);
  for (const [offset, length] of [
    [0, 800_000],
    [0, 0],
    [800_000, 0],
    [123, 4_567],
    [799_999, 1],
  ] as const) {
    const expected = content.subarray(offset, offset + length);
    assert.ok(expected.equals(await source.read(offset, length)));
    const target = new Uint8Array(length);
    await source.readInto(target, offset);
    assert.ok(expected.equals(target));
  }
});

test('a stream comes in chunks of 256 KiB, lent or not', async () => {
  await using source = await openFileSource(path);
  for (const lent of [false, true]) {
    for (const [offset, length, sizes] of [
      [0, 800_000, [CHUNK, CHUNK, CHUNK, 800_000 - 3 * CHUNK]],
      [5, CHUNK, [CHUNK]],
      [5, CHUNK + 1, [CHUNK, 1]],
      [5, 0, []],
      [799_990, 10, [10]],
    ] as const) {
      const seen: number[] = [];
      const copies: Buffer[] = [];
      const kept: Uint8Array[] = [];
      for await (const chunk of source.stream(offset, length, { lent })) {
        seen.push(chunk.length);
        copies.push(Buffer.from(chunk));
        kept.push(chunk);
      }
      assert.deepEqual(seen, sizes);
      assert.ok(Buffer.concat(copies).equals(content.subarray(offset, offset + length)));
      if (!lent) assert.ok(Buffer.concat(kept).equals(Buffer.concat(copies)), 'what is not lent stays');
      const buffers = new Set(kept.map(({ buffer }) => buffer)).size;
      assert.equal(buffers, lent ? Math.min(2, sizes.length) : sizes.length);
    }
  }
});

test('what lies outside is refused', async () => {
  await using source = await openFileSource(path);
  for (const [offset, length] of [
    [-1, 1],
    [0, -1],
    [0, 800_001],
    [800_000, 1],
    [0.5, 1],
    [0, 0.5],
    [Number.NaN, 1],
  ] as const) {
    const reason = /lie outside .*file of 800000 bytes/;
    await assert.rejects(source.read(offset, length), reason, `${offset}+${length}`);
    await assert.rejects(source.stream(offset, length).next(), reason);
  }
  await assert.rejects(source.readInto(new Uint8Array(2), 799_999), /lie outside/);
});

test('a stream that nobody reads to its end leaves no read behind', async () => {
  const source = await openFileSource(path);
  for await (const chunk of source.stream(0, 800_000)) {
    assert.equal(chunk.length, CHUNK);
    break;
  }
  await source[Symbol.asyncDispose]();
  await assert.rejects(source.read(0, 1), /EBADF|closed/);
});

test('a file that was cut off meanwhile is told of, and one that is not there too', async () => {
  const cut = join(directory, 'cut');
  await writeFile(cut, content.subarray(0, 100));
  await using source = await openFileSource(cut);
  await truncate(cut, 60);
  await assert.rejects(source.read(50, 20), /ends at byte 60; it had 100 bytes when it was opened/);
  assert.ok(content.subarray(50, 60).equals(await source.read(50, 10)));
  await assert.rejects(openFileSource(join(directory, 'none')), { code: 'ENOENT' });
});
