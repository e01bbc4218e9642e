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
