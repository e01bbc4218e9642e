/** What holds for a snapshot of any catalogue, however it was made. */
import assert from 'node:assert/strict';
import test from 'node:test';
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
import { buildSnapshot, type Snapshot } from './snapshot.ts';

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
      // LOD 3.3 of a newer year stands for LOD 3 of an older one, which has no row of its own then.
      const named = rows.filter(
        ({ dataset, cityCode }) =>
          dataset?.lodNamed !== false && (dataset?.lodEx ?? null) === null && cityCode !== '13102',
      );
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
