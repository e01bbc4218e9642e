import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { backgroundSlices } from '@citymodel/base';
import { layoutDigest, type PlannedMember } from '@citymodel/zip';
import { planZip } from '@citymodel/zip/testing';
import fc from 'fast-check';
import { KnownPages } from './known-pages.ts';
import { decodeLayout, encodeLayout } from './layout-file.ts';
import type { PackArchive } from './plan-pack.ts';

const ARCHIVES: PackArchive[] = [0, 1, 2].map((i) => ({
  key: `archives/${i}.zip`,
  sha256: String(i).repeat(64),
  // The first has no sums, as that of a program of before.
  pages: i === 0 ? null : KnownPages.all(100, Buffer.from('some sums'.repeat(4 * i))),
}));

const members = fc
  .array(
    fc.record({
      name: fc.string({ unit: 'grapheme-composite', maxLength: 12 }),
      archive: fc.nat(2),
      deflate: fc.boolean(),
      offset: fc.nat({ max: 2 ** 31 - 1 }).map((n) => n * 1_000),
      size: fc.oneof(fc.nat(), fc.integer({ min: 2 ** 32 - 3, max: 2 ** 32 + 3 })),
      crc32: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      modified: fc.integer({ min: 0, max: 2 ** 30 }).map((n) => Date.UTC(1980, 0, 1) + 2_000 * n),
    }),
    { maxLength: 40 },
  )
  .map((all) =>
    all.map(
      ({ name, archive, deflate, ...fields }, i): PlannedMember<PackArchive> => ({
        ...fields,
        // Any text that a name may have, and unlike any other.
        name: `d/${i}${name.replace(/[\p{Cc}/\\]/gu, '_').toWellFormed()}`,
        source: ARCHIVES[archive]!,
        method: deflate ? 8 : 0,
        compressedSize: deflate ? Math.floor(fields.size / 2) : fields.size,
      }),
    ),
  );

test('a layout comes back as it was', async () => {
  await fc.assert(
    fc.asyncProperty(members, async (planned) => {
      const layout = planZip(planned);
      const file = await encodeLayout(layout);
      // A head of 40 bytes, archives as JSON in whole words, 40 bytes a member, and its name.
      const json = file.readUInt32LE(16);
      const names = planned.reduce((sum, { name }) => sum + Buffer.byteLength(name), 0);
      assert.equal(file.length, 40 + json + 40 * planned.length + names);
      assert.ok(json % 8 === 0 && JSON.parse(file.toString('utf8', 40, 40 + json)).length <= 3);
      const read = await decodeLayout(file);
      assert.equal(read.size, layout.size);
      assert.equal(read.count, layout.count);
      for (let i = 0; i < layout.count; i++) assert.deepEqual(read.member(i), layout.member(i));
      const pagesOf = (of: typeof layout) => of.sources.map(({ pages }) => pages?.encode() ?? null);
      assert.deepEqual(pagesOf(read), pagesOf(layout));
      const digest = (of: typeof layout) => layoutDigest(of, ({ sha256 }) => sha256, backgroundSlices());
      assert.equal(await digest(read), await digest(layout));
    }),
    { numRuns: 300 },
  );
});

test('says what is wrong with bytes that are no layout', async () => {
  const file = await encodeLayout(planZip(fc.sample(members, { numRuns: 5, seed: 3 }).at(-1)!));
  await assert.rejects(decodeLayout(Buffer.from('citymidx')), /begins with "citypack"; found "citymidx"/);
  await assert.rejects(decodeLayout(new Uint8Array()), /begins with "citypack"; found ""/);
  await assert.rejects(decodeLayout(file.subarray(0, 20)), /header of the layout is damaged/);
  await assert.rejects(decodeLayout(file.subarray(0, -1)), /bytes; found/);
  for (let at = 8; at < file.length; at += 7) {
    const damaged = Buffer.from(file);
    damaged[at]! ^= 0x10;
    await assert.rejects(decodeLayout(damaged), /CRC-32 differs/, `byte ${at}`);
  }
});

test('the bytes are those of version 1: packs outlive the program that made them', async () => {
  const bare = ARCHIVES.map((archive) => ({ ...archive, pages: null }));
  const member = (name: string, archive: number, more: Partial<PlannedMember<PackArchive>>) => ({
    name,
    source: bare[archive]!,
    method: 8 as const,
    offset: 70,
    compressedSize: 5,
    size: 9,
    crc32: 0xfedcba98,
    modified: Date.UTC(2024, 0, 2, 3, 4, 6),
    ...more,
  });
  const file = await encodeLayout(
    planZip([
      member('d/a.gml', 1, {}),
      member('d/建物.gml', 0, { method: 0, size: 5, offset: 7e9 }),
      member('d/c', 1, {}),
    ]),
  );
  assert.equal(file.toString('latin1', 0, 8), 'citypack');
  assert.deepEqual(
    [8, 12, 16, 20].map((at) => file.readUInt32LE(at)),
    [1, 3, 176, 22],
  );
  assert.equal(
    createHash('sha256').update(file).digest('hex'),
    'f91c19404b2addab7ab10a99fba09b3963ec9962c5948f2d1a16d8ab460cbfca',
  );
});

test('a layout of another version, or for a zip of another size, is refused', async () => {
  const file = await encodeLayout(planZip([]));
  const changed = (change: (copy: Buffer) => void) => {
    const copy = Buffer.from(file);
    change(copy);
    copy.writeUInt32LE(crc32(copy.subarray(0, 36)), 36);
    return decodeLayout(copy);
  };
  await assert.rejects(
    changed((copy) => copy.writeUInt32LE(2, 8)),
    /format version 1 are read; found version 2/,
  );
  await assert.rejects(
    changed((copy) => copy.writeDoubleLE(23, 24)),
    /gives a zip of 22 bytes; it was written for 23/,
  );
});
