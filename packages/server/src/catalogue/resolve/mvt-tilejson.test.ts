import assert from 'node:assert/strict';
import test from 'node:test';
import type { DatasetSummary, PackageRow } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { parseMvtSpec } from '../specs/mvt-spec.ts';
import { snapshotOf, testUrls, tilePackage } from '../testing/snapshot-rows.ts';
import { extentOfRegion, MOST_TOGETHER, regionTileSets } from './mvt-regions.ts';
import { resolveMvt, tileJsonFor } from './mvt-tilejson.ts';

const mvt = (facts: Partial<DatasetSummary>, more: Partial<PackageRow> = {}) =>
  tilePackage({ format: 'MVT', type: 'tran', ...facts }, more);
const idOf = (snapshot: Snapshot, spec: string) => resolveMvt(snapshot, parseMvtSpec(spec))?.id;
const zone = (code: string): Partial<DatasetSummary> => ({
  type: 'urf',
  lodNamed: false,
  sub: { code, name: code, admin: null, river: null, scale: null, scaleSuffix: null },
});

test('the newest year, the highest LOD without one in the spec, the ward or else its city', async () => {
  const snapshot = await snapshotOf(
    mvt({ lod: 1 }, { cityCode: '13102', year: 2022 }),
    mvt({ lod: 3 }, { cityCode: '13102', year: 2022 }),
    mvt({ lod: 1 }, { cityCode: '13102' }),
    mvt({ lod: 2 }, { cityCode: '13102' }),
    mvt({ lod: 1 }, { cityCode: '01100', wardCode: '01101' }),
    mvt({ type: 'luse', lod: 1 }, { cityCode: '01100' }),
    mvt({ lod: 1 }, { cityCode: '13', prefCode: '13' }),
  );
  assert.equal(idOf(snapshot, '13102-tran-latest'), '13102_tran_lod2');
  assert.equal(idOf(snapshot, '13102-tran-lod1-latest'), '13102_tran_lod1');
  assert.equal(idOf(snapshot, '13102-tran-lod3-latest'), '13102_tran_lod3');
  assert.equal(idOf(snapshot, '13102-tran-2022'), '13102_tran_lod3');
  assert.equal(idOf(snapshot, '01101-tran-latest'), '01101_tran_lod1');
  assert.equal(idOf(snapshot, '01102-luse-latest'), '01100_luse_lod1');
  assert.equal(idOf(snapshot, '01100-tran-latest'), undefined);
  assert.equal(idOf(snapshot, '13-tran-latest'), '13_tran_lod1');
});

test('the whole type is preferred to its parts, of which each can be named', async () => {
  const snapshot = await snapshotOf(
    mvt(zone('fireprevention'), { cityCode: '14130', prefCode: '14' }),
    mvt(zone('usedistrict'), { cityCode: '14130', prefCode: '14' }),
    mvt(zone('usedistrict'), { cityCode: '14201', prefCode: '14' }),
    mvt({ ...zone('x'), sub: null }, { cityCode: '14201', prefCode: '14' }),
  );
  assert.equal(idOf(snapshot, '14130-urf_usedistrict-latest'), '14130_urf_usedistrict_lod1');
  assert.equal(idOf(snapshot, '14130-urf-latest'), '14130_urf_fireprevention_lod1');
  assert.equal(idOf(snapshot, '14201-urf-latest'), '14201_urf_lod1');
});

test(
  'a TileJSON has the template of tiles, and the municipality and licence where the operator says ' +
    'nothing',
  async () => {
    const row = mvt({ lod: 1 }, { cityCode: '13102', license: 'CC BY 4.0' });
    const snapshot = await snapshotOf(row);
    const document = tileJsonFor(snapshot, testUrls, '13102-tran-latest');
    const json = JSON.parse(document.plain().toString());
    assert.deepEqual(json.tiles, [`https://cms.example/assets/${row.assetPath}/${row.name}/{z}/{x}/{y}.mvt`]);
    assert.equal(json.vector_layers[0].id, 'tran');
    assert.match(json.attribution, /市13102.*CC BY 4\.0/);
    assert.equal(tileJsonFor(snapshot, testUrls, '13102-tran-latest'), document);
    const own = tileJsonFor(snapshot, testUrls, '13102-tran-latest', { attribution: 'us' });
    assert.equal(JSON.parse(own.plain().toString()).attribution, 'us');
  },
);

test('what a package brings is no markup in the attribution, the operator’s text may be', async () => {
  const row = mvt({ lod: 1 }, { cityCode: '13102', license: '<a href="https://evil.example/">A&B</a>' });
  const snapshot = await snapshotOf(row);
  const attributionOf = (options: { attribution?: string }) =>
    JSON.parse(tileJsonFor(snapshot, testUrls, '13102-tran-latest', options).plain().toString()).attribution;
  assert.equal(attributionOf({}), '市13102 &lt;a href="https://evil.example/"&gt;A&amp;B&lt;/a&gt;');
  assert.equal(attributionOf({ attribution: '<a href="/">us</a>' }), '<a href="/">us</a>');
});

test('without a LOD the highest is taken, whether or not a name has one', async () => {
  const snapshot = await snapshotOf(
    mvt({ lod: null, lodNamed: false }, { cityCode: '13102' }),
    mvt({ lod: 2 }, { cityCode: '13102' }),
  );
  assert.equal(idOf(snapshot, '13102-tran-2023'), '13102_tran_lod2');
  assert.deepEqual(
    snapshot.datasets.map((dataset) => dataset.spec),
    [null, '13102-tran-lod2-2023'],
  );
});

test('nothing is 404 and names what there is', async () => {
  const snapshot = await snapshotOf(
    mvt({ lod: 1 }, { cityCode: '13102' }),
    mvt({ lod: 1 }, { cityCode: '01100', wardCode: '01101' }),
  );
  const reason = (spec: string, expected: RegExp) =>
    assert.throws(
      () => tileJsonFor(snapshot, testUrls, spec),
      (error) => error instanceof ServiceError && error.status === 404 && expected.test(error.reason!),
      spec,
    );
  reason('13102-tran-lod2-2023', /exists as MVT: LOD 1; years 2023\./);
  reason('01100-tran-latest', /01101/);
  reason('13102-luse-latest', /No MVT of the type luse/);
});

test('what a package does not say has the defaults of TileJSON; each attribution has its own document', async () => {
  const snapshot = await snapshotOf(
    mvt({ minzoom: null, maxzoom: null, vectorLayers: null }, { cityCode: '13102', bounds: null }),
    mvt({ minzoom: 3, maxzoom: 14 }, { cityCode: '14201' }),
  );
  const jsonOf = (spec: string, attribution?: string) =>
    JSON.parse(
      tileJsonFor(snapshot, testUrls, spec, attribution === undefined ? {} : { attribution })
        .plain()
        .toString(),
    );
  const { minzoom, maxzoom, bounds, vector_layers } = jsonOf('13102-tran-latest');
  assert.deepEqual(
    { minzoom, maxzoom, bounds, vector_layers },
    {
      minzoom: 0,
      maxzoom: 30,
      bounds: [-180, -85.05112877980659, 180, 85.0511287798066],
      vector_layers: [],
    },
  );
  const other = jsonOf('14201-tran-latest', 'us');
  assert.deepEqual([other.minzoom, other.maxzoom, other.attribution], [3, 14, 'us']);
  assert.equal(jsonOf('14201-tran-latest', 'them').attribution, 'them');
});

test('a LOD in the spec means the plain one before its refinements, which are named with both digits', async () => {
  const snapshot = await snapshotOf(
    mvt({ lod: 2, lodEx: 23 }, { cityCode: '13102' }),
    mvt({ lod: 2 }, { cityCode: '13102' }),
    mvt({ lod: 2, lodEx: 21 }, { cityCode: '13102' }),
  );
  assert.equal(idOf(snapshot, '13102-tran-lod2-latest'), '13102_tran_lod2');
  assert.equal(idOf(snapshot, '13102-tran-lod21-latest'), '13102_tran_lod21');
  assert.equal(idOf(snapshot, '13102-tran-latest'), '13102_tran_lod23');
});

test('a prefecture and the country have the tiles of their municipalities together', async () => {
  const box = (west: number) => ({ west, south: 35, east: west + 0.5, north: 35.5 });
  const rows = [
    mvt({ lod: 1, minzoom: 8, maxzoom: 15 }, { cityCode: '13102', bounds: box(139) }),
    mvt({ lod: 1, minzoom: 8, maxzoom: 15 }, { cityCode: '13102', year: 2020, bounds: box(139) }),
    mvt({ lod: 1, minzoom: 10, maxzoom: 16 }, { cityCode: '13103', bounds: box(139.5) }),
    mvt({ lod: 1, minzoom: 8, maxzoom: 15 }, { cityCode: '01100', prefCode: '01', bounds: box(141) }),
  ];
  const snapshot = await snapshotOf(...rows);
  const json = (spec: string) => JSON.parse(tileJsonFor(snapshot, testUrls, spec).plain().toString());
  const tokyo = json('13-tran-latest');
  assert.deepEqual(tokyo.tiles, [`${testUrls.publicUrl}/datacatalog/mvt/13-tran-latest/{z}/{x}/{y}.mvt`]);
  assert.deepEqual([tokyo.minzoom, tokyo.maxzoom, tokyo.bounds], [8, 16, [139, 35, 140, 35.5]]);
  assert.deepEqual(json('all-tran-latest').bounds, [139, 35, 141.5, 35.5]);
  const names = (spec: string) =>
    regionTileSets(snapshot, parseMvtSpec(spec)).map((dataset) => `${dataset.area} ${dataset.package.year}`);
  assert.equal(names('13-tran-latest').length, 2);
  assert.deepEqual(names('13-tran-2020'), ['13102 2020']);
  for (const spec of ['14-tran-latest', 'all-luse-latest'])
    assert.throws(() => tileJsonFor(snapshot, testUrls, spec), { status: 404 });
});

test('zooms at which a tile would be of too many are left out', async () => {
  const rows = Array.from({ length: MOST_TOGETHER + 1 }, (_, n) =>
    mvt(
      { lod: 1, minzoom: 4, maxzoom: 14 },
      {
        cityCode: String(13_101 + n),
        bounds: { west: 139 + n / 10, south: 35, east: 139.05 + n / 10, north: 35.05 },
      },
    ),
  );
  const snapshot = await snapshotOf(...rows);
  const { minzoom, maxzoom } = extentOfRegion(regionTileSets(snapshot, parseMvtSpec('all-tran-latest')));
  assert.ok(minzoom > 4 && minzoom < 9 && maxzoom === 14, `${minzoom} to ${maxzoom}`);
});

test('a TileJSON of a region names five licences at most, the first of those that come', async () => {
  const rows = Array.from({ length: 7 }, (_, i) =>
    mvt({ lod: 1 }, { cityCode: `1310${i + 1}`, license: i === 6 ? '<licence 0>' : `<licence ${i}>` }),
  );
  const { attribution } = JSON.parse(
    tileJsonFor(await snapshotOf(...rows), testUrls, '13-tran-latest')
      .plain()
      .toString(),
  );
  const named = [...attribution.matchAll(/&lt;licence (\d)&gt;/g)].map(([, number]) => number);
  assert.equal(attribution, named.map((number) => `&lt;licence ${number}&gt;`).join(' '));
  assert.deepEqual(named, ['0', '1', '2', '3', '4']);
});
