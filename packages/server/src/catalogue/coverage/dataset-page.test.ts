import assert from 'node:assert/strict';
import test from 'node:test';
import { Slices } from '@citymodel/base';
import { mapSymbolsSub } from '@citymodel/citygml';
import { Filters } from '../../base/filter.ts';
import { textOf } from '../../base/testing/text-of.ts';
import { snapshotOf, tilePackage } from '../testing/snapshot-rows.ts';
import { type DatasetPageQuery, datasetPage, filterOfRow, wordsFilter } from './dataset-page.ts';

const ALL: DatasetPageQuery = {
  filters: new Filters(),
  mapSymbols: false,
  order: 'place',
  offset: 0,
  limit: 50,
};

test('a page is made in slices, between which others go first, and kept', async () => {
  const years = Array.from({ length: 200 }, (_, i) => 1_900 + i);
  const snapshot = await snapshotOf(...years.map((year) => tilePackage({}, { year })));
  let pauses = 0;
  const slices = new Slices(async () => void pauses++, 0);
  const page = await datasetPage(
    snapshot,
    { ...ALL, filters: new Filters([wordsFilter(['bldg', '1950'])]) },
    () => slices,
  );
  assert.ok(pauses >= 5, `${pauses} pauses`);
  const { total, datasets, facets } = JSON.parse(await textOf(page));
  assert.equal(total, 1);
  assert.equal(datasets[0].year, 1950);
  assert.deepEqual(facets.year, [['1950', 1]]);
  assert.equal(
    await datasetPage(
      snapshot,
      { ...ALL, filters: new Filters([wordsFilter(['bldg', '1950'])]) },
      () => slices,
    ),
    page,
  );
});

test('a filter of rows asks the row of a dataset, and no filter asks nothing', () => {
  assert.equal(filterOfRow(null), null);
  const asked: unknown[] = [];
  const rows = {
    ...{ name: 'year', key: 'year=2020', words: 'of 2020' },
    accepts(keys: unknown) {
      asked.push(keys);
      return true;
    },
    narrow() {},
  };
  const filter = filterOfRow(rows)!;
  assert.deepEqual([filter.name, filter.key, filter.words], ['year', 'year=2020', 'of 2020']);
  const keys = { year: '2020' };
  assert.equal(filter.accepts({} as never, keys as never), true);
  assert.deepEqual(asked, [keys]);
});

test('sets of map symbols are listed and counted for those who ask', async () => {
  const sub = mapSymbolsSub('frn', '', 'dm_annotations');
  const symbols = tilePackage({ type: 'frn', format: 'MVT', lod: 0, texture: false, sub });
  const snapshot = await snapshotOf(tilePackage({}), symbols);
  const page = async (mapSymbols: boolean) =>
    JSON.parse(
      await textOf(await datasetPage(snapshot, { ...ALL, mapSymbols }, () => new Slices(async () => {}, 0))),
    );
  const [usual, whole] = [await page(false), await page(true)];
  assert.deepEqual([usual.total, whole.total], [1, 2]);
  const [set] = whole.datasets.filter(({ type_en: type }: { type_en: string }) => type === 'frn');
  assert.match(set.id, /frn_dm_annotations/);
  assert.deepEqual(usual.facets.type_en, [['bldg', 1]]);
  assert.deepEqual(whole.facets.type_en, [
    ['bldg', 1],
    ['frn', 1],
  ]);
});

test('wards of a city stand within its types, each with its years', async () => {
  const inWard = (wardCode: string | null, year: number, type = 'bldg') =>
    tilePackage({ type }, { cityCode: '27100', wardCode, ward: wardCode && `区${wardCode}`, year });
  const snapshot = await snapshotOf(
    ...[inWard('27104', 2022, 'tran'), inWard('27107', 2022), inWard('27104', 2020)],
    ...[inWard('27104', 2022), inWard(null, 2022, 'tran'), inWard(null, 2022)],
  );
  const { datasets } = JSON.parse(
    await textOf(await datasetPage(snapshot, ALL, () => new Slices(async () => {}, 0))),
  );
  assert.deepEqual(
    datasets.map((row: Record<string, unknown>) => [row.type_en, row.ward_code ?? null, row.year]),
    [
      ['bldg', null, 2022],
      ['bldg', '27104', 2022],
      ['bldg', '27104', 2020],
      ['bldg', '27107', 2022],
      ['tran', null, 2022],
      ['tran', '27104', 2022],
    ],
  );
});

test('datasets stand by municipality, buildings first, years of one thing together', async () => {
  const flood = { type: 'fld', format: 'MVT' as const, lod: 1, sub: { code: 'natl_a', name: 'a' } as never };
  const snapshot = await snapshotOf(
    tilePackage(flood, { cityCode: '13' }),
    tilePackage(flood, { cityCode: '13101' }),
    tilePackage({ lod: 1 }, { cityCode: '13101', year: 2022 }),
    tilePackage({ lod: 2 }, { cityCode: '13101', year: 2023 }),
    tilePackage({ lod: 1 }, { cityCode: '13101', year: 2023 }),
    tilePackage({ lod: 1 }, { cityCode: '14100' }),
  );
  const { datasets } = JSON.parse(
    await textOf(await datasetPage(snapshot, ALL, () => new Slices(async () => {}, 0))),
  );
  assert.deepEqual(
    datasets.map((row: Record<string, unknown>) => [row.city_code, row.type_en, row.lod, row.year]),
    [
      ['13101', 'bldg', '2', 2023],
      ['13101', 'bldg', '1', 2023],
      ['13101', 'bldg', '1', 2022],
      ['13101', 'fld', '1', 2023],
      ['13', 'fld', '1', 2023],
      ['14100', 'bldg', '1', 2023],
    ],
  );
});
