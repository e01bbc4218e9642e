import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { bufferSource, type RangedSource } from '../source.ts';
import { streamLayout } from './layout-stream.ts';
import { type PlannedMember, planZip, type ZipLayout } from './zip-layout.ts';

const SIZE = 3_000_000;
const sources = [bufferSource(randomBytes(SIZE)), bufferSource(randomBytes(SIZE))];

/** With `readInto`, as files have it. */
const filling = sources.map(
  (source): RangedSource => ({
    ...source,
    async readInto(target, offset) {
      await Promise.resolve();
      target.set(await source.read(offset, target.length));
    },
  }),
);

const layouts = fc
  .array(
    fc.record({
      source: fc.nat(1),
      // Around the size of a buffer, far below it, and above it several times.
      size: fc.oneof(fc.nat(3_000), fc.integer({ min: 262_000, max: 262_300 }), fc.nat(1_500_000)),
      offset: fc.nat(SIZE),
    }),
    { maxLength: 12 },
  )
  .map((members) =>
    planZip(
      members.map(({ source, size, offset }, i): PlannedMember<number> => {
        const at = Math.min(offset, SIZE - size);
        return {
          name: `${i}`,
          method: 0,
          crc32: i,
          compressedSize: size,
          size,
          modified: 0,
          source,
          offset: at,
        };
      }),
    ),
  );

/** The whole zip, written down part by part. */
async function wholeOf(layout: ZipLayout<number>): Promise<Buffer> {
  const all = Array.from({ length: layout.count }, (_, i) => i);
  const members = all.map(async (i) => [
    layout.localHeader(i),
    await sources[layout.source(i)]!.read(layout.sourceOffset(i), layout.compressedSize(i)),
  ]);
  return Buffer.concat([
    ...(await Promise.all(members)).flat(),
    ...all.map((i) => layout.centralRecord(i)),
    layout.endRecords(),
  ]);
}

test('gives the bytes of the zip in any range, through buffers that are used again', async () => {
  await fc.assert(
    fc.asyncProperty(
      layouts,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      async (layout, part, fills) => {
        const start = Math.floor(layout.size * part * 0.5);
        const end = Math.ceil(start + (layout.size - start) * (1 - part * 0.3));
        const expected = (await wholeOf(layout)).subarray(start, end);
        const received: Buffer[] = [];
        const chunks = streamLayout(layout, start, end, async (k) => (fills ? filling : sources)[k]!);
        for await (const bytes of chunks) {
          received.push(Buffer.from(bytes));
          await new Promise(setImmediate);
          // Nothing has touched the bytes while they were with the consumer.
          assert.ok(received.at(-1)!.equals(bytes));
        }
        assert.ok(Buffer.concat(received).equals(expected));
      },
    ),
    { numRuns: 60 },
  );
});

test('stops when writing or reading fails', async () => {
  const layout = planZip(
    [0, 1].map((i): PlannedMember<number> => ({
      name: `${i}`, method: 0, crc32: 0, compressedSize: SIZE, size: SIZE, modified: 0, source: i, offset: 0,
    })),
  ); // biome-ignore format: one member a line
  let chunks = 0;
  const some = async (open: (k: number) => RangedSource, start = 0, end = layout.size) => {
    for await (const _ of streamLayout(layout, start, end, async (k) => open(k))) {
      if (++chunks === 3) throw new Error('the caller went away');
    }
  };
  await assert.rejects(
    some((k) => filling[k]!),
    /went away/,
  );
  assert.equal(chunks, 3);
  const broken: RangedSource = { ...sources[0]!, read: () => Promise.reject(new Error('the disk broke')) };
  await assert.rejects(
    some(() => broken),
    /disk broke/,
  );
  await assert.rejects(
    some(() => broken, 5, 4),
    RangeError,
  );
});

/** Members of one source at these places, and what is read for a range of their zip. */
async function readsOf(
  places: Array<[offset: number, length: number, source?: number]>,
  { gap, buffer, page = 1 }: { gap: number; buffer: number; page?: number },
  range?: (layout: ZipLayout<number>) => [start: number, end: number],
) {
  const layout = planZip(
    places.map(([offset, size, source = 0], i): PlannedMember<number> => {
      const sizes = { compressedSize: size, size };
      return { name: `${i}`, method: 0, crc32: 0, ...sizes, modified: 0, source, offset };
    }),
  );
  const reads: Array<[offset: number, length: number]> = [];
  const opened: number[] = [];
  const chunks: number[] = [];
  const [start, end] = range?.(layout) ?? [0, layout.size];
  const open = async (source: number): Promise<RangedSource> => {
    opened.push(source);
    return {
      ...sources[source]!,
      read(offset, length) {
        reads.push([offset, length]);
        return sources[source]!.read(offset, length);
      },
    };
  };
  const received: Buffer[] = [];
  for await (const bytes of streamLayout(layout, start, end, open, { gap, buffer, ahead: 1, page })) {
    chunks.push(bytes.length);
    received.push(Buffer.from(bytes));
  }
  assert.ok(Buffer.concat(received).equals((await wholeOf(layout)).subarray(start, end)));
  return { reads, opened, chunks, layout };
}

test('neighbours are read together up to the gap, forwards alone, and of one source', async () => {
  const near = { gap: 10, buffer: 1e6 };
  const reads = async (...places: Parameters<typeof readsOf>[0]) => (await readsOf(places, near)).reads;
  assert.deepEqual(await reads([100, 50], [150, 50]), [[100, 100]]);
  assert.deepEqual(await reads([100, 50], [160, 50], [220, 1]), [[100, 121]]);
  assert.deepEqual(await reads([100, 50], [161, 50]), [
    [100, 50],
    [161, 50],
  ]);
  assert.deepEqual(await reads([100, 50], [149, 50]), [
    [100, 50],
    [149, 50],
  ]);
  assert.deepEqual(await reads([100, 50], [150, 50, 1]), [
    [100, 50],
    [150, 50],
  ]);
  assert.deepEqual(await reads([100, 0], [150, 0]), [], 'nothing is read of empty members');
});

test('a source is opened once, when it is needed', async () => {
  const { opened } = await readsOf(
    [
      [0, 100],
      [200_000, 100, 1],
      [400_000, 100],
    ],
    { gap: 0, buffer: 50 },
  );
  assert.deepEqual(opened, [0, 1]);
  const first = await readsOf(
    [
      [0, 100],
      [0, 100, 1],
    ],
    { gap: 0, buffer: 1e6 },
    (layout) => [0, layout.headerOffset(1)],
  );
  assert.deepEqual(first.opened, [0]);
});

test('chunks are as large as a buffer, and the last one is the rest', async () => {
  const { chunks, layout } = await readsOf([[0, 1_000]], { gap: 0, buffer: 300 });
  const { size } = layout;
  const full = Math.floor(size / 300);
  assert.deepEqual(chunks, [...Array(full).fill(300), ...(size % 300 === 0 ? [] : [size % 300])]);
  const short = await readsOf([[0, 1_000]], { gap: 0, buffer: 300 }, () => [40, 45]);
  assert.deepEqual(short.chunks, [5]);
  assert.deepEqual((await readsOf([[0, 1_000]], { gap: 0, buffer: 300 }, () => [40, 40])).chunks, []);
});

test('data that a buffer has no room for is cut at a page of its source', async () => {
  const cut = async (...places: Parameters<typeof readsOf>[0]) =>
    (await readsOf(places, { gap: 0, buffer: 300, page: 100 })).reads;
  // Behind a local header of 31 bytes.
  assert.deepEqual(await cut([1_010, 700]), [
    [1_010, 190],
    [1_200, 300],
    [1_500, 210],
  ]);
  // No page begins in the room that there is.
  const [first, second] = await cut([1_000, 220], [1_601, 98], [1_702, 50]);
  assert.deepEqual(
    [first, second],
    [
      [1_000, 220],
      [1_601, 18],
    ],
  );
});

test('no stream writes into a chunk of one that was left in the middle', async () => {
  const layout = planZip([
    { name: 'a', method: 0, crc32: 0, compressedSize: 1e6, size: 1e6, modified: 0, source: 0, offset: 0 },
  ] satisfies PlannedMember<number>[]);
  const start = () => streamLayout(layout, 0, layout.size, async () => filling[0]!);
  const left = start();
  const chunk = (await left.next()).value as Uint8Array;
  const before = Buffer.from(chunk);
  await left.return();
  let bytes = 0;
  for await (const other of start()) {
    assert.notEqual(other.buffer, chunk.buffer);
    bytes += other.length;
  }
  assert.equal(bytes, layout.size);
  assert.ok(before.equals(chunk));
});

test('a range reads the bytes of members that it touches', async () => {
  const members: Parameters<typeof readsOf>[0] = [
    [0, 100],
    [500_000, 100],
  ];
  const of = async (range: (layout: ZipLayout<number>) => [number, number]) =>
    (await readsOf(members, { gap: 0, buffer: 1e6 }, range)).reads;
  assert.deepEqual(await of((layout) => [layout.dataOffset(0) + 10, layout.dataOffset(0) + 30]), [[10, 20]]);
  assert.deepEqual(await of((layout) => [layout.dataOffset(0) + 99, layout.dataOffset(1) + 1]), [
    [99, 1],
    [500_000, 1],
  ]);
  assert.deepEqual(await of((layout) => [layout.headerOffset(1), layout.dataOffset(1)]), []);
  assert.deepEqual(await of((layout) => [layout.directoryOffset, layout.size]), []);
});

test('buffers are filled ahead while the consumer has one', async () => {
  for (const ahead of [1, 3]) {
    let reading = 0;
    const layout = planZip([
      { name: 'a', method: 0, crc32: 0, compressedSize: 1e6, size: 1e6, modified: 0, source: 0, offset: 0 },
    ] satisfies PlannedMember<number>[]);
    const open = async (): Promise<RangedSource> => ({
      ...sources[0]!,
      async read(offset, length) {
        reading++;
        return sources[0]!.read(offset, length);
      },
    });
    const stream = streamLayout(layout, 0, layout.size, open, { gap: 0, buffer: 100_000, ahead, page: 1 });
    await stream.next();
    await new Promise(setImmediate);
    assert.equal(reading, ahead + 1);
    await stream.return();
  }
});

test('a source that gives less than was planned is an error', async () => {
  const layout = planZip([
    { name: 'a', method: 0, crc32: 0, compressedSize: 90, size: 90, modified: 0, source: 0, offset: 5 },
  ] satisfies PlannedMember<number>[]);
  const short = { ...sources[0]!, read: async () => new Uint8Array(89) };
  await assert.rejects(
    streamLayout(layout, 0, layout.size, async () => short).next(),
    /a source gave 89 bytes at 5, where 90 were planned/,
  );
});
