import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberDamaged, type PageSumsOf } from '@citymodel/zip';
import fc from 'fast-check';
import { KnownPages } from './known-pages.ts';

const PAGE = 100;
const sumOf = (page: number) => (page * 2_654_435_761) >>> 0;
const SUMS: PageSumsOf = { name: 'a', pageBytes: PAGE, load: async () => sumOf };

const ranges = fc
  .array(fc.record({ offset: fc.nat(5_000), compressedSize: fc.nat(700) }), { maxLength: 12 })
  .map((all) => all.sort((a, b) => a.offset - b.offset));

test('the pages that ranges touch are known, all others are not; they come back as they were', async () => {
  await fc.assert(
    fc.asyncProperty(ranges, async (all) => {
      const touched = new Set<number>();
      for (const { offset, compressedSize } of all) {
        for (let at = offset; at < offset + compressedSize; at++) touched.add(Math.floor(at / PAGE));
      }
      const known = await KnownPages.touched(SUMS, all);
      for (const one of [known, KnownPages.decode(known.encode(), 'a')]) {
        const { name, pageBytes, load } = one.of('b');
        const found = await load(0, 60);
        assert.deepEqual([name, pageBytes], ['b', PAGE]);
        for (let page = 0; page < 60; page++)
          assert.equal(found(page), touched.has(page) ? sumOf(page) : null);
        assert.equal(one.byteLength, known.byteLength);
      }
    }),
  );
});

test('sums of a whole object are those that were written', async () => {
  const encoded = Buffer.alloc(12);
  for (let i = 0; i < 3; i++) encoded.writeUInt32LE(sumOf(i), 4 * i);
  const found = await KnownPages.all(PAGE, encoded).of('a').load(0, 3);
  assert.deepEqual([0, 1, 2, 3].map(found), [sumOf(0), sumOf(1), sumOf(2), null]);
  assert.equal((await KnownPages.all(PAGE, Buffer.alloc(0)).of('a').load(0, 1))(0), null);
});

test('no bit of encoded sums may be another', async () => {
  const encoded = (await KnownPages.touched(SUMS, [{ offset: 250, compressedSize: 900 }])).encode();
  for (let bit = 0; bit < 8 * encoded.length; bit++) {
    const other = Buffer.from(encoded);
    other[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => KnownPages.decode(other, 'a'), MemberDamaged);
  }
  for (let end = 0; end < encoded.length; end++) {
    assert.throws(() => KnownPages.decode(encoded.subarray(0, end), 'a'), MemberDamaged);
  }
});
