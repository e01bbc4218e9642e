import assert from 'node:assert/strict';
import test from 'node:test';
import { mapSymbolsSub } from '@citymodel/citygml';
import fc from 'fast-check';
import { ServiceError } from '../../base/errors.ts';
import { textOf } from '../../base/testing/text-of.ts';
import type { RawQuery } from '../../http/describe/query-parameters.ts';
import { readAreaQuery } from '../../http/operations/areas.ts';
import { readCatalogueQuery } from '../../http/operations/catalogue.ts';
import { membersOf } from '../names/areas.ts';
import { resolveMvt } from '../resolve/mvt-tilejson.ts';
import { boundsFilter } from '../rows/row-filter.ts';
import { parseMvtSpec } from '../specs/mvt-spec.ts';
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
import { catalogueFor } from './catalogue-filter.ts';
import { ARRAYS, buildSnapshot } from './snapshot.ts';

const places = [
  { cityCode: '13102', bounds: { west: 139.7, south: 35.6, east: 139.8, north: 35.7 } },
  { cityCode: '13100', bounds: { west: 139.5, south: 35.5, east: 139.9, north: 35.8 } },
  { cityCode: '01100', wardCode: '01101', bounds: { west: 141.3, south: 43, east: 141.4, north: 43.1 } },
  { cityCode: '01100', bounds: { west: 141, south: 42.9, east: 141.5, north: 43.2 } },
  { cityCode: '22203', bounds: null },
];
const snapshot = await snapshotOf(
  ...places.flatMap((place) =>
    [2021, 2023].flatMap((year) => [
      cityPackage({ ...place, year, types: year === 2021 ? ['bldg'] : ['bldg', 'fld'] }),
      tilePackage({ lod: 1 }, { ...place, year }),
      tilePackage({ lod: 2, texture: year === 2021 }, { ...place, year }),
      tilePackage({ type: 'tran', format: 'MVT', lod: 1 }, { ...place, year }),
    ]),
  ),
);
const parseCatalogueQuery = (query: RawQuery) => readCatalogueQuery(query);
const full = parsedDocument(snapshot);
const answer = async (query: RawQuery): Promise<CatalogueJson> =>
  JSON.parse(await textOf(catalogueFor(snapshot, parseCatalogueQuery(query))));

/** The rules read slowly over parsed rows: a filter applies to an array whose rows carry its column. */
function oracle(query: Record<string, string>): CatalogueJson {
  const source: CatalogueJson = {
    ...full,
    ...(query.all_years === 'true' ? { citygml: parsedRows(snapshot.allYears) } : {}),
  };
  const kept = query.fields?.split(',') ?? ARRAYS;
  const result: CatalogueJson = {};
  for (const name of ARRAYS) {
    if (!kept.includes(name)) continue;
    let rows = source[name]!;
    const carries = (column: string) => full[name]!.some((row) => column in row);
    const keep = (
      column: string,
      condition: string | undefined,
      of: (row: (typeof rows)[number]) => unknown[],
    ) => {
      if (condition === undefined || !carries(column)) return;
      rows = rows.filter((row) => of(row).some((value) => condition.split(',').includes(String(value))));
    };
    keep('pref_code', query.pref_code, (row) => [row.pref_code]);
    keep('city_code', query.city_code?.split(',').flatMap(membersOf).join(), (row) => [
      row.city_code,
      row.ward_code,
    ]);
    keep(
      carries('type_en') ? 'type_en' : 'feature_types',
      query.type_en,
      (row) => row.feature_types ?? [row.type_en],
    );
    keep('format', query.format, (row) => [row.format]);
    keep('lod', query.lod, (row) => [row.lod]);
    keep('year', query.year, (row) => [row.year]);
    if (query.bbox !== undefined) {
      const [west, south, east, north] = query.bbox.split(',').map(Number) as [
        number,
        number,
        number,
        number,
      ];
      rows = rows.filter(
        ({ bbox }) =>
          bbox !== null && bbox[0] <= east && bbox[2] >= west && bbox[1] <= north && bbox[3] >= south,
      );
    }
    result[name] = rows;
  }
  return result;
}

test('without parameters, and with unknown or empty ones, it is the whole catalogue', () => {
  for (const query of [
    {},
    { foo: 'bar' },
    { pref_code: '', fields: undefined },
    { fields: ARRAYS.join(',') },
  ]) {
    assert.equal(catalogueFor(snapshot, parseCatalogueQuery(query)), snapshot.document);
  }
});

test('filters agree with a slow reading of the rules', async () => {
  const some = (...values: string[]) =>
    fc.subarray(values, { minLength: 1 }).map((chosen) => chosen.join(','));
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        {
          pref_code: some('13', '01', '47'),
          city_code: some('13100', '13102', '01100', '01101', '22203', '47201'),
          type_en: some('bldg', 'tran', 'fld', 'veg'),
          format: some('3D Tiles', 'MVT'),
          lod: some('1', '2', '3'),
          year: some('2021', '2023', 'latest', '1999'),
          bbox: fc.constantFrom(
            '139,35,140,36',
            '139.8,35.7,139.85,35.75',
            '141.4,43.1,142,44',
            '0,0,1,1',
            '-180,-90,180,90',
          ),
          fields: some(...ARRAYS),
          all_years: fc.constantFrom('true', 'false'),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
      async (query) => assert.deepEqual(await answer(query), oracle(query)),
    ),
    { numRuns: 500 },
  );
});

test('a designated city’s code has its wards, a ward’s code only the ward', async () => {
  const areas = async (city_code: string) =>
    new Set((await answer({ city_code })).datasets!.map((row) => row.ward_code ?? row.city_code));
  assert.deepEqual(await areas('01100'), new Set(['01100', '01101']));
  assert.deepEqual(await areas('01101'), new Set(['01101']));
  assert.deepEqual(await areas('13100'), new Set(['13100', '13102']));
});

test('a well-formed code that nothing has empties the arrays that carry it', async () => {
  const none = await answer({ city_code: '47201' });
  assert.deepEqual(
    [none.datasets, none.citygml, none.latest_datasets, none.latest_citygml],
    [[], [], [], []],
  );
  assert.deepEqual(none.composite_tilesets, full.composite_tilesets);
});

test('values may be repeated, spaced and in any order; the answer is made once', () => {
  const ask = (query: RawQuery) => catalogueFor(snapshot, parseCatalogueQuery(query));
  const once = ask({ pref_code: '01,13', format: 'MVT' });
  assert.equal(ask({ pref_code: ['13', '01'], format: 'mvt,MVT' }), once);
  assert.equal(ask({ pref_code: ' 13 , 01,', format: ['mvt'] }), once);
  assert.notEqual(ask({ pref_code: '13', format: 'MVT' }).etag, once.etag);
  assert.equal(ask({ format: '3dtiles' }), ask({ format: '3D Tiles' }));
  assert.equal(ask({ all_years: '' }), ask({ all_years: '1' }));
  assert.equal(ask({ all_years: 'True' }), ask({ all_years: '1' }));
  assert.equal(ask({ all_years: 'False' }), snapshot.document);
});

test('all_years adds the older years to citygml', async () => {
  const { citygml } = await answer({ all_years: 'true', city_code: '22203' });
  assert.deepEqual(
    citygml!.map((row) => [row.id, row.year]),
    [
      ['22203', 2023],
      ['22203_2021', 2021],
    ],
  );
  assert.equal(citygml![1]!.url.startsWith(testUrls.assetUrl), true);
});

test('wrong values are 400 and say what is accepted', () => {
  for (const [name, value, accepted] of [
    ['pref_code', '1', /2-digit/],
    ['pref_code', '13,x', /"x"/],
    ['city_code', '131', /5-digit/],
    ['type_en', 'BLDG', /small letters/],
    ['format', 'glTF', /3D Tiles and MVT/],
    ['lod', 'lod1', /0 to 9/],
    ['year', '23', /latest/],
    ['bbox', '139,35,140', /west,south,east,north/],
    ['bbox', '140,35,139,36', /west/],
    ['bbox', '139,36,140,35', /south/],
    ['bbox', '139,35,181,36', /degrees/],
    ['bbox', '139,35,0x8c,36', /degrees/],
    ['bbox', '139,,35,140,36,37', /degrees/],
    ['fields', 'datasets,foo', /latest_citygml/],
    ['all_years', 'yes', /true or false/],
    ['pref_code', 'x'.repeat(10_000), /…/],
    ['city_code', Array(2_001).fill('13101').join(), /2000/],
    ['bbox', `${'1'.repeat(500_000)}x,35,140,36`, /degrees/],
  ] as const) {
    assert.throws(
      () => parseCatalogueQuery({ [name]: value }),
      (error) =>
        error instanceof ServiceError &&
        error.status === 400 &&
        error.message === 'invalid parameter' &&
        error.reason!.startsWith(name) &&
        accepted.test(error.reason!) &&
        error.reason!.length < 400,
      `${name}=${value}`,
    );
  }
});

test('the list of areas refuses filters that it does not have, and ignores unknown ones', () => {
  for (const name of ['format', 'lod', 'year', 'fields', 'all_years']) {
    assert.throws(
      () => readAreaQuery({ [name]: '2' }),
      (error) =>
        error instanceof ServiceError && error.status === 400 && error.reason!.startsWith(`${name} has "2"`),
    );
  }
  const { all } = readAreaQuery({ pref_code: '13', lod: '', nobody_knows: 'x' });
  assert.deepEqual(
    all.map(({ words }) => words),
    ['pref_code 13'],
  );
});

test('a box takes what touches it at any edge, and nothing beyond', async () => {
  const bounds = { west: 139, south: 35, east: 139.5, north: 35.5 };
  const snapshot = await snapshotOf(cityPackage({ bounds }));
  const rows = (bbox: string) =>
    JSON.parse(catalogueFor(snapshot, parseCatalogueQuery({ bbox })).plain().toString()).citygml.length;
  for (const [touching, beyond] of [
    ['138,35,139,36', '138,35,138.99,36'],
    ['139.5,35,140,36', '139.51,35,140,36'],
    ['139,34,140,35', '139,34,140,34.99'],
    ['139,35.5,140,36', '139,35.51,140,36'],
  ] as const) {
    assert.equal(rows(touching), 1, touching);
    assert.equal(rows(beyond), 0, beyond);
  }
});

test('sets of map symbols are listed for those who ask, and their own specs find them', async () => {
  const sub = mapSymbolsSub('frn', '', 'dm_annotations');
  const frn = { type: 'frn', format: 'MVT', lod: 0, texture: false } as const;
  const symbols = tilePackage({ ...frn, sub }, { cityCode: '13102' });
  const other = await snapshotOf(tilePackage({ lod: 1 }, { cityCode: '13102' }), symbols);
  const ask = async (query: RawQuery): Promise<CatalogueJson> =>
    JSON.parse(await textOf(catalogueFor(other, parseCatalogueQuery(query))));
  const idsOf = (answered: CatalogueJson) => answered.datasets!.map(({ id }) => id);
  assert.deepEqual(idsOf(await ask({})), ['13102_bldg_lod1']);
  const all = await ask({ map_symbols: 'true' });
  assert.deepEqual(idsOf(all), ['13102_bldg_lod1', '13102_frn_dm_annotations_lod0']);
  assert.equal(all.latest_datasets!.length, 2);
  const row = all.datasets![1]!;
  assert.equal(row.name, '都市設備モデル 注記（市13102）');
  assert.match(String(row.composite_url), /\/mvt\/13102-frn_dm_annotations-lod0-2023\/tilejson\.json$/);
  assert.deepEqual(idsOf(await ask({ map_symbols: 'true', type_en: 'frn' })), [row.id]);
  const found = (spec: string) => resolveMvt(other, parseMvtSpec(spec))?.id;
  assert.equal(found('13102-frn_dm_annotations-latest'), row.id);
  assert.equal(found('13102-frn-latest'), undefined);
  const withFeatures = await snapshotOf(symbols, tilePackage(frn, { cityCode: '13102' }));
  assert.equal(resolveMvt(withFeatures, parseMvtSpec('13102-frn-2023'))?.id, '13102_frn_lod0');
});

test('the same holds after a change of the catalogue', async () => {
  const sub = mapSymbolsSub('frn', '', 'dm_annotations');
  const rows = [tilePackage({ lod: 1 })];
  const store = new MemoryCatalogue(rows);
  const before = await buildSnapshot(store.asStore(), testUrls);
  assert.equal(before.withMapSymbols, null);
  store.rows.push(tilePackage({ type: 'frn', format: 'MVT', lod: 0, texture: false, sub }));
  store.versionNo++;
  const after = await buildSnapshot(store.asStore(), testUrls, { previous: before });
  assert.equal(after.datasets.length, 1);
  assert.equal(after.mapSymbols.length, 1);
  assert.equal(after.datasetsOfType('mvt', 'frn').length, 1);
  assert.equal(after.withMapSymbols!.datasets.count, 2);
});

test('rows that have no bounds at all pass a box, those whose bounds are not known do not', () => {
  const { accepts } = boundsFilter({ west: 139, south: 35, east: 140, north: 36 });
  const bounds = { west: 139.5, south: 35.5, east: 141, north: 37 };
  assert.deepEqual(
    [
      accepts({}),
      accepts({ bounds: null }),
      accepts({ bounds }),
      accepts({ bounds: { ...bounds, west: 140.5 } }),
    ],
    [true, false, true, false],
  );
});
