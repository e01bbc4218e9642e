/** Texts of features are the same whatever is kept, and however many ask. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { OpenArchive } from '../store/archives.ts';
import type { BlockTable, PartRange } from '../zip/block-table.ts';
import type { Member } from '../zip/member.ts';
import { MemberDamaged } from '../zip/read/member-data.ts';
import { bufferSource } from '../zip/source.ts';
import { SeekableDeflate } from '../zip/write/seekable-deflate.ts';
import { BlockCache } from './block-cache.ts';
import { FeatureText } from './feature-text.ts';

const TEXT = Buffer.from(
  Array.from({ length: 200_000 }, (_, i) => `<棟 n="${(i * 7_919) % 9_973}"/>\n`).join(''),
);
let data: Buffer;
let blocks: BlockTable;

before(async () => {
  const chunks: Uint8Array[] = [];
  const deflate = new SeekableDeflate({ target: 8_000, onBytes: (chunk) => void chunks.push(chunk) });
  await deflate.push(TEXT);
  ({ blocks } = await deflate.end());
  data = Buffer.concat(chunks);
  assert.ok(blocks.count > 100);
});

/** Some ranges of every block, and ranges in several. */
function ranges(): PartRange[] {
  const found: PartRange[] = [];
  for (let i = 0; i < blocks.count; i += i % 3 === 0 ? 1 : 2) {
    const start = blocks.textOffset(i);
    found.push({ start: start + 10, end: start + 1_000 + i }, { start: start + 3_000, end: start + 3_001 });
    if (i % 10 === 0) found.push({ start: start + 4_000, end: start + 40_000 });
  }
  return found.filter(({ end }) => end <= TEXT.length).sort((a, b) => a.start - b.start);
}

function textOf(cache: BlockCache, bytes = data): FeatureText {
  const archive = { archive: bufferSource(bytes) } as Partial<OpenArchive> as OpenArchive;
  const member = { path: 'udx/a.gml', offset: 0, compressedSize: data.length, size: TEXT.length };
  return new FeatureText(cache, archive, member as Member, blocks, 'key');
}

async function all(text: FeatureText, wanted: readonly PartRange[]): Promise<Array<Uint8Array | null>> {
  await using _closing = text;
  const found: Array<Uint8Array | null> = [];
  for await (const part of text.readMany(wanted, { wholeBytes: 30_000 })) found.push(part);
  return found;
}

function assertRight(found: Array<Uint8Array | null>, wanted: readonly PartRange[]): void {
  assert.equal(found.length, wanted.length);
  for (const [i, { start, end }] of wanted.entries()) {
    const part = found[i]!;
    if (part === null) assert.ok(end - start > 30_000);
    else assert.ok(TEXT.subarray(start, end).equals(part));
  }
}

test('alone', async () => {
  const wanted = ranges();
  for (const maxBytes of [0, 1e6]) {
    const cache = new BlockCache(maxBytes);
    for (let i = 0; i < 3; i++) assertRight(await all(textOf(cache), wanted), wanted);
  }
});

test('every second call wants to keep a block, and large blocks are never kept', () => {
  const cache = new BlockCache(1_000);
  assert.deepEqual(
    Array.from({ length: 5 }, () => cache.wants('a', 500)),
    [false, true, false, true, false],
  );
  assert.deepEqual([cache.wants('b', 501), cache.wants('b', 501)], [false, false]);
  cache.put('a', new Uint8Array(500));
  cache.put('c', new Uint8Array(400));
  cache.put('d', new Uint8Array(300));
  assert.deepEqual(
    ['a', 'c', 'd'].map((key) => cache.get(key)?.length),
    [undefined, 400, 300],
  );
});

describe('several callers', () => {
  test('several callers at once, with and without blocks that are kept', async () => {
    const wanted = ranges();
    for (const maxBytes of [0, 1e6]) {
      const cache = new BlockCache(maxBytes);
      for (let i = 0; i < 3; i++) {
        const callers = Array.from({ length: 4 }, () => all(textOf(cache), wanted));
        for (const found of await Promise.all(callers)) assertRight(found, wanted);
      }
    }
  });

  test('a block that is asked for twice is kept', async () => {
    const cache = new BlockCache(1e6);
    const wanted = ranges();
    const last = Array.from({ length: 20 }, (_, i) => `key\n${blocks.find(wanted.at(-1 - i)!.start)}`);
    await all(textOf(cache), wanted);
    assert.deepEqual(
      last.filter((key) => cache.get(key) !== undefined),
      [],
    );
    await all(textOf(cache), wanted.slice(-20));
    assert.deepEqual(
      last.filter((key) => cache.get(key) === undefined),
      [],
    );
  });

  test('a caller who wants no more leaves nothing behind', async () => {
    const cache = new BlockCache(0);
    const wanted = ranges();
    for (let i = 0; i < 3; i++) {
      await using text = textOf(cache);
      for await (const part of text.readMany(wanted, { wholeBytes: 30_000 })) {
        assertRight([part], wanted.slice(0, 1));
        break;
      }
    }
    assertRight(await all(textOf(cache), wanted), wanted);
  });

  test('damage is said when its turn comes', async () => {
    const cache = new BlockCache(0);
    const wanted = ranges();
    const damaged = blocks.find(wanted[Math.floor(wanted.length / 2)]!.start);
    const bytes = Buffer.from(data);
    bytes.fill(0xff, blocks.dataOffset(damaged), blocks.dataOffset(damaged + 1));
    const found: Array<Uint8Array | null> = [];
    await assert.rejects(async () => {
      await using text = textOf(cache, bytes);
      for await (const part of text.readMany(wanted, { wholeBytes: 30_000 })) found.push(part);
    }, MemberDamaged);
    assertRight(found, wanted.slice(0, found.length));
    assert.equal(
      found.length,
      wanted.findIndex(({ end }) => end > blocks.textOffset(damaged)),
    );
  });
});
