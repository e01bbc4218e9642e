/** Which files a page goes through, in which order, and what looking at them is charged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import { Filters } from '../base/filter.ts';
import type { FileTest } from '../catalogue/search/file-filter.ts';
import { cityPackage, snapshotOf } from '../catalogue/testing/snapshot-rows.ts';
import { FeatureWorkshop } from './feature-work.ts';
import { type FeaturePlace, type FileQuery, filesInOrder } from './files-in-order.ts';
import type { GmlFile, GmlFiles } from './gml-files.ts';
import { Region } from './region.ts';

const HERE = { west: 139, south: 35, east: 139.1, north: 35.1 };
const FAR = { west: 140, south: 36, east: 140.1, north: 36.1 };
const EVERYTHING = new Region({ ids: null, box: null, polygons: null });
const NEAR = new Region({ ids: null, box: { bounds: HERE, altitudes: null }, polygons: null });

const rows = ['14201', '14203', '14205'].map((cityCode, n) =>
  cityPackage({ cityCode, archiveKey: `archives/${n}`, bounds: n === 1 ? FAR : HERE }),
);
const snapshot = await snapshotOf(...rows);
const file = (path: string, more: Partial<GmlFile> = {}): GmlFile => ({
  ...{ path, type: 'bldg', mesh: '', areaCodes: '', bounds: HERE, features: 1, wellFormed: true },
  ...more,
});
const FILES = [
  file('a'),
  file('b', { type: 'tran' }),
  file('c', { bounds: FAR, mesh: 'far' }),
  file('d', { bounds: null }),
];

/** Paths in order, with the packages that were asked for their files and what was charged. */
async function inOrder(
  query: Partial<FileQuery>,
  {
    after = null,
    rejects = () => false,
  }: { after?: FeaturePlace | null; rejects?: (row: PackageRow) => boolean } = {},
  accepts: FileTest['accepts'] = () => true,
) {
  const asked: string[] = [];
  const files = {
    testOf: async () => ({ accepts, mayHave: (row: PackageRow) => !rejects(row), hasAll: () => false }),
    async ofPackage(row: PackageRow) {
      asked.push(row.cityCode);
      return FILES;
    },
  } as unknown as GmlFiles;
  const limits = { maxGeometryBytes: 1, maxItems: 1e6, maxReadBytes: 1 };
  const work = new FeatureWorkshop(limits).begin(new AbortController().signal, '');
  const whole = { snapshot, type: 'bldg', filters: new Filters<never>([]), region: EVERYTHING, ...query };
  const found: string[] = [];
  for await (const { row, file, from } of filesInOrder(files, whole, after, work))
    found.push(`${row.cityCode} ${file.path} ${from}`);
  return { found, asked, items: work.budget.used.items };
}

const all = (code: string) => ['a', 'c', 'd'].map((path) => `${code} ${path} 0`);

test('files come by area and path, of the type that is asked for', async () => {
  const { found, asked, items } = await inOrder({});
  assert.deepEqual(found, ['14201', '14203', '14205'].flatMap(all));
  assert.deepEqual([asked, items], [['14201', '14203', '14205'], 9]);
});

test('a package that is passed over, or cannot have a file, is not looked at', async () => {
  const [first, second] = [...snapshot.packages].sort((a, b) => (a.cityCode < b.cityCode ? -1 : 1));
  const passed = await inOrder({ passesOver: (row) => row === first });
  assert.deepEqual([passed.found, passed.asked], [['14203', '14205'].flatMap(all), ['14203', '14205']]);
  const rejected = await inOrder({}, { rejects: (row) => row === second });
  assert.deepEqual([rejected.found, rejected.asked], [['14201', '14205'].flatMap(all), ['14201', '14205']]);
});

test('a file that the filters refuse is passed over', async () => {
  const { found, items } = await inOrder({}, {}, (_row, { mesh }) => mesh !== 'far');
  assert.deepEqual(
    found,
    ['14201', '14203', '14205'].flatMap((code) => [`${code} a 0`, `${code} d 0`]),
  );
  assert.equal(items, 6);
});

test('in a region packages and files count that may meet it', async () => {
  const { found, asked, items } = await inOrder({ region: NEAR });
  assert.deepEqual(
    [found, asked],
    [
      ['14201 a 0', '14205 a 0'],
      ['14201', '14205'],
    ],
  );
  assert.equal(items, 6 * NEAR.parts);
});

test('behind a place the rest of its file comes, then what follows', async () => {
  const [, second] = [...snapshot.packages].sort((a, b) => (a.cityCode < b.cityCode ? -1 : 1));
  const place = { packageNo: second!.no, packageId: second!.id.slice(0, 8), path: 'c', index: 4 };
  const { found } = await inOrder({}, { after: place });
  assert.deepEqual(found, ['14203 c 5', '14203 d 0', ...all('14205')]);
  for (const other of [{ packageId: 'none' }, { packageNo: 999 }])
    await assert.rejects(inOrder({}, { after: { ...place, ...other } }), /not found/);
});

test('behind a place the older editions of its area follow, and none that is newer', async () => {
  const edition = (year: number) => cityPackage({ cityCode: '14203', year, archiveKey: `archives/${year}` });
  const editions = [2024, 2022, 2020].map(edition);
  const area = (code: string) => cityPackage({ cityCode: code, archiveKey: `archives/${code}` });
  const several = await snapshotOf(area('14201'), ...editions, area('14205'));
  for (const [n, { no, id }] of editions.entries()) {
    const place = { packageNo: no, packageId: id.slice(0, 8), path: 'd', index: 0 };
    const { found } = await inOrder({ snapshot: several }, { after: place });
    const older = editions.slice(n + 1).flatMap(() => all('14203'));
    assert.deepEqual(found, ['14203 d 1', ...older, ...all('14205')]);
  }
});
