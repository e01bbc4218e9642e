import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import { packFixture } from '../../pack/testing/pack-fixture.ts';
import { MetadataLayouts } from './metadata-layouts.ts';

/** Packages of so many code lists each, and how often an archive was opened. */
async function fixture(...counts: number[]) {
  const stores = await packFixture();
  const rows: PackageRow[] = [];
  for (const [i, count] of counts.entries()) {
    const lists = Array.from({ length: count }, (_, n) => [`codelists/${n}.xml`, `${i} ${n}`]);
    rows.push(await stores.publish(`p${i}`, Object.fromEntries([...lists, ['udx/bldg/a.gml', 'a']])));
  }
  const seen = { opened: 0 };
  const archives = {
    open: (row: Parameters<typeof stores.archives.open>[0]) => {
      seen.opened++;
      return stores.archives.open(row);
    },
  };
  return { rows, seen, archives, [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose]() };
}

test('a layout is made once, also for those who ask at the same time, and what is missing is remembered', async () => {
  await using at = await fixture(2);
  const layouts = new MetadataLayouts(at.archives);
  const [row] = at.rows as [PackageRow];
  const [one, two] = await Promise.all([layouts.of(row, 'codelists'), layouts.of(row, 'codelists')]);
  assert.equal(one, two);
  assert.equal(one!.layout.count, 2);
  assert.match(one!.digest, /^[0-9a-f]{64}$/);
  assert.equal(at.seen.opened, 1);
  for (let i = 0; i < 2; i++) assert.equal(await layouts.of(row, 'schemas'), null);
  assert.equal(at.seen.opened, 2);
});

test('layouts weigh as many members as they have, and those used longest ago go', async () => {
  await using at = await fixture(3, 3, 9);
  const layouts = new MetadataLayouts(at.archives, { layouts: 10, members: 6 });
  const [a, b, large] = at.rows as [PackageRow, PackageRow, PackageRow];
  const opens = async (row: PackageRow) => {
    const before = at.seen.opened;
    await layouts.of(row, 'codelists');
    return at.seen.opened - before;
  };
  assert.deepEqual([await opens(a), await opens(b), await opens(a), await opens(b)], [1, 1, 0, 0]);
  // One that is larger than the cache is kept alone: it takes longest to make.
  assert.deepEqual(
    [await opens(large), await opens(large), await opens(a), await opens(large)],
    [1, 0, 1, 1],
  );
  const few = new MetadataLayouts(at.archives, { layouts: 1, members: 100 });
  await few.of(a, 'codelists');
  await few.of(b, 'codelists');
  const before = at.seen.opened;
  await few.of(a, 'codelists');
  assert.equal(at.seen.opened, before + 1);
});
