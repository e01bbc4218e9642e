import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCHIVE_PAGE_BYTES, MemberDamaged, type RangedSource } from '@citymodel/zip';
import { ArchiveSums } from './archive-sums.ts';

const BEFORE = 100;
/** More than are read at once. */
const PAGES = 8192 + 300;

/** An index whose sums are the numbers of the pages; it has nothing behind them, and notes what is read. */
function indexOf(pages: number) {
  const bytes = Buffer.alloc(BEFORE + 4 * pages);
  for (let page = 0; page < pages; page++) bytes.writeUInt32LE(page, BEFORE + 4 * page);
  const reads: Array<[offset: number, end: number]> = [];
  const source: RangedSource = {
    size: bytes.length,
    async read(offset: number, length: number) {
      reads.push([offset, offset + length]);
      return bytes.subarray(offset, offset + length);
    },
    stream: () => assert.fail('sums are read'),
  };
  return { source, reads, range: { offset: BEFORE, length: 4 * pages } };
}

test('sums are read piece by piece and once, and none from behind their end', async () => {
  const { reads, ...place } = indexOf(PAGES);
  const archive = { name: 'a.zip', size: PAGES * ARCHIVE_PAGE_BYTES - 1 };
  const sums = new ArchiveSums();
  const { load } = sums.of('a', place, archive);
  const last = await load(PAGES - 1, PAGES);
  assert.equal(last!(PAGES - 1), PAGES - 1);
  assert.deepEqual(reads, [[BEFORE + 4 * 8192, BEFORE + 4 * PAGES]]);
  const both = await load(8190, 8194);
  assert.deepEqual(
    [8190, 8191, 8192, 8193].map((page) => both!(page)),
    [8190, 8191, 8192, 8193],
  );
  await sums.of('a', place, archive).load(0, PAGES);
  assert.deepEqual(reads.slice(1), [[BEFORE, BEFORE + 4 * 8192]]);
  // Another archive has its own.
  await sums.of('b', place, archive).load(0, 1);
  assert.equal(reads.length, 3);
});

test('sums of another number of pages than the archive has are damage', async () => {
  const { reads, ...place } = indexOf(3);
  for (const size of [3 * ARCHIVE_PAGE_BYTES + 1, 2 * ARCHIVE_PAGE_BYTES]) {
    const { load } = new ArchiveSums().of('a', place, { name: 'a.zip', size });
    await assert.rejects(async () => load(0, 1), MemberDamaged);
  }
  assert.deepEqual(reads, []);
});
