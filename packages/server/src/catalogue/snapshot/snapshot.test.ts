import assert from 'node:assert/strict';
import test from 'node:test';
import { datasetSub } from '@citymodel/citygml';
import type { PackageRow } from '@citymodel/store';
import fc from 'fast-check';
import { textOf } from '../../base/testing/text-of.ts';
import { cityZipFor } from '../resolve/city-zips.ts';
import { compositeFor, resolveTiles } from '../resolve/composite-tilesets.ts';
import { resolveMvt, tileJsonFor } from '../resolve/mvt-tilejson.ts';
import { COLUMNS } from '../rows/row-block.ts';
import type { Dataset } from '../rows/snapshot-dataset.ts';
import { type RowTable, rowText } from '../rows/snapshot-table.ts';
import { parseMvtSpec } from '../specs/mvt-spec.ts';
import { parseTilesSpec } from '../specs/tiles-spec.ts';
import {
  type CatalogueJson,
  cityPackage,
  MemoryCatalogue,
  parsedDocument,
  parsedRows,
  snapshotOf,
  testUrls,
  tilePackage,
} from '../testing/snapshot-rows.ts';
import { type ARRAYS, buildSnapshot, type Snapshot } from './snapshot.ts';

const rowsOf = async (name: (typeof ARRAYS)[number], ...rows: PackageRow[]) =>
  parsedDocument(await snapshotOf(...rows))[name]!;
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

test('a composite URL names the texture where there are both, and is null where something is missing', async () => {
  const rows = await rowsOf(
    'datasets',
    tilePackage({ lod: 2 }),
    tilePackage({ lod: 2, texture: false }),
    tilePackage({ lod: 3 }, { cityCode: '', prefCode: '' }),
    tilePackage({ lod: 1, boundingVolume: null, region: null }, { cityCode: '13102', bounds: null }),
  );
  assert.deepEqual(
    Object.fromEntries(rows.map((row) => [row.id, row.composite_url?.split('/').at(-2) ?? null])),
    {
      '13101_bldg_lod2': '13101-bldg-lod2-texture-2023',
      '13101_bldg_lod2_no_texture': '13101-bldg-lod2-notexture-2023',
      _bldg_lod3: null,
      '13102_bldg_lod1': null,
    },
  );
  assert.equal(rows.find((row) => row.id === '13102_bldg_lod1')!.bbox, null);
});

test('a row without an extent of its own has its municipality’s', async () => {
  const rows = await rowsOf('datasets', cityPackage(), tilePackage({}, { bounds: null }));
  assert.deepEqual(rows[0]!.bbox, [139, 35, 139.5, 35.5]);
});

test('composites: nationwide and per prefecture, per year and latest, textures where there are both', async () => {
  const rows = await rowsOf(
    'composite_tilesets',
    tilePackage({ lod: 2 }, { cityCode: '13102', year: 2022 }),
    tilePackage({ lod: 2, texture: false, formatVersion: '1.1' }, { cityCode: '14201', year: 2022 }),
    tilePackage({ lod: 4, interior: true }, { cityCode: '14201' }),
  );
  assert.deepEqual(
    rows.map((row) => row.id),
    [
      '13-bldg-lod2-2022',
      '13-bldg-lod2-latest',
      '14-bldg-lod2-2022',
      '14-bldg-lod2-latest',
      '14-bldg-lod4-interior-2023',
      '14-bldg-lod4-interior-latest',
      'all-bldg-lod2-2022',
      'all-bldg-lod2-latest',
      'all-bldg-lod2-notexture-2022',
      'all-bldg-lod2-notexture-latest',
      'all-bldg-lod2-texture-2022',
      'all-bldg-lod2-texture-latest',
      'all-bldg-lod4-interior-2023',
      'all-bldg-lod4-interior-latest',
    ],
  );
  assert.deepEqual(rows[0], {
    id: '13-bldg-lod2-2022',
    url: 'https://data.example/datacatalog/3dtiles/13-bldg-lod2-2022/tileset.json',
    area: 'pref',
    pref_code: '13',
    pref: '県13',
    type: '建築物モデル',
    type_en: 'bldg',
    lod: 2,
    texture: null,
    year: '2022',
    format_version: '1.0',
    bbox: [139, 35, 139.5, 35.5],
  });
  const national = rows.find((row) => row.id === 'all-bldg-lod2-latest')!;
  assert.ok(!('pref' in national) && !('interior' in national));
  assert.deepEqual([national.area, national.format_version, national.year], ['all', '1.1', 'latest']);
  assert.equal(rows.find((row) => row.id === 'all-bldg-lod4-interior-2023')!.interior, true);
  assert.equal(rows.find((row) => row.id === 'all-bldg-lod2-texture-2022')!.texture, true);
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

test('a composite_url names the texture where a name without LOD has the other one', async () => {
  const area = { cityCode: '22203', year: 2022 };
  const snapshot = await snapshotOf(
    tilePackage({ texture: false }, area),
    tilePackage({ texture: true, lod: null, lodNamed: false }, area),
  );
  const specs = parsedDocument(snapshot).datasets!.map((row) => row.composite_url?.split('/').at(-2));
  assert.deepEqual(specs.sort(), ['22203-bldg-lod1-notexture-2022', '22203-bldg-lod1-texture-2022']);
});

test('a snapshot is the same however it is sliced, and whatever order the rows come in', async () => {
  const rows = [tilePackage(), tilePackage({ lod: 2 }), cityPackage(), cityPackage({ year: 2020 })];
  const whole = await snapshotOf(...rows);
  let pauses = 0;
  const sliced = await buildSnapshot(
    new MemoryCatalogue(
      rows.map((row, i) => ({ ...row, no: 100 - i })),
      1,
    ).asStore(),
    testUrls,
    { pause: async () => void pauses++ },
  );
  assert.equal(sliced.document.etag, whole.document.etag);
  assert.equal(await textOf(sliced.document), await textOf(whole.document));
  assert.deepEqual(JSON.parse(await textOf(whole.document)), parsedDocument(whole));
});

/** Small catalogues in which everything that can coincide does. */
const catalogues: fc.Arbitrary<PackageRow[]> = fc.array(
  fc
    .record({
      place: fc.constantFrom(
        { cityCode: '13102' },
        { cityCode: '13100', wardCode: '13102' },
        { cityCode: '13100' },
        { cityCode: '01100' },
        { cityCode: '01100', wardCode: '01101' },
        { cityCode: '01100', wardCode: '01102' },
        { cityCode: '13' },
      ),
      year: fc.constantFrom(2021, 2022, 2023),
      provider: fc.constantFrom('city', 'pref'),
      kind: fc.constantFrom('citygml', '3D Tiles', '3D Tiles', '3D Tiles', 'MVT'),
      type: fc.constantFrom('bldg', 'fld'),
      sub: fc.constantFrom(null, 'natl_a_l1', 'pref_b-c_l2-x'),
      lod: fc.constantFrom(null, 1, 2, 3),
      lodNamed: fc.boolean(),
      lodEx: fc.constantFrom(null, null, 33),
      texture: fc.boolean(),
      interior: fc.constantFrom(null, null, false, true),
      formatVersion: fc.constantFrom(null, '1.0', '1.1'),
      bounds: fc.constantFrom(null, { west: 139, south: 35, east: 140, north: 36 }),
    })
    .map(({ place, year, provider, kind, bounds, sub, lod, lodNamed, lodEx, texture, ...summary }) => {
      const facts = { ...place, prefCode: place.cityCode.slice(0, 2), year, provider, bounds };
      if (kind === 'citygml') return cityPackage(facts);
      const mvt = kind === 'MVT';
      return tilePackage(
        {
          ...summary,
          format: mvt ? 'MVT' : '3D Tiles',
          formatVersion: mvt ? null : summary.formatVersion,
          sub: sub && { code: sub, name: sub, admin: null, river: null, scale: null, scaleSuffix: null },
          lod,
          lodNamed: lodNamed && lod !== null,
          lodEx: lodNamed && lod === 3 ? lodEx : null,
          texture: !mvt && texture,
        },
        facts,
      );
    }),
  { maxLength: 25 },
);

/** The same as `catalogues`, without packages of one identity: those cannot be live together. */
const distinct = catalogues.map((rows) => [...new Map(rows.map((row) => [row.identity, row])).values()]);

const specOf = (url: string) => url.split('/').at(-2)!;
const found = (snapshot: Snapshot, format: string, url: string): Dataset[] => {
  if (format === '3D Tiles') return resolveTiles(snapshot, parseTilesSpec(specOf(url)));
  const dataset = resolveMvt(snapshot, parseMvtSpec(specOf(url)));
  return dataset === undefined ? [] : [dataset];
};

test('ids are unique, and arrays sorted', async () => {
  await fc.assert(
    fc.asyncProperty(distinct, async (rows) => {
      const document = parsedDocument(await snapshotOf(...rows));
      for (const name of ['datasets', 'composite_tilesets', 'citygml', 'latest_citygml'] as const) {
        const ids = document[name]!.map(({ id }) => id);
        assert.deepEqual(ids, [...new Set(ids)].sort(), name);
      }
      const urls = document.latest_datasets!.map(({ url }) => url);
      assert.deepEqual(urls, [...new Set(urls)].sort());
    }),
  );
});

test('every URL that a row gives resolves, those of datasets to that dataset alone', async () => {
  await fc.assert(
    fc.asyncProperty(distinct, async (rows) => {
      const snapshot = await snapshotOf(...rows);
      const document = parsedDocument(snapshot);
      assertAlone(snapshot, document);
      for (const row of document.latest_datasets!) {
        if (row.format === '3D Tiles') compositeFor(snapshot, testUrls, specOf(row.url));
        else tileJsonFor(snapshot, testUrls, specOf(row.url));
      }
      for (const row of document.composite_tilesets!) {
        const json = JSON.parse(compositeFor(snapshot, testUrls, row.id).plain().toString());
        assert.ok(json.root.children.length > 0, row.id);
        assert.equal(json.asset.version, row.format_version, row.id);
      }
      for (const row of [...document.citygml!, ...document.latest_citygml!]) {
        const { location } = cityZipFor(snapshot, testUrls, specOf(row.composite_url ?? row.url));
        assert.ok(testUrls.parse(location) !== null);
      }
      for (const row of parsedRows(snapshot.allYears)) {
        cityZipFor(snapshot, testUrls, specOf(row.composite_url));
      }
    }),
    { numRuns: 200 },
  );
});

test('what can be named has a composite_url, and is in the latest rows in its newest year', async () => {
  await fc.assert(
    fc.asyncProperty(distinct, async (rows) => {
      // One package of each provider, and LODs in all names: then the provider tells apart whatever else does not.
      const named = rows.filter((row) => row.dataset?.lodNamed !== false && row.cityCode !== '13102');
      const snapshot = await snapshotOf(...named);
      const document = parsedDocument(snapshot);
      assert.deepEqual(
        document.datasets!.filter((row) => row.composite_url === null),
        [],
      );
      const kind = ({ package: row, summary, ...dataset }: Dataset) =>
        [
          summary.format,
          summary.type,
          dataset.place,
          dataset.lodRank,
          dataset.interior,
          summary.texture,
        ].join();
      assert.equal(document.latest_datasets!.length, new Set(snapshot.datasets.map(kind)).size);
    }),
    { numRuns: 300 },
  );
});

test('names of one city that say nearly the same keep their URLs apart', async () => {
  const numazu = { cityCode: '22203', prefCode: '22' };
  const part = (code: string) => ({
    code,
    name: code,
    admin: null,
    river: null,
    scale: null,
    scaleSuffix: null,
  });
  const snapshot = await snapshotOf(
    tilePackage({}, { ...numazu, year: 2021 }),
    tilePackage({ sub: part('ex-port-numazukou') }, { ...numazu, year: 2022 }),
    tilePackage({ lod: 3 }, { cityCode: '21201', prefCode: '21' }),
    tilePackage({ lod: 3, sub: part('2') }, { cityCode: '21201', prefCode: '21' }),
    tilePackage({ type: 'frn', lod: null, lodNamed: false }, { cityCode: '14130', prefCode: '14' }),
    tilePackage({ lod: 4, interior: true }, { cityCode: '14130', prefCode: '14' }),
    tilePackage({}, { cityCode: '13382' }),
    tilePackage({}, { cityCode: '13382', provider: 'pref' }),
    tilePackage({}, { cityCode: '13', provider: 'pref' }),
  );
  const document = parsedDocument(snapshot);
  assertAlone(snapshot, document);
  assert.deepEqual(
    document.datasets!.map((row) => specOf(row.composite_url)),
    [
      '13382-bldg-lod1-2023',
      '13382-bldg_pref-lod1-2023',
      '13-bldg_pref-lod1-2023',
      '14130-bldg-lod4-interior-2023',
      '14130-frn-lod1-2023',
      '21201-bldg_2-lod3-2023',
      '21201-bldg_city-lod3-2023',
      '22203-bldg_ex-port-numazukou-lod1-2022',
      '22203-bldg-lod1-2021',
    ],
  );
  // A harbour of 2022 does not hide the city's buildings of 2021.
  assert.deepEqual(
    found(snapshot, '3D Tiles', '/all-bldg-lod1-latest/').map(({ id }) => id),
    ['13382_bldg_lod1', '13_bldg_lod1', '22203_bldg_ex-port-numazukou_lod1', '22203_bldg_lod1'],
  );
});

/** Each URL of a dataset or its newest version answers with that dataset alone. */
function assertAlone(snapshot: Snapshot, document: CatalogueJson): void {
  const latest: CatalogueJson[string] = document.latest_datasets!.map((row) => ({
    ...row,
    composite_url: row.url,
  }));
  for (const { id, format, composite_url: url } of [...document.datasets!, ...latest]) {
    if (url === null) continue;
    assert.deepEqual(
      found(snapshot, format, url).map((dataset) => dataset.id),
      [id],
      url,
    );
  }
}

test('a snapshot made from the one before is the same as one made from everything', async () => {
  const state = fc.constantFrom('live', 'live', 'absent', 'retired', 'removed');
  const naming = fc.record({
    guessed: fc.constantFrom<string[]>([], ['city'], ['ward']),
    areaNames: fc.constantFrom<Record<string, string>>(
      {},
      {},
      { '01100': '札幌市' },
      { '01101': '中央区', '13102': '別区' },
    ),
    partNames: fc.constantFrom<Record<string, string>>({}, { 'fld/a': '川' }, { 'fld/a': '別川' }),
    assetPath: fc.constantFrom(null, 'aa/mirrored'),
  });
  const histories = catalogues.chain((rows) =>
    fc.tuple(
      ...rows.map((row) =>
        fc.record({
          row: naming.map(({ assetPath, ...names }) => ({
            ...row,
            ...names,
            ...(assetPath === null ? {} : { assetPath, name: `name-${row.year}` }),
          })),
          states: fc.tuple(state, state, state),
        }),
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const catalogue = new MemoryCatalogue([]);
      let patched: Snapshot | null = null;
      for (const step of [0, 1, 2]) {
        // What does not change stays the same object, as a row that is not read again.
        const kept = new Map(catalogue.rows.map((row) => [row.no, row]));
        catalogue.rows = history.flatMap(({ row, states }) => {
          const now = states[step]!;
          if (now === 'absent') return [];
          const before = kept.get(row.no);
          return [before?.state === now ? before : { ...row, state: now }];
        });
        catalogue.versionNo++;
        patched = await buildSnapshot(catalogue.asStore(), testUrls, { previous: patched });
        const whole = await buildSnapshot(catalogue.asStore(), testUrls);
        assert.deepEqual(contentOf(patched, catalogue.rows), contentOf(whole, catalogue.rows));
      }
    }),
    { numRuns: 200 },
  );
});

/** Everything that requests can see of a snapshot. */
function contentOf(snapshot: Snapshot, rows: readonly PackageRow[]): unknown {
  const codes = ['13', '01', '13100', '13101', '13102', '01100', '01101', '01102'];
  const tableOf = (table: RowTable) => ({
    rows: table.blocks.flatMap((block) => block.starts.map((_, i) => rowText(block, i))),
    count: table.count,
    size: table.size,
    bounds: [...table.bounds],
    columns: COLUMNS.map((name) => {
      const values = table.values.valuesOf(name);
      return Array.from(table.columns[name] ?? [], (code) => values[code]);
    }),
  });
  return {
    size: snapshot.document.size,
    etag: snapshot.document.etag,
    tables: Object.values(snapshot.tables).map(tableOf),
    allYears: tableOf(snapshot.allYears),
    packages: snapshot.packages,
    datasets: snapshot.datasets,
    byType: ['bldg', 'fld'].flatMap((type) => [
      snapshot.datasetsOfType('3dtiles', type),
      snapshot.datasetsOfType('mvt', type),
    ]),
    byArea: codes.map((code) => snapshot.datasetsOfArea(code)),
    cityGml: [...snapshot.cityGml].sort(),
    bounds: codes.map((code) => snapshot.boundsOf(code)),
    cities: codes.map((code) => snapshot.cityAround(code)),
    assets: rows.map(({ assetPath, name }) => snapshot.findAsset({ assetPath, packageName: name })),
    byNo: rows.map(({ no }) => snapshot.packageByNo(no)),
    nationwide: snapshot.nationwide,
  };
}

test('a change makes only the rows of its own city again', async () => {
  const catalogue = new MemoryCatalogue([
    tilePackage({}, { cityCode: '13201' }),
    tilePackage({}, { cityCode: '13202' }),
  ]);
  const first = await buildSnapshot(catalogue.asStore(), testUrls);
  catalogue.rows.push(tilePackage({ lod: 2 }, { cityCode: '13202' }));
  catalogue.versionNo++;
  const second = await buildSnapshot(catalogue.asStore(), testUrls, { previous: first });
  const of = (snapshot: Snapshot, code: string) => snapshot.datasetsOfArea(code);
  assert.equal(of(second, '13201'), of(first, '13201'));
  assert.equal(of(second, '13202').length, 2);
  assert.equal(of(first, '13202').length, 1, 'a snapshot does not change');
});
