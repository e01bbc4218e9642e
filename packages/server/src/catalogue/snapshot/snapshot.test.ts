/** Rows of the catalogue, as a snapshot has them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { datasetSub } from '@citymodel/citygml';
import type { PackageRow } from '@citymodel/store';
import {
  cityPackage,
  MemoryCatalogue,
  parsedDocument,
  parsedRows,
  rowsOf,
  snapshotOf,
  testUrls,
  tilePackage,
} from '../testing/snapshot-rows.ts';
import { buildSnapshot, type Snapshot } from './snapshot.ts';

const idsOf = async (...rows: PackageRow[]) => (await rowsOf('datasets', ...rows)).map(({ id }) => id);

const river = (code: string) => ({
  type: 'fld',
  lod: null,
  lodNamed: false,
  texture: false,
  sub: { code, name: '荒川 計画規模', admin: 'natl', river: '荒川', scale: 'l1', scaleSuffix: null } as const,
});

test('an empty catalogue has its five arrays', async () => {
  assert.deepEqual(parsedDocument(await snapshotOf()), {
    datasets: [],
    composite_tilesets: [],
    citygml: [],
    latest_datasets: [],
    latest_citygml: [],
  });
});

test('a 3D Tiles row has every column in its type', async () => {
  const row = tilePackage(
    { lod: 2, formatVersion: '1.1' },
    { cityCode: '01100', wardCode: '01101', license: 'CC BY 4.0' },
  );
  assert.deepEqual(await rowsOf('datasets', row), [
    {
      id: '01101_bldg_lod2',
      name: '建築物モデル（区01101）',
      pref: '県01',
      pref_code: '01',
      city: '市01100',
      city_code: '01100',
      ward: '区01101',
      ward_code: '01101',
      type: '建築物モデル',
      type_en: 'bldg',
      url: `https://cms.example/assets/${row.assetPath}/${row.name}/tileset.json`,
      layers: null,
      year: 2023,
      registration_year: 2024,
      spec: '4.1',
      format: '3D Tiles',
      format_version: '1.1',
      lod: '2',
      texture: true,
      composite_url: 'https://data.example/datacatalog/3dtiles/01101-bldg-lod2-2023/tileset.json',
      file_size: row.archiveSize,
      bbox: [139, 35, 139.5, 35.5],
      license: 'CC BY 4.0',
    },
  ]);
});

test('an MVT row has layers and no format version; what has no wards has no ward keys', async () => {
  const row = tilePackage({ format: 'MVT', type: 'urf', lod: null, lodNamed: false });
  const [only] = await rowsOf('datasets', row);
  assert.deepEqual([only!.layers, only!.format, only!.lod, only!.texture], [['urf'], 'MVT', '1', false]);
  assert.equal(only!.url, `https://cms.example/assets/${row.assetPath}/${row.name}/{z}/{x}/{y}.mvt`);
  assert.equal(only!.composite_url, 'https://data.example/datacatalog/mvt/13101-urf-2023/tilejson.json');
  for (const key of ['ward', 'ward_code', 'format_version', 'interior', 'license']) {
    assert.ok(!(key in only!), key);
  }
});

test('ids: sub code, interior, texture and 3.3; formats and years only where two coexist', async () => {
  const mvt = { format: 'MVT', type: 'tran' } as const;
  assert.deepEqual(
    await idsOf(
      tilePackage(river('natl_ara_l1')),
      tilePackage({ lod: 4, interior: true }),
      tilePackage({ lod: 2 }),
      tilePackage({ lod: 2, texture: false }),
      tilePackage({ lod: 3, lodEx: 33 }),
      tilePackage({ lod: 1 }, { year: 2021 }),
      tilePackage({ lod: 1 }, { year: 2022 }),
      tilePackage({ lod: 1 }),
      tilePackage({ lod: 1 }, { provider: 'pref' }),
      tilePackage({ ...mvt, lod: 1 }),
      tilePackage({ ...mvt, lod: 2 }),
      tilePackage({ type: 'tran', lod: 2 }),
    ),
    [
      '13101_bldg_interior_lod4',
      '13101_bldg_lod1',
      '13101_bldg_lod1_2021',
      '13101_bldg_lod1_2022',
      '13101_bldg_lod1_pref',
      '13101_bldg_lod2',
      '13101_bldg_lod2_no_texture',
      '13101_bldg_lod33',
      '13101_fld_natl_ara_l1_lod1',
      '13101_tran_lod1',
      '13101_tran_lod2',
      '13101_tran_lod2_mvt',
    ],
  );
});

test('of two years alone the newest keeps the plain id, and areas of other codes have no zip', async () => {
  const ids = await idsOf(tilePackage({}, { year: 2021 }), tilePackage({}, { year: 2022 }));
  assert.deepEqual(ids, ['13101_bldg_lod1', '13101_bldg_lod1_2021']);
  const snapshot = await snapshotOf(
    ...['13', '13101', '131', '053150', '05315000'].map((cityCode) => cityPackage({ cityCode })),
  );
  const zips = parsedDocument(snapshot).citygml!.map(({ id, composite_url }) => [id, composite_url !== null]);
  assert.deepEqual(Object.fromEntries(zips), {
    ...{ 13: true, 13101: true, 131: false },
    ...{ '053150': false, '05315000': false },
  });
});

test('the name has the sub name; a prefecture’s own package repeats its code', async () => {
  const [row] = await rowsOf(
    'datasets',
    tilePackage(river('natl_ara_l1'), { cityCode: '13', prefCode: '13', city: '東京都', pref: '東京都' }),
  );
  assert.equal(row!.name, '洪水浸水想定区域モデル 荒川 計画規模（東京都）');
  assert.deepEqual([row!.city, row!.city_code, row!.pref_code], ['東京都', '13', '13']);
  assert.equal(
    row!.composite_url,
    'https://data.example/datacatalog/3dtiles/13-fld_natl_ara_l1_city-lod1-2023/tileset.json',
  );
});

test('a row without an extent of its own has its municipality’s', async () => {
  const rows = await rowsOf('datasets', cityPackage(), tilePackage({}, { bounds: null }));
  assert.deepEqual(rows[0]!.bbox, [139, 35, 139.5, 35.5]);
});

test('citygml has the newest year of each municipality, latest_citygml every column', async () => {
  const rows = [
    cityPackage({ cityCode: '22203', year: 2021 }),
    cityPackage({ cityCode: '22203', year: 2023, provider: 'pref' }),
    cityPackage({ cityCode: '22203', year: 2023 }),
  ];
  const snapshot = await snapshotOf(...rows);
  const { citygml, latest_citygml } = parsedDocument(snapshot);
  const newest = rows[2]!;
  assert.deepEqual(citygml, [
    {
      id: '22203',
      pref: '県22',
      pref_code: '22',
      city: '市22203',
      city_code: '22203',
      url: `https://cms.example/assets/${newest.assetPath}/${newest.name}.zip`,
      file_size: newest.archiveSize,
      composite_url: 'https://data.example/datacatalog/citygml/22203-2023/citygml.zip',
      feature_types: ['bldg', 'tran'],
      year: 2023,
      registration_year: 2024,
      spec: '4.1',
      bbox: [139, 35, 139.5, 35.5],
    },
  ]);
  assert.deepEqual(latest_citygml, [
    {
      id: '22203',
      pref: '県22',
      pref_code: '22',
      city: '市22203',
      city_code: '22203',
      url: 'https://data.example/datacatalog/citygml/22203-latest/citygml.zip',
      file_size: newest.archiveSize,
      feature_types: ['bldg', 'tran'],
      year: 'latest',
      bbox: [139, 35, 139.5, 35.5],
    },
  ]);
  const all = parsedRows(snapshot.allYears) as Array<{ id: string }>;
  assert.deepEqual(
    all.map(({ id }) => id),
    ['22203', '22203_2021', '22203_2023_pref'],
  );
});

test('latest rows: one per area, type, part, LOD, format and texture, of the newest year that has it', async () => {
  const rows = await rowsOf(
    'latest_datasets',
    tilePackage({ lod: 1 }, { year: 2021 }),
    tilePackage({ lod: 1, formatVersion: '1.1' }),
    tilePackage({ lod: 2 }, { year: 2021 }),
    tilePackage({ lod: 2, texture: false }),
    tilePackage(river('natl_a_l1')),
    tilePackage(river('natl_b_l1'), { year: 2022 }),
    tilePackage({ format: 'MVT', type: 'luse' }),
  );
  assert.deepEqual(
    rows.map((row) => row.url.slice('https://data.example/datacatalog/'.length)),
    [
      '3dtiles/13101-bldg-lod1-latest/tileset.json',
      '3dtiles/13101-bldg-lod2-notexture-latest/tileset.json',
      '3dtiles/13101-bldg-lod2-texture-latest/tileset.json',
      '3dtiles/13101-fld_natl_a_l1-lod1-latest/tileset.json',
      '3dtiles/13101-fld_natl_b_l1-lod1-latest/tileset.json',
      'mvt/13101-luse-lod1-latest/tilejson.json',
    ],
  );
  assert.deepEqual(rows[0], {
    id: '13101_bldg_lod1',
    name: '建築物モデル（市13101）',
    pref: '県13',
    pref_code: '13',
    city: '市13101',
    city_code: '13101',
    type: '建築物モデル',
    type_en: 'bldg',
    url: rows[0]!.url,
    layers: null,
    year: 'latest',
    format: '3D Tiles',
    format_version: '1.1',
    lod: '1',
    texture: true,
    bbox: [139, 35, 139.5, 35.5],
  });
});

test('replaced packages answer as assets and are in nothing else', async () => {
  const retired = cityPackage({ state: 'retired', year: 2020 });
  const removed = cityPackage({ state: 'removed' });
  const snapshot = await snapshotOf(retired, removed);
  const find = (row: PackageRow) => snapshot.findAsset({ assetPath: row.assetPath, packageName: row.name });
  assert.equal(find(retired), retired);
  assert.equal(find(removed), undefined);
  assert.deepEqual(snapshot.packages, []);
  assert.equal(snapshot.packageByNo(retired.no), undefined);
  assert.deepEqual(snapshot.cityGmlOf('13101'), []);
  assert.equal(snapshot.boundsOf('13101'), null);
});

test('names that were guessed give way to what the newest code list says', async () => {
  const lists = (year: number, city: string) =>
    cityPackage({ cityCode: '99100', year, areaNames: { '99100': city, '99101': '東の区' } });
  const guessed = tilePackage(
    {},
    {
      cityCode: '99100',
      city: 'mihon-shi',
      wardCode: '99101',
      ward: 'higashi-ku',
      guessed: ['city', 'ward'],
    },
  );
  const known = tilePackage({ lod: 2 }, { cityCode: '99100', city: '見本' });
  const snapshot = await snapshotOf(guessed, known, lists(2023, '見本市'), lists(2021, '見本町'));
  const [first, second] = parsedDocument(snapshot).datasets!;
  assert.deepEqual(
    [second!.city, second!.ward, second!.name],
    ['見本市', '東の区', '建築物モデル（東の区）'],
  );
  assert.equal(first!.city, '見本');
});

test(
  'rivers are called as the newest CityGML package of their municipality names them, whichever came ' +
    'first',
  async () => {
    const flood = (cityCode: string) =>
      tilePackage(
        {
          type: 'fld',
          lod: null,
          lodNamed: false,
          texture: false,
          sub: datasetSub('fld', 'natl_Kano', 'l2', '1'),
        },
        { cityCode },
      );
    const names = (year: number, name: string) =>
      cityPackage({ cityCode: '22203', year, partNames: { 'fld/natl_kano': name } });
    const catalogue = new MemoryCatalogue([flood('22203'), flood('22206'), names(2021, '旧川')]);
    const namesOf = (snapshot: Snapshot) => parsedDocument(snapshot).datasets!.map(({ name }) => name);
    const first = await buildSnapshot(catalogue.asStore(), testUrls);
    assert.deepEqual(namesOf(first), [
      '洪水浸水想定区域モデル 旧川 想定最大規模 1（市22203）',
      '洪水浸水想定区域モデル natl_Kano_l2-1（市22206）',
    ]);
    catalogue.rows.push(names(2023, '狩野川'), names(2022, '別川'));
    catalogue.versionNo++;
    const second = await buildSnapshot(catalogue.asStore(), testUrls, { previous: first });
    assert.equal(namesOf(second)[0], '洪水浸水想定区域モデル 狩野川 想定最大規模 1（市22203）');
    assert.deepEqual(
      second.datasets.map(({ id, sub }) => [id, sub]),
      first.datasets.map(({ id, sub }) => [id, sub]),
      'ids and specs stay',
    );
  },
);

test('areas have the extent of all their packages', async () => {
  const snapshot = await snapshotOf(
    cityPackage({ cityCode: '01100', bounds: { west: 141, south: 42.9, east: 141.2, north: 43 } }),
    tilePackage(
      {},
      { cityCode: '01100', wardCode: '01101', bounds: { west: 141.1, south: 43, east: 141.3, north: 43.1 } },
    ),
  );
  const ward = { west: 141.1, south: 43, east: 141.3, north: 43.1 };
  assert.deepEqual(snapshot.boundsOf('01101'), ward);
  assert.deepEqual(snapshot.boundsOf('01100'), { ...ward, west: 141, south: 42.9 });
  assert.deepEqual(snapshot.boundsOf('01'), { ...ward, west: 141, south: 42.9 });
  assert.equal(snapshot.boundsOf('13'), null);
  assert.deepEqual(
    ['01101', '01100', '13101', '13100', '99999'].map((code) => snapshot.cityAround(code)),
    ['01100', null, '13100', null, null],
  );
});
