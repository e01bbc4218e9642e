/** Bits that flip on the way from the object store: nobody gets the wrong bytes whole, and nothing of them is kept. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import {
  ARCHIVE_PAGE_BYTES,
  encodeBlockChecks,
  gzipRange,
  gzipSize,
  identityRange,
  type Member,
  MemberDamaged,
  MemberIndexBuilder,
  PageSumsWriter,
  partIsChecked,
  readWhole,
  SeekableDeflate,
  type StreamOptions,
} from '@citymodel/zip';
import { MemorySink } from '@citymodel/zip/testing';
import { Archives } from './archives.ts';
import { BlockMemory } from './cache/block-memory.ts';
import { CachedStore, type TaggedHandle, type TaggedStore } from './cache/cached-store.ts';
import { DiskCache } from './cache/disk-cache.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { chunks } from './testing/object-store-conformance.ts';

const PACKAGE = { id: 'p', archiveKey: 'archives/p.zip', indexKey: 'archives/p.index' };

/** Text that deflates to about half, the same each time. */
function text(bytes: number): Buffer {
  const result = Buffer.alloc(bytes);
  for (let i = 0, x = bytes; i < bytes; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    result[i] = 97 + ((x >>> 24) & 15);
  }
  return result;
}

const CONTENTS: Record<string, { method: 0 | 8; bytes: Buffer }> = {
  'tiles/small.b3dm': { method: 8, bytes: text(30_000) },
  'tiles/stored.jpg': { method: 0, bytes: text(40_000) },
  'udx/large.gml': { method: 8, bytes: text(1_500_000) },
  'udx/large.tif': { method: 0, bytes: text(700_000) },
};

/** A member in blocks, with checks of them. */
const SEEKABLE = 'udx/seekable.gml';
const SEEKABLE_TEXT = text(2_000_000);

/** A store whose answers come with a flipped bit at `flip.at` of an object, as often as `flip.times` says. */
class FlippingStore extends MemoryStore {
  flip: { key: string; at: number; bit: number; times: number } | null = null;
  override readonly traits = {
    handleOutlivesDelete: true,
    movesLocalFiles: false,
    readCost: 'remote' as const,
  };

  override async open(key: string): Promise<TaggedHandle> {
    const handle = await super.open(key);
    const flipped = (offset: number, bytes: Uint8Array) => {
      const { flip } = this;
      const copy = Uint8Array.from(bytes);
      if (flip === null || flip.key !== key || flip.times === 0) return copy;
      if (flip.at < offset || flip.at >= offset + bytes.length) return copy;
      flip.times--;
      copy[flip.at - offset]! ^= 1 << flip.bit;
      return copy;
    };
    return {
      size: handle.size,
      etag: '"e"',
      read: async (offset: number, length: number) => flipped(offset, await handle.read(offset, length)),
      async *stream(offset: number, length: number, _options?: StreamOptions) {
        for (let at = 0; at < length; at += 65_536) {
          const bytes = await handle.read(offset + at, Math.min(65_536, length - at));
          yield flipped(offset + at, bytes);
        }
      },
      [Symbol.asyncDispose]: () => handle[Symbol.asyncDispose]() as Promise<void>,
    };
  }
}

async function filled(hasSums: boolean): Promise<FlippingStore> {
  const store = new FlippingStore();
  const sink = new MemorySink();
  const index = new MemberIndexBuilder(sink);
  const parts: Buffer[] = [];
  let offset = 0;
  for (const [path, { method, bytes }] of Object.entries(CONTENTS)) {
    const data = method === 8 ? deflateRawSync(bytes, { level: 1 }) : bytes;
    const member = { path, method, offset, compressedSize: data.length, size: bytes.length, modified: 2000 };
    await index.add({ ...member, crc32: crc32(bytes), sha256: new Uint8Array(32) }, {});
    parts.push(data);
    offset += data.length;
  }
  const deflate = new SeekableDeflate({ level: 1, onBytes: (bytes) => void parts.push(Buffer.from(bytes)) });
  await deflate.push(SEEKABLE_TEXT);
  const { blocks, blockCrcs, ...totals } = await deflate.end();
  const table = blocks.encode();
  const features = Buffer.from('features');
  await index.add(
    { path: SEEKABLE, method: 8, offset, ...totals, modified: 2000, sha256: new Uint8Array(32) },
    { blocks: table, features, checks: encodeBlockChecks({ table, features }, blockCrcs) },
  );
  const sums = new PageSumsWriter(ARCHIVE_PAGE_BYTES);
  for (const part of parts) sums.push(part);
  await index.finish(hasSums ? sums.finish() : undefined);
  await store.put(PACKAGE.archiveKey, chunks(Buffer.concat(parts)));
  await store.put(PACKAGE.indexKey, chunks(sink.bytes));
  return store;
}

async function service(t: TestContext, hasSums = true) {
  const directory = await mkdtemp(join(tmpdir(), 'damaged-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const store = await filled(hasSums);
  const damaged: string[] = [];
  /** A process over the store: memory of its own, the disk of all. */
  const start = () => {
    const disk = new DiskCache(directory, 100_000_000);
    const objects = new CachedStore(store as TaggedStore, new BlockMemory(10_000_000, disk));
    const archives = new Archives(objects, { maxOpen: 4, onDamage: (key) => damaged.push(key) });
    return { archives, end: () => archives.close().then(() => disk.settle()) };
  };
  return { store, damaged, start };
}

type Form = 'plain' | 'gzip' | 'whole';

/** What a caller gets of a member: its bytes, or that the line was cut, and after how many. */
async function get(archives: Archives, path: string, form: Form) {
  await using archive = await archives.open(PACKAGE);
  const member = archive.index.find(path) as Member;
  const length = form === 'gzip' ? gzipSize(member) : member.size;
  const pieces =
    form === 'whole'
      ? whole(readWhole(archive.archive, member))
      : form === 'gzip'
        ? gzipRange(archive.archive, member, 0, length, archive.knownData)
        : identityRange(archive.archive, member, null, 0, length);
  const got: Buffer[] = [];
  let sent = 0;
  try {
    for await (const piece of pieces) {
      got.push(Buffer.from(piece));
      sent += piece.length;
    }
  } catch (error) {
    assert.ok(error instanceof MemberDamaged, String(error));
    assert.ok(sent < length, 'a caller who counts the bytes has all of them');
    return null;
  }
  const bytes = Buffer.concat(got);
  return form === 'gzip' ? gunzipSync(bytes) : bytes;
}

async function find(archives: Archives, path: string): Promise<Member> {
  await using archive = await archives.open(PACKAGE);
  return archive.index.find(path) as Member;
}

async function drop(archives: Archives, offset: number, length: number): Promise<void> {
  await using archive = await archives.open(PACKAGE);
  await archive.archive.damaged?.(offset, length);
}

async function* whole(bytes: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await bytes;
}

for (const [path, { method, bytes }] of Object.entries(CONTENTS)) {
  const forms: Form[] = method === 8 ? ['plain', 'gzip', 'whole'] : ['plain', 'whole'];
  for (const form of forms) {
    test(`a bit that flips in ${path} as ${form} is noticed, and is gone with the fault`, async (t) => {
      const { store, damaged, start } = await service(t);
      let { archives, end } = start();
      const { offset, compressedSize } = await find(archives, path);
      const positions = [0, 1, 3_000, compressedSize - 1].map((at) => offset + at);
      for (const [i, at] of positions.entries()) {
        damaged.length = 0;
        const isKnown = i % 2 === 1;
        if (isKnown) assert.ok((await get(archives, path, form))?.equals(bytes));
        // What was read before may be in the cache, where no bit flips.
        await drop(archives, offset, compressedSize);
        damaged.length = 0;

        store.flip = { key: PACKAGE.archiveKey, at, bit: i, times: Number.POSITIVE_INFINITY };
        const got = await get(archives, path, form);
        // Bits that fill the last byte of deflate data mean nothing.
        if (at === offset + compressedSize - 1) assert.ok(got === null || got.equals(bytes));
        else assert.ok(got === null, 'damage that stays is no answer');
        assert.ok(got !== null || (damaged.length > 0 && damaged.every((key) => key === PACKAGE.archiveKey)));
        store.flip = null;
        assert.ok((await get(archives, path, form))?.equals(bytes), 'nothing of it is in memory');
        await end();
        ({ archives, end } = start());
        assert.ok((await get(archives, path, form))?.equals(bytes), 'nothing of it is on the disk');
      }
      await end();
    });
  }
}

/** What a caller gets of a part of the seekable member, in either form; null when it was cut. */
async function getPart(archives: Archives, start: number, end: number, form: 'plain' | 'gzip') {
  await using archive = await archives.open(PACKAGE);
  const member = archive.index.find(SEEKABLE) as Member;
  const blocks = await archive.blocks(member);
  const pieces =
    form === 'gzip'
      ? gzipRange(archive.archive, member, start, end, archive.knownData, blocks)
      : identityRange(archive.archive, member, blocks, start, end);
  try {
    return Buffer.concat(await collect(pieces));
  } catch (error) {
    assert.ok(error instanceof MemberDamaged, String(error));
    return null;
  }
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer[]> {
  const got: Buffer[] = [];
  for await (const piece of pieces) got.push(Buffer.from(piece));
  return got;
}

for (const form of ['plain', 'gzip'] as const) {
  test(`a part of a seekable file as ${form} is checked block by block`, async (t) => {
    const { store, damaged, start } = await service(t);
    const { archives, end } = start();
    const { offset, compressedSize, size } = await find(archives, SEEKABLE);
    const whole = form === 'gzip' ? gzipSize(await find(archives, SEEKABLE)) : size;
    const right = Buffer.concat([(await getPart(archives, 0, whole, form))!]);
    assert.ok((form === 'gzip' ? gunzipSync(right) : right).equals(SEEKABLE_TEXT));
    for (const [from, to] of [
      [0, 100],
      [whole / 2 - 5, whole / 2 + 300_000],
      [whole - 50_000, whole - 1],
    ] as const) {
      const expected = right.subarray(Math.floor(from), Math.floor(to));
      for (const times of [1, Number.POSITIVE_INFINITY]) {
        let answers = 0;
        for (let at = 20; at < compressedSize; at += 90_001) {
          await drop(archives, offset, compressedSize);
          damaged.length = 0;
          store.flip = { key: PACKAGE.archiveKey, at: offset + at, bit: at % 8, times };
          const got = await getPart(archives, Math.floor(from), Math.floor(to), form);
          if (got === null) assert.ok(times > 1 && damaged.length > 0);
          else {
            answers++;
            assert.ok(got.equals(expected), `${from} to ${to}, ${at}`);
          }
          store.flip = null;
          assert.ok((await getPart(archives, Math.floor(from), Math.floor(to), form))?.equals(expected));
        }
        assert.ok(answers > 0);
      }
    }
    await end();
  });
}

for (const path of ['udx/large.gml', 'udx/large.tif']) {
  test(`a part of ${path}, which has nothing of its own to compare, is compared by pages of the archive`, async (t) => {
    const { store, damaged, start } = await service(t);
    const { archives, end } = start();
    const member = await find(archives, path);
    assert.equal(partIsChecked(member, null), false);
    const part = async () => {
      await using archive = await archives.open(PACKAGE);
      const source = archive.checkedArchive();
      try {
        return Buffer.concat(await collect(identityRange(source, member, null, 5_000, 600_000)));
      } catch (error) {
        assert.ok(error instanceof MemberDamaged, String(error));
        return null;
      }
    };
    const right = CONTENTS[path]!.bytes.subarray(5_000, 600_000);
    for (const times of [1, Number.POSITIVE_INFINITY]) {
      for (let at = 5_000; at < Math.min(member.compressedSize, 200_000); at += 30_011) {
        damaged.length = 0;
        await drop(archives, member.offset, member.compressedSize);
        store.flip = { key: PACKAGE.archiveKey, at: member.offset + at, bit: at % 8, times };
        const got = await part();
        assert.ok(got === null ? times > 1 : got.equals(right), `${at}`);
        assert.ok(damaged.length > 0);
        store.flip = null;
        assert.ok((await part())?.equals(right));
      }
    }
    await end();
  });
}

test(
  'every byte of an archive that leaves as it lies is right, or none of its page leaves; in whichever way it is ' +
    'read',
  async (t) => {
    const { store, damaged, start } = await service(t);
    const { archives, end } = start();
    await using archive = await archives.open(PACKAGE);
    const { size } = archive.archive;
    const right = Buffer.from(await archive.archive.read(0, size));
    for (let i = 0; i < 40; i++) {
      const at = (i * 50_021) % size;
      const from = Math.max(0, at - ((i * 7_919) % 300_000));
      const to = Math.min(size, at + 1 + ((i * 104_729) % 400_000));
      const times = i % 2 === 0 ? 1 : Number.POSITIVE_INFINITY;
      await drop(archives, 0, size);
      damaged.length = 0;
      store.flip = { key: PACKAGE.archiveKey, at, bit: i % 8, times };
      const reading = collect(archive.checkedArchive().stream(from, to - from, { lent: true }));
      if (times === 1) assert.ok(Buffer.concat(await reading).equals(right.subarray(from, to)), `${i}`);
      else await assert.rejects(reading, MemberDamaged);
      assert.equal(damaged.length, times === 1 ? 1 : 2);
      store.flip = null;
      assert.ok(right.subarray(from, to).equals(await archive.checkedArchive().read(from, to - from)));
    }
    await end();
  },
);

test('an archive whose index has no sums of its pages, or those of another one, is read or refused', async (t) => {
  const { start, store } = await service(t, false);
  const { archives, end } = start();
  await using archive = await archives.open(PACKAGE);
  assert.equal(archive.archiveSums, null);
  assert.equal(archive.checkedArchive(), archive.archive);
  await end();
  const other = await service(t);
  await other.store.put(PACKAGE.archiveKey, chunks(Buffer.alloc(ARCHIVE_PAGE_BYTES)));
  const again = other.start();
  await using shorter = await again.archives.open(PACKAGE);
  await assert.rejects(
    shorter.checkedArchive().read(0, 10),
    /bytes of sums; an archive of 32768 bytes has 4/,
  );
  await again.end();
  store.flip = null;
});

test('a block table that came with a flipped bit is read once more', async (t) => {
  const { store, damaged, start } = await service(t);
  for (const name of ['blocks', 'checks'] as const) {
    const { archives, end } = start();
    const range = (await find(archives, SEEKABLE)).sections[name]!;
    for (const at of [0, 5, 9, range.length - 1]) {
      await using archive = await archives.open(PACKAGE);
      await archive.indexSource.damaged?.(range.offset, range.length);
      damaged.length = 0;
      store.flip = { key: PACKAGE.indexKey, at: range.offset + at, bit: 1, times: 1 };
      const another = start();
      await drop(another.archives, 0, 1);
      const got = await getPart(another.archives, 1_000_000, 1_000_100, 'plain');
      assert.ok(got?.equals(SEEKABLE_TEXT.subarray(1_000_000, 1_000_100)), `${name} ${at}`);
      await another.end();
    }
    await end();
  }
});

test('a bit that flips once costs one more read of a small file, and nobody notices', async (t) => {
  const { store, damaged, start } = await service(t);
  const { archives, end } = start();
  for (const path of ['tiles/small.b3dm', 'tiles/stored.jpg']) {
    for (const form of ['plain', 'gzip', 'whole'] as const) {
      if (form === 'gzip' && CONTENTS[path]!.method === 0) continue;
      const { offset, compressedSize } = await find(archives, path);
      await drop(archives, offset, compressedSize);
      damaged.length = 0;
      store.flip = { key: PACKAGE.archiveKey, at: offset + 99, bit: 4, times: 1 };
      assert.ok((await get(archives, path, form))?.equals(CONTENTS[path]!.bytes));
      assert.deepEqual(damaged, [PACKAGE.archiveKey]);
    }
  }
  await end();
});

test('an index that came with a flipped bit is read once more', async (t) => {
  const { store, damaged, start } = await service(t);
  const { size } = (await store.head(PACKAGE.indexKey))!;
  for (const at of [20, size - 200]) {
    store.flip = { key: PACKAGE.indexKey, at, bit: 2, times: 1 };
    damaged.length = 0;
    const { archives, end } = start();
    assert.ok(
      (await get(archives, 'tiles/small.b3dm', 'plain'))?.equals(CONTENTS['tiles/small.b3dm']!.bytes),
    );
    await end();
    store.flip = { key: PACKAGE.indexKey, at, bit: 2, times: Number.POSITIVE_INFINITY };
  }
});

test('data that was found right is compared without being inflated', async (t) => {
  const { start } = await service(t);
  const { archives, end } = start();
  await using archive = await archives.open(PACKAGE);
  for (const path of ['tiles/small.b3dm', 'udx/large.gml']) {
    const member = archive.index.find(path) as Member;
    assert.equal(archive.knownData.get(member), undefined);
    await get(archives, path, 'gzip');
    assert.equal(archive.knownData.get(member), crc32(deflateRawSync(CONTENTS[path]!.bytes, { level: 1 })));
  }
  await end();
});
