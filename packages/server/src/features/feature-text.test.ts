/** Texts of features are the same whatever is kept, and however many ask. */
import assert from 'node:assert/strict';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { OpenArchive } from '@citymodel/store';
import {
  type BlockTable,
  bufferSource,
  decodePieces,
  type Member,
  MemberDamaged,
  openFileSource,
  type PartRange,
  PartsThread,
  SeekableDeflate,
} from '@citymodel/zip';
import { BEFORE, featureText, seekableFile } from '@citymodel/zip/testing';
import { BlockCache } from './block-cache.ts';
import { FeatureText } from './feature-text.ts';

const TEXT = Buffer.from(
  Array.from({ length: 200_000 }, (_, i) => `<棟 n="${(i * 7_919) % 9_973}"/>\n`).join(''),
);
let data: Buffer;
let blocks: BlockTable;

before(async () => {
  const chunks: Uint8Array[] = [];
  const deflate = new SeekableDeflate({
    target: 3_000,
    onBytes: (chunk) => void chunks.push(chunk),
  });
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
  return new FeatureText(cache, archive, member as Member, { blocks, pieces: null }, 'key');
}

async function all(text: FeatureText, wanted: readonly PartRange[]): Promise<Array<Uint8Array | null>> {
  await using _closing = text;
  const found: Array<Uint8Array | null> = [];
  for await (const part of text.readMany(wanted, { wholeBytes: 30_000 }))
    found.push(part && Buffer.from(part));
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
      for await (const part of text.readMany(wanted, { wholeBytes: 30_000 }))
        found.push(part && Buffer.from(part));
    }, MemberDamaged);
    assertRight(found, wanted.slice(0, found.length));
    assert.equal(
      found.length,
      wanted.findIndex(({ end }) => end > blocks.textOffset(damaged)),
    );
  });
});

describe('what is read', () => {
  /** A text over the data behind other members, and the blocks that were read, in their order. */
  function noted(readCost: 'local' | 'remote' = 'local') {
    const before = Buffer.alloc(77);
    const inner = bufferSource(Buffer.concat([before, data]));
    const reads: number[] = [];
    const places = new Map(Array.from({ length: blocks.count }, (_, i) => [77 + blocks.dataOffset(i), i]));
    const archive = {
      readCost,
      archive: {
        ...inner,
        read(offset: number, length: number) {
          const i = places.get(offset)!;
          assert.equal(length, blocks.dataOffset(i + 1) - blocks.dataOffset(i));
          reads.push(i);
          return inner.read(offset, length);
        },
      },
    } as unknown as OpenArchive;
    const member = { path: 'udx/a.gml', offset: 77, compressedSize: data.length, size: TEXT.length };
    return {
      text: new FeatureText(new BlockCache(0), archive, member as Member, { blocks, pieces: null }, 'key'),
      reads,
    };
  }
  const block = (i: number): PartRange => ({ start: blocks.textOffset(i), end: blocks.textOffset(i + 1) });
  const shifted = ({ start, end }: PartRange, from: number, to: number) => ({
    start: start + from,
    end: end + to,
  });

  test('of a range is its blocks, and none beside them', async () => {
    for (const [range, expected] of [
      [block(3), [3]],
      [shifted(block(3), 1, 0), [3]],
      [shifted(block(3), 0, 1), [3, 4]],
      [shifted(block(3), -1, 0), [2, 3]],
      [{ start: block(5).start, end: block(7).end }, [5, 6, 7]],
      [{ start: TEXT.length - 1, end: TEXT.length }, [blocks.count - 1]],
    ] as const) {
      const { text, reads } = noted();
      assert.ok(TEXT.subarray(range.start, range.end).equals(await text.read(range)));
      assert.deepEqual(reads, expected);
    }
  });

  test('of a stream is the block that is wanted and the next one', async () => {
    const { text, reads } = noted();
    const stream = text.stream({ start: block(5).start + 1, end: block(8).start + 1 });
    const expected = [
      [5, 6],
      [5, 6, 7],
      [5, 6, 7, 8],
      [5, 6, 7, 8],
    ];
    for (const [k, read] of expected.entries()) {
      const { value } = await stream.next();
      const { start, end } = block(5 + k);
      const part = TEXT.subarray(start + Number(k === 0), k === 3 ? start + 1 : end);
      assert.ok(part.equals(value as Uint8Array));
      assert.deepEqual(reads, read);
    }
    assert.ok((await stream.next()).done);
  });

  test('before its turn is nothing of a near archive, and each block once of a far one', async () => {
    const wanted = [block(9), shifted(block(4), 5, 1), block(5), { start: 100, end: 100 }];
    const near = noted();
    near.text.expect(wanted);
    assert.deepEqual(near.reads, []);
    const far = noted('remote');
    far.text.expect(wanted);
    far.text.expect([block(4)]);
    assert.deepEqual(far.reads, [4, 5, 9]);
    await far.text.read(wanted[1]!);
    assert.deepEqual(far.reads, [4, 5, 9], 'what was expected is there');
    await far.text.read(block(4));
    assert.deepEqual(far.reads, [4, 5, 9, 4], 'and is used once');
  });

  test('and not used is over when the text is closed, and its memory is given back', async () => {
    const inner = bufferSource(data);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const read = async (offset: number, length: number, into?: Uint8Array) => {
      await opened;
      // Of two blocks one cannot be read.
      if (offset > 0) throw new Error('store is down');
      const bytes = await inner.read(offset, length);
      into?.set(bytes);
      return bytes;
    };
    const archive = { readCost: 'remote', archive: { ...inner, descriptor: 0, read } };
    const cache = new BlockCache(0);
    const back: number[] = [];
    cache.scratch.give = ({ length }) => void back.push(length);
    const member = { path: 'udx/a.gml', offset: 0, compressedSize: data.length, size: TEXT.length };
    const text = new FeatureText(
      cache,
      archive as unknown as OpenArchive,
      member as Member,
      { blocks, pieces: null },
      'key',
    );
    text.expect([block(0), block(1)]);
    let isClosed = false;
    const closing = text[Symbol.asyncDispose]().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    assert.equal(isClosed, false);
    open();
    await closing;
    assert.equal(back.length, 1);
    assert.ok(back[0]! >= blocks.dataOffset(1));
  });

  test('for many features is each block once, in their order', async () => {
    const { text, reads } = noted();
    const inside = (i: number) => shifted(block(i), 10, -10);
    const wanted = [
      inside(2),
      block(2),
      inside(3),
      shifted(block(4), 0, 1),
      inside(6),
      inside(6),
      inside(40),
    ];
    const found: Array<Uint8Array | null> = [];
    for await (const part of text.readMany(wanted, { wholeBytes: 1e6 }))
      found.push(part && Buffer.from(part));
    assertRight(found, wanted);
    assert.deepEqual(
      reads.toSorted((a, b) => a - b),
      [2, 3, 4, 5, 6, 40],
    );
  });

  test('of a large feature is nothing, up to the size that is one', async () => {
    const { start, end } = block(3);
    for (const [wholeBytes, expected] of [
      [end - start, [3]],
      [end - start - 1, []],
    ] as const) {
      const { text, reads } = noted();
      for await (const part of text.readMany([block(3)], { wholeBytes }))
        assert.equal(part === null, expected.length === 0);
      assert.deepEqual(reads, expected);
    }
  });
});

describe('from a file', () => {
  test('texts are right at their time, while others read and leave; memory is used again', async () => {
    await using file = await seekableFile(TEXT, 3_000);
    await using source = await openFileSource(file.path);
    const wanted = ranges();
    for (const maxBytes of [0, 1e5]) {
      const cache = new BlockCache(maxBytes, new PartsThread({ processors: 1 }));
      const { take } = cache.scratch;
      let taken = 0;
      cache.scratch.take = (length) => {
        taken += Math.max(length, 16_384);
        return take.call(cache.scratch, length);
      };
      const caller = async (step: number) => {
        const archive = { readCost: 'local', archive: source } as Partial<OpenArchive> as OpenArchive;
        const member = { path: 'udx/a.gml', offset: BEFORE, compressedSize: data.length, size: TEXT.length };
        await using text = new FeatureText(cache, archive, member as Member, { blocks, pieces: null }, 'key');
        let n = step;
        for await (const part of text.readMany(wanted.slice(step), { wholeBytes: 30_000 })) {
          if (n % step === 0) await new Promise(setImmediate);
          assertRight([part], [wanted[n++]!]);
          if (n > wanted.length / step) break;
        }
        const { start, end } = wanted[step]!;
        assert.ok(TEXT.subarray(start, end).equals(await text.read({ start, end })));
      };
      for (let i = 0; i < 3; i++) await Promise.all([1, 2, 3, 5].map(caller));
      assert.ok(taken > 3 * data.length, 'blocks are read into memory that is used again');
      assert.ok(
        cache.scratch.allocatedBytes < taken / 4,
        `${cache.scratch.allocatedBytes} bytes of ${taken}`,
      );
    }
  });
});

/** A thread that is ready, and what it was asked and gave. */
async function readyThread() {
  const counted = { asked: 0, given: 0 };
  class Counting extends PartsThread {
    override begin(...job: Parameters<PartsThread['begin']>) {
      counted.asked++;
      const promise = super.begin(...job);
      return {
        async take() {
          // Time enough for the thread to begin every other job.
          if (counted.asked % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
          const output = await promise.take();
          if (output !== null) counted.given++;
          return output;
        },
      };
    }
  }
  const thread = new Counting({ processors: 2, restMs: 0 });
  thread.start();
  while (!thread.isReady) await new Promise(setImmediate);
  return { thread, counted };
}

describe('from a file, with another thread', () => {
  const onDisk = (cache: BlockCache, descriptor: number) => {
    const archive = {
      readCost: 'local',
      archive: { ...bufferSource(Buffer.concat([Buffer.alloc(BEFORE), data])), descriptor },
    } as Partial<OpenArchive> as OpenArchive;
    const member = { path: 'udx/a.gml', offset: BEFORE, compressedSize: data.length, size: TEXT.length };
    return new FeatureText(cache, archive, member as Member, { blocks, pieces: null }, 'key');
  };

  test(
    'texts are the same, with and without blocks that are kept, for several callers and for one who ' +
      'leaves',
    async () => {
      await using file = await seekableFile(TEXT, 3_000);
      const wanted = ranges();
      const { thread, counted } = await readyThread();
      for (const maxBytes of [0, 1e6]) {
        const cache = new BlockCache(maxBytes, thread);
        for (let i = 0; i < 3 || counted.given < 10; i++) {
          const callers = Array.from({ length: 3 }, () => all(onDisk(cache, file.descriptor), wanted));
          for (const found of await Promise.all(callers)) assertRight(found, wanted);
          await using text = onDisk(cache, file.descriptor);
          for await (const part of text.readMany(wanted, { wholeBytes: 30_000 })) {
            assertRight([part], wanted.slice(0, 1));
            break;
          }
        }
      }
    },
  );

  test('a block that is asked for again is kept, however late in the file it is', async () => {
    await using file = await seekableFile(TEXT, 3_000);
    const { thread } = await readyThread();
    const cache = new BlockCache(4e6, thread);
    const wanted = ranges().slice(-80);
    for (let time = 0; time < 2; time++) {
      assertRight(await all(onDisk(cache, file.descriptor), wanted), wanted);
    }
    const kept = wanted.map(({ start }) => cache.get(`key\n${blocks.find(start)}`) !== undefined);
    assert.ok(
      kept.every((one) => one),
      `${kept}`,
    );
  });

  test('damage in the file alone is read again by the source; no text of it goes out', async () => {
    const bad = 30;
    await using file = await seekableFile(TEXT, 3_000, (bytes, table) => {
      bytes.fill(0, table.dataOffset(bad), table.dataOffset(bad + 1));
    });
    const { thread, counted } = await readyThread();
    const wanted = ranges();
    for (let i = 0; i < 3 || counted.given === 0; i++) {
      assertRight(await all(onDisk(new BlockCache(0, thread), file.descriptor), wanted), wanted);
    }
  });

  test('few blocks do not go to the thread', async () => {
    await using file = await seekableFile(TEXT, 3_000);
    const { thread, counted } = await readyThread();
    const wanted = ranges().slice(0, 8);
    assertRight(await all(onDisk(new BlockCache(0, thread), file.descriptor), wanted), wanted);
    assert.equal(counted.asked, 0);
  });
});

describe('where blocks are divided into pieces', () => {
  const { text, ends } = featureText(600_000);
  const features = ends.map((end, i) => ({ start: ends[i - 1] ?? 0, end }));
  let bytes: Buffer;
  let tables: { blocks: BlockTable; pieces: BlockTable };

  before(async () => {
    const chunks: Uint8Array[] = [];
    const deflate = new SeekableDeflate({
      target: 4_000,
      pieceCost: 0.02,
      onBytes: (chunk) => void chunks.push(chunk),
    });
    for (const end of ends) deflate.cutAt(end);
    await deflate.push(text);
    const { blocks: bare, blockCrcs, pieces } = await deflate.end();
    bytes = Buffer.concat(chunks);
    const blocks = bare.withChecks({ table: 0, features: 0, blocks: Uint32Array.from(blockCrcs) });
    tables = { blocks, pieces: decodePieces(pieces!, blocks, 'udx/a.gml') };
    assert.ok(tables.pieces.count > 1.5 * blocks.count);
  });

  /** The text, and what was read of the data: pieces as `p` and blocks as `b`, with their numbers. */
  function noted({
    cache = new BlockCache(0),
    data: content = bytes,
    descriptor = undefined as number | undefined,
  } = {}) {
    const inner = bufferSource(Buffer.concat([Buffer.alloc(BEFORE), content]));
    const reads: string[] = [];
    const nameOf = (offset: number, length: number) => {
      for (const [name, table] of [
        ['p', tables.pieces],
        ['b', tables.blocks],
      ] as const) {
        for (let i = 0; i < table.count; i++) {
          const begins = BEFORE + table.dataOffset(i) === offset;
          if (begins && table.dataOffset(i + 1) - table.dataOffset(i) === length) return name + i;
        }
      }
      return `${offset}`;
    };
    const archive = {
      readCost: 'local',
      archive: {
        ...inner,
        ...(descriptor === undefined ? {} : { descriptor }),
        read(offset: number, length: number) {
          reads.push(nameOf(offset, length));
          return inner.read(offset, length);
        },
      },
    } as unknown as OpenArchive;
    const member = { path: 'udx/a.gml', offset: BEFORE, compressedSize: bytes.length, size: text.length };
    return { text: new FeatureText(cache, archive, member as Member, tables, 'key'), reads };
  }

  async function texts(from: FeatureText, wanted: readonly PartRange[]): Promise<Buffer[]> {
    await using _closing = from;
    const found: Buffer[] = [];
    for await (const part of from.readMany(wanted, { wholeBytes: 1e6 })) found.push(Buffer.from(part!));
    return found;
  }

  const expected = (wanted: readonly PartRange[]) =>
    wanted.map(({ start, end }) => text.subarray(start, end));
  const pieceOf = ({ start }: PartRange) => `p${tables.pieces.find(start)}`;

  test('a few features read their pieces, all of them the blocks', async () => {
    const few = features.filter((_, i) => i % 25 === 3);
    const sparse = noted();
    assert.deepEqual(await texts(sparse.text, few), expected(few));
    assert.deepEqual([...new Set(sparse.reads)].sort(), [...new Set(few.map(pieceOf))].sort());
    const dense = noted();
    assert.deepEqual(await texts(dense.text, features), expected(features));
    // A block that is one piece has both names.
    const wholes = new Set(
      Array.from({ length: tables.blocks.count }, (_, i) => tables.blocks.dataOffset(i)),
    );
    for (const read of dense.reads) {
      const [kind, i] = [read[0], Number(read.slice(1))];
      assert.ok(kind === 'b' || wholes.has(tables.pieces.dataOffset(i)), read);
    }
    assert.equal(new Set(dense.reads).size, tables.blocks.count);
  });

  test('one feature reads its piece, what lies in two of them the block', async () => {
    for (const wanted of features.filter((_, i) => i % 40 === 7)) {
      const { text: from, reads } = noted();
      assert.ok(text.subarray(wanted.start, wanted.end).equals(await from.read(wanted)));
      assert.deepEqual(reads, [pieceOf(wanted)]);
    }
    const i = Array.from({ length: tables.pieces.count }, (_, k) => k).find(
      (k) => tables.pieces.head(k) !== null,
    )!;
    const border = tables.pieces.textOffset(i);
    const across = { start: border - 5, end: border + 5 };
    const { text: from, reads } = noted();
    assert.ok(text.subarray(across.start, across.end).equals(await from.read(across)));
    assert.deepEqual(reads, [`b${tables.blocks.find(border)}`]);
    const all = { start: 10, end: text.length - 10 };
    assert.ok(text.subarray(all.start, all.end).equals(await noted().text.read(all)));
  });

  test('a piece that is asked for twice is kept, apart from the block', async () => {
    const cache = new BlockCache(1e6);
    const wanted = features[100]!;
    for (const count of [1, 1, 0, 0]) {
      const { text: from, reads } = noted({ cache });
      assert.ok(text.subarray(wanted.start, wanted.end).equals(await from.read(wanted)));
      assert.equal(reads.length, count);
    }
  });

  test('a changed bit in the data of a piece is damage, and no text of it goes out', async () => {
    const few = features.filter((_, i) => i % 25 === 3);
    const bad = few[8]!;
    const changed = Buffer.from(bytes);
    changed[tables.pieces.dataOffset(tables.pieces.find(bad.start)) + 9]! ^= 4;
    const found: Buffer[] = [];
    await assert.rejects(async () => {
      await using from = noted({ data: changed }).text;
      for await (const part of from.readMany(few, { wholeBytes: 1e6 })) found.push(Buffer.from(part!));
    }, MemberDamaged);
    assert.deepEqual(found, expected(few.slice(0, 8)));
    await assert.rejects(noted({ data: changed }).text.read(bad), MemberDamaged);
  });

  test('another thread reads pieces out of the file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'citymodel-pieces-'));
    await writeFile(join(directory, 'a'), Buffer.concat([Buffer.alloc(BEFORE), bytes]));
    await using file = await open(join(directory, 'a'));
    const few = features.filter((_, i) => i % 25 === 3);
    const { thread, counted } = await readyThread();
    for (let i = 0; i < 3 || counted.given < 3; i++) {
      const { text: from } = noted({ cache: new BlockCache(0, thread), descriptor: file.fd });
      assert.deepEqual(await texts(from, few), expected(few));
    }
    await rm(directory, { recursive: true });
  });
});
