import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meshBounds } from '@citymodel/geo';
import type { MeasuredFileRow, PackageRow } from '@citymodel/store';
import { cityPackage } from '../testing/snapshot-rows.ts';
import { type CoverageQuery, type CoverageRow, meshCoverage } from './mesh-coverage.ts';
import { CoverageCache, typeBit } from './package-coverage.ts';

type File = Partial<MeasuredFileRow> & { mesh: string };

/** A store of files by package, which notes which packages it is asked for. */
function storeOf(files: ReadonlyMap<PackageRow, readonly File[]>) {
  const asked: number[][] = [];
  const byNo = new Map([...files].map(([{ no }, list]) => [no, list]));
  return {
    asked,
    async *placedFiles({ packageNos }: { packageNos: readonly number[] }) {
      asked.push([...packageNos]);
      for (const packageNo of packageNos) {
        yield (byNo.get(packageNo) ?? []).map((file) => ({
          ...{ packageNo, type: 'bldg', maxLod: 1, size: 10, features: 2, ...file },
        })) as MeasuredFileRow[];
      }
    },
  };
}

const older = cityPackage({ year: 2021, bounds: meshBounds('533945') });
const newer = cityPackage({ year: 2023, bounds: null });
const FILES = new Map<PackageRow, File[]>([
  [
    older,
    [
      { mesh: '53394509', maxLod: 2 },
      { mesh: '53394509', type: 'tran', maxLod: 0 },
      { mesh: '533945', type: 'dem', maxLod: 1, features: 1 },
      { mesh: '5339450911', type: 'frn', maxLod: 3 },
      { mesh: '', type: 'gen' },
    ],
  ],
  [newer, [{ mesh: '53394509', maxLod: 1 }, { mesh: '53394619' }, { mesh: '52385721', type: 'unknown' }]],
]);

async function rowsOf(query: Partial<CoverageQuery>): Promise<CoverageRow[]> {
  const coverage = await new CoverageCache(storeOf(FILES)).of([older, newer]);
  return meshCoverage([older, newer], coverage, {
    digits: 8,
    types: null,
    years: null,
    bbox: null,
    ...query,
  });
}

test('meshes inside a larger one are brought together, and larger ones count for none', async () => {
  assert.deepEqual(await rowsOf({}), [
    ['52385721', 1, 1, 2023, 1, 2],
    ['53394509', 3, 3, 2023, 4, 8],
    ['53394619', 1, 1, 2023, 1, 2],
  ]);
  assert.deepEqual(await rowsOf({ digits: 6 }), [
    ['523857', 1, 1, 2023, 1, 2],
    ['533945', 3, 4, 2023, 5, 9],
    ['533946', 1, 1, 2023, 1, 2],
  ]);
  assert.deepEqual(await rowsOf({ digits: 4 }), [
    ['5238', 1, 1, 2023, 1, 2],
    ['5339', 3, 4, 2023, 6, 11],
  ]);
});

test('types, years and a box narrow the meshes', async () => {
  assert.deepEqual(await rowsOf({ types: ['tran'] }), [['53394509', 0, 2, 2021, 2, 4]]);
  assert.deepEqual(await rowsOf({ types: ['frn', 'dem'], digits: 6 }), [['533945', 3, 2, 2021, 2, 3]]);
  assert.deepEqual(await rowsOf({ years: ['2021'] }), [['53394509', 3, 3, 2021, 3, 6]]);
  assert.deepEqual(await rowsOf({ years: ['2022'] }), []);
  assert.deepEqual(
    (await rowsOf({ bbox: meshBounds('53394619') })).map(([mesh]) => mesh),
    ['53394619'],
  );
  assert.deepEqual(await rowsOf({ bbox: { west: 0, south: 0, east: 1, north: 1 } }), []);
});

test('each package is read once, and forgotten when it has gone', async () => {
  const store = storeOf(FILES);
  const cache = new CoverageCache(store);
  const [one] = await Promise.all([cache.of([older]), cache.of([older, newer], [older, newer])]);
  assert.deepEqual([...one.keys()], [older.no]);
  assert.deepEqual(store.asked, [[older.no], [newer.no]]);
  const { bytes, maxLods } = (await cache.of([older, newer])).get(older.no)!;
  assert.equal(bytes, 50);
  assert.deepEqual([...maxLods].sort(), [
    ['bldg', 2],
    ['dem', 1],
    ['frn', 3],
    ['gen', 1],
    ['tran', 0],
  ]);
  const left = await cache.of([newer]);
  assert.deepEqual([...left.keys()], [newer.no]);
  assert.equal(store.asked.length, 2);
  await cache.of([older, newer]);
  assert.deepEqual(store.asked.at(-1), [older.no]);
  const many = Array.from({ length: 101 }, () => cityPackage());
  await new CoverageCache(store).of(many);
  assert.deepEqual(
    store.asked.slice(3).map(({ length }) => length),
    [50, 50, 1],
  );
});

test('a fault of the store is that of its own request alone', async () => {
  let isAway = true;
  const store = storeOf(FILES);
  const cache = new CoverageCache({
    placedFiles(query: never) {
      if (isAway) throw new Error('away');
      return store.placedFiles(query);
    },
  } as never);
  await assert.rejects(cache.of([older]), { message: 'away' });
  isAway = false;
  assert.deepEqual([...(await cache.of([older])).keys()], [older.no]);
});

test('a type has a bit of its own, and those that nobody knows share the last', () => {
  assert.notEqual(typeBit('bldg'), typeBit('tran'));
  assert.deepEqual([typeBit('nobody'), typeBit('')], [2 ** 31, 2 ** 31]);
});
