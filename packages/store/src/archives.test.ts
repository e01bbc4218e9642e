import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  BlockTable,
  encodeBlockChecks,
  IndexDamaged,
  MemberDamaged,
  MemberIndexBuilder,
  SeekableDeflate,
} from '@citymodel/zip';
import { featureText, MemorySink } from '@citymodel/zip/testing';
import { Archives } from './archives.ts';
import { StoreUnavailable } from './catalogue-store.ts';
import { DirectoryStore } from './directory/directory-store.ts';
import { ObjectMissing, type ObjectStore } from './object-store.ts';
import { FlippingStore } from './testing/flipping-store.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { chunks } from './testing/object-store-conformance.ts';

const packageOf = (id: string) => ({
  id,
  archiveKey: `archives/${id}.zip`,
  indexKey: `archives/${id}.index`,
});

const MEMBER = {
  offset: 0,
  compressedSize: 4,
  size: 30,
  crc32: 1,
  modified: 2000,
  sha256: new Uint8Array(32),
};

/** Stores an "archive" of text and an index of one member with a block table and one without sections. */
async function store(objects: ObjectStore, id: string): Promise<void> {
  const sink = new MemorySink();
  const index = new MemberIndexBuilder(sink);
  await index.add(
    { ...MEMBER, path: 'udx/a.gml', method: 8 },
    {
      blocks: BlockTable.fromLengths([10, 20], [1, 3]).encode(),
      dependencies: Buffer.from('codelists/x.xml\n'),
    },
  );
  await index.add({ ...MEMBER, path: 'README.txt', method: 0 }, {});
  await index.finish();
  const { archiveKey, indexKey } = packageOf(id);
  await objects.put(archiveKey, chunks(Buffer.from(`archive of ${id}`)));
  await objects.put(indexKey, chunks(sink.bytes));
}

/** The store, noting what is opened and given back, and how many reads there are. */
function watched(objects: ObjectStore) {
  const counts = { open: 0, reads: 0, opened: [] as string[] };
  const watch = new Proxy(objects, {
    get(target, property) {
      if (property !== 'open') {
        const value = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (key: string) => {
        const handle = await target.open(key);
        counts.open++;
        counts.opened.push(key);
        return {
          size: handle.size,
          stream: handle.stream.bind(handle),
          read(offset: number, length: number) {
            counts.reads++;
            return handle.read(offset, length);
          },
          async [Symbol.asyncDispose]() {
            counts.open--;
            await handle[Symbol.asyncDispose]();
          },
        };
      };
    },
  });
  return { objects: watch, counts };
}

test('opens an archive once for many, with two reads of its index', async () => {
  const { objects, counts } = watched(new MemoryStore());
  await store(objects, 'a');
  const archives = new Archives(objects, { maxOpen: 2 });
  const opened = await Promise.all(Array.from({ length: 20 }, () => archives.open(packageOf('a'))));
  assert.deepEqual(counts, { open: 2, reads: 2, opened: ['archives/a.index', 'archives/a.zip'] });
  const [archive] = opened;
  assert.equal(archive!.index.count, 2);
  assert.equal(Buffer.from(await archive!.archive.read(0, 7)).toString(), 'archive');
  for (const one of opened) await one[Symbol.asyncDispose]();
  await archives.close();
  assert.equal(counts.open, 0);
});

test('reads sections, and decodes a block table once', async () => {
  const { objects, counts } = watched(new MemoryStore());
  await store(objects, 'a');
  const archives = new Archives(objects, { maxOpen: 2 });
  await using archive = await archives.open(packageOf('a'));
  const gml = archive.index.find('udx/a.gml')!;
  const text = archive.index.find('README.txt')!;
  assert.equal(Buffer.from((await archive.section(gml, 'dependencies'))!).toString(), 'codelists/x.xml\n');
  assert.equal(await archive.section(gml, 'features'), null);
  assert.equal(await archive.blocks(text), null);
  const before = counts.reads;
  const tables = await Promise.all([archive.blocks(gml), archive.blocks(gml)]);
  assert.equal(tables[0], tables[1]);
  assert.equal(tables[0]?.textOffset(1), 10);
  await using again = await archives.open(packageOf('a'));
  assert.equal(await again.blocks(gml), tables[0]);
  assert.equal(counts.reads, before + 1);
});

test('keeps few archives open', async () => {
  const { objects, counts } = watched(new MemoryStore());
  for (const id of ['a', 'b', 'c']) await store(objects, id);
  const archives = new Archives(objects, { maxOpen: 2 });
  for (const id of ['a', 'b', 'c']) await (await archives.open(packageOf(id)))[Symbol.asyncDispose]();
  assert.equal(counts.open, 4);
  const c = await archives.open(packageOf('c'));
  assert.equal(Buffer.from(await c.archive.read(11, 1)).toString(), 'c');
  await c[Symbol.asyncDispose]();
  await archives.close();
  assert.equal(counts.open, 0);
});

test('a failed opening gives everything back and is tried again', async () => {
  const { objects, counts } = watched(new MemoryStore());
  const archives = new Archives(objects, { maxOpen: 2 });
  await assert.rejects(archives.open(packageOf('a')), ObjectMissing);
  await assert.rejects(archives.open({ ...packageOf('a'), archiveKey: '' }), ObjectMissing);
  await store(objects, 'b');
  await (await archives.open(packageOf('b')))[Symbol.asyncDispose]();
  const [open, times] = [counts.open, counts.opened.length];
  await store(objects, 'a');
  await objects.delete('archives/a.zip');
  await assert.rejects(archives.open(packageOf('a')), ObjectMissing);
  assert.deepEqual([counts.open, counts.opened.length], [open, times + 1], 'once, and others stay open');
  await archives.close();
  await objects.put('archives/a.index', chunks(Buffer.alloc(100)));
  await assert.rejects(archives.open(packageOf('a')), /a member index begins with/);
  assert.equal(counts.open, 0);
  await store(objects, 'a');
  await using archive = await archives.open(packageOf('a'));
  assert.equal(archive.index.count, 2);
});

test('an index that came damaged is read once more, and no more than that', async () => {
  for (const [times, isRead] of [
    [2, true],
    [9, false],
  ] as const) {
    const objects = new FlippingStore();
    await store(objects, 'a');
    const { size } = (await objects.head('archives/a.index'))!;
    const archives = new Archives(objects, { maxOpen: 2 });
    // In the table of members, which is looked for from the end and then from the beginning.
    Object.assign(objects.flip, { key: 'archives/a.index', at: size - 60, times });
    const opened = archives.open(packageOf('a'));
    if (isRead) await (await opened)[Symbol.asyncDispose]();
    else await assert.rejects(opened, IndexDamaged);
    assert.deepEqual(
      objects.damaged,
      Array.from({ length: isRead ? 1 : 2 }, () => 'archives/a.index'),
    );
    await archives.close();
  }
});

test('what is deleted stays readable by who has it open', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'archives-'));
  try {
    const objects = await DirectoryStore.open(directory);
    await store(objects, 'a');
    const archives = new Archives(objects, { maxOpen: 2 });
    const archive = await archives.open(packageOf('a'));
    await objects.delete('archives/a.zip');
    await objects.delete('archives/a.index');
    assert.equal(Buffer.from(await archive.archive.read(0, 7)).toString(), 'archive');
    await archive[Symbol.asyncDispose]();
    await archives.close();
    await objects.close();
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('closes what nobody reads when the process has no file descriptor left', async () => {
  const inner = new MemoryStore();
  for (const id of ['a', 'b', 'c']) await store(inner, id);
  const { objects, counts } = watched(inner);
  // Five descriptors: two archives of two objects each, and not quite a third one.
  const few = new Proxy(objects, {
    get(target, property) {
      if (property !== 'open') return Reflect.get(target, property, target);
      return async (key: string) => {
        if (counts.open < 5) return target.open(key);
        const cause = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
        throw new StoreUnavailable('the object store cannot open: EMFILE', { cause });
      };
    },
  });
  const archives = new Archives(few, { maxOpen: 100 });
  const a = await archives.open(packageOf('a'));
  await (await archives.open(packageOf('b')))[Symbol.asyncDispose]();
  const c = await archives.open(packageOf('c'));
  assert.equal(counts.open, 4, 'those of a and c');
  assert.equal(Buffer.from(await a.archive.read(0, 12)).toString(), 'archive of a');
  assert.equal(Buffer.from(await c.archive.read(0, 12)).toString(), 'archive of c');
  // Nothing is left to close.
  await assert.rejects(archives.open(packageOf('b')), StoreUnavailable);
  await a[Symbol.asyncDispose]();
  await (await archives.open(packageOf('b')))[Symbol.asyncDispose]();
  await c[Symbol.asyncDispose]();
  await archives.close();
  assert.equal(counts.open, 0);
});

describe('pieces of blocks', () => {
  /** Blocks of a text with features, its checks and its pieces. */
  async function sectionsOf() {
    const { text, ends } = featureText(100_000);
    const deflate = new SeekableDeflate({ target: 4_000, pieceCost: 0.02, onBytes: () => {} });
    for (const end of ends) deflate.cutAt(end);
    await deflate.push(text);
    const { blocks, blockCrcs, pieces } = await deflate.end();
    const table = blocks.encode();
    const checks = encodeBlockChecks({ table, features: new Uint8Array(0) }, blockCrcs);
    assert.ok(pieces !== null);
    return { blocks: table, checks, pieces };
  }

  async function storeOf(sections: Awaited<ReturnType<typeof sectionsOf>>, names: readonly string[]) {
    const objects = new MemoryStore();
    const sink = new MemorySink();
    const index = new MemberIndexBuilder(sink);
    for (const name of names) await index.add({ ...MEMBER, path: name, method: 8 }, sections);
    await index.finish();
    const { archiveKey, indexKey } = packageOf('p');
    await objects.put(archiveKey, chunks(Buffer.from('archive')));
    await objects.put(indexKey, chunks(sink.bytes));
    return watched(objects);
  }

  test('are read and decoded once, and are finer than the blocks', async () => {
    const { objects, counts } = await storeOf(await sectionsOf(), ['udx/a.gml']);
    const archives = new Archives(objects, { maxOpen: 2 });
    await using archive = await archives.open(packageOf('p'));
    const gml = archive.index.find('udx/a.gml')!;
    const blocks = (await archive.blocks(gml))!;
    const before = counts.reads;
    const [pieces, same] = await Promise.all([archive.pieces(gml), archive.pieces(gml)]);
    assert.equal(pieces, same);
    assert.equal(counts.reads, before + 1);
    assert.ok(pieces!.count > blocks.count);
    assert.equal(pieces!.checks!.blocks.length, pieces!.count);
    assert.ok(pieces!.head(0) === null && pieces!.head(1) !== null);
  });

  test('of a member without any are null, and those of other blocks are damage', async () => {
    const sections = await sectionsOf();
    const other = BlockTable.fromLengths([30], [4]).encode();
    const checks = encodeBlockChecks({ table: other, features: new Uint8Array(0) }, [7]);
    const { objects } = await storeOf({ ...sections, blocks: other, checks }, ['udx/a.gml']);
    const archives = new Archives(objects, { maxOpen: 2 });
    await using archive = await archives.open(packageOf('p'));
    await assert.rejects(archive.pieces(archive.index.find('udx/a.gml')!), MemberDamaged);
    const plain = new MemoryStore();
    await store(plain, 'a');
    await using old = await new Archives(plain, { maxOpen: 2 }).open(packageOf('a'));
    for (const path of ['udx/a.gml', 'README.txt'])
      assert.equal(await old.pieces(old.index.find(path)!), null);
  });
});
