import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crsOf } from '@citymodel/citygml';
import { unzip } from '@citymodel/citygml/testing';
import { geodeticToEcef } from '@citymodel/geo';
import { openStores } from '@citymodel/store';
import { loadEgm96 } from '@citymodel/tiles';
import { contentOf, readTiles } from '@citymodel/tiles/testing';
import { ingest } from '../ingest/ingest.ts';
import { convertAndIngest } from './convert-and-ingest.ts';
import { convertZip, USUAL_OPTIONS } from './testing/convert-zip.ts';
import { writePackage } from './testing/small-package.ts';
import { DUTCH, GERMAN, type World, worldGml } from './testing/world-gml.ts';
import { CONVERT_THREAD } from './thread-module.ts';

const root = mkdtempSync(join(tmpdir(), 'citymodel-world-'));
after(() => rmSync(root, { recursive: true, force: true }));

const ENVIRONMENT = {
  objectStore: null,
  objects: null,
  threadModule: CONVERT_THREAD,
  signal: new AbortController().signal,
  onProgress() {},
};

const fail = (error: unknown) => assert.fail(String(error));

const CITIES: Array<{ name: string; world: World; code: string; city: string }> = [
  { name: 'koeln', world: GERMAN, code: '99001', city: 'Köln' },
  { name: 'amersfoort', world: DUTCH, code: '98001', city: 'Amersfoort' },
];
/** Ways to name systems that real files have, in either place where nothing else names one. */
const SPELLINGS: Array<[from: World, ...srsNames: string[]]> = [
  [GERMAN, 'EPSG:25832', 'urn:ogc:def:crs:EPSG::25832', 'urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::7837'],
  [DUTCH, 'urn:ogc:def:crs:EPSG::7415', 'http://www.opengis.net/def/crs/EPSG/0/7415', 'EPSG:28992+5709'],
  // The registry has northing first for both, surveyors have easting first.
  [{ ...GERMAN, corner: [23_180, 21_040, 34] }, 'urn:ogc:def:crs,crs:EPSG:6.12:3068,crs:EPSG:6.12:5783'],
  [{ ...GERMAN, corner: [4_468_500, 5_333_300, 520] }, 'urn:adv:crs:DE_DHDN_3GK4*DE_DHHN92_NH'],
];
for (const [from, ...srsNames] of SPELLINGS) {
  for (const [i, srsName] of srsNames.entries()) {
    const namedBy = (['geometry', 'feature', 'file'] as const)[i]!;
    const city = `A city with ${srsName} by the ${namedBy}`;
    const world = { ...from, srsName, namedBy, hasHoles: true };
    CITIES.push({ name: `city${CITIES.length}`, world, code: '99001', city });
  }
}

for (const { name, world, code, city } of CITIES) {
  test(`${city} stands where it does, in 3D and on the map`, async () => {
    const path = join(root, `${name}.zip`);
    await writePackage(path, [{ path: `udx/bldg/${name}.gml`, text: worldGml(world) }]);
    const { packages, issues } = await convertZip(path, root, {
      request: {
        address: { kind: 'upload', path, overrides: { code, year: 2024, city } },
        out: join(root, `${name}-out`),
      },
    });
    assert.deepEqual(
      issues.map((issue) => issue.code),
      ['GEOID_OUTSIDE'],
    );
    const base = `${code}_${name}_city_2024_citygml_1`;
    assert.deepEqual(
      packages.map((pkg) => pkg.name),
      [`${base}_bldg_3dtiles_lod2`, `${base}_bldg_mvt_lod0`],
    );

    const [east, north, altitude] = world.corner;
    const crs = crsOf(world.srsName)!;
    const egm96 = await loadEgm96();
    const ecef = ([x, y, z]: readonly [number, number, number]) => {
      const [lng, lat] = crs.toLngLat(east + x, north + y);
      const height = altitude + z + egm96(lat, lng);
      return geodeticToEcef((lng * Math.PI) / 180, (lat * Math.PI) / 180, height);
    };
    const corners = [
      [0, 0, 0],
      [10, 0, 0],
      [10, 8, 6],
      [0, 4, 9],
    ] as const;
    const files = await unzip(packages[0]!.path!, /./);
    const { asset } = JSON.parse(files.get('tileset.json')!.toString());
    assert.deepEqual(asset.extras, {
      heights: 'GSIGEO2011, EGM96 outside of it',
      generator: 'citymodel',
    });
    const tiles = await readTiles(files);
    const [feature] = tiles.flatMap((tile) => tile.features);
    assert.equal(feature!.row.gml_id, 'house');
    assert.equal(feature!.row['bldg:measuredHeight'], 9);
    const inside = world.hasHoles ? 24 - 4 : 0;
    assert.ok(Math.abs(feature!.area - 420 - inside) < 1, `${feature!.area} m²`);
    for (const corner of corners) {
      const expected = ecef(corner);
      const nearest = Math.min(
        ...feature!.vertices.map((vertex) => Math.hypot(...vertex.map((value, i) => value - expected[i]!))),
      );
      assert.ok(nearest < 0.02, `${corner} is ${nearest} m away`);
    }

    const layer = contentOf(await unzip(packages[1]!.path!, /./), 16).get('bldg')!;
    // Rounded to units of 12 cm: edges of 36 m may be 2 m² off.
    const ground = world.hasHoles ? 76 : 80;
    assert.ok(Math.abs(layer.areas.get('house')! - ground) < 3, `${layer.areas.get('house')} m²`);
  });
}

test('a city abroad is ingested under a code of the choice of the operator, with its tiles', async () => {
  const path = join(root, 'served.zip');
  await writePackage(path, [{ path: 'udx/bldg/koeln.gml', text: worldGml(GERMAN) }]);
  const dataDir = join(root, 'data');
  const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
  try {
    const context = { ...stores, stagingDir: join(dataDir, 'staging'), now: () => new Date(0) };
    const ingested = await ingest({ path, kind: 'zip' }, context, {
      overrides: { code: '99001', year: 2024, city: 'Köln', pref: 'Nordrhein-Westfalen' },
    });
    assert.equal(ingested.refusal, null);
    const [row] = await stores.catalogue.findPackages({ id: ingested.package!.id! });
    const request = {
      address: { kind: 'hosted', row: row! },
      options: USUAL_OPTIONS,
      types: null,
      partsDirectory: join(dataDir, 'convert'),
      geoid: '',
      jobs: 0,
      share: null,
      replace: false,
      level: 6,
    } as const;
    const environment = { ...ENVIRONMENT, objectStore: stores.objects };
    const first = await convertAndIngest(request, environment, context, fail);
    assert.deepEqual(
      first.ingested.map(({ outcome, package: pkg }) => [outcome, pkg?.city, pkg?.pref]),
      [
        ['published', 'Köln', 'Nordrhein-Westfalen'],
        ['published', 'Köln', 'Nordrhein-Westfalen'],
      ],
    );
    // Converted tiles take the place of converted tiles, of PMTiles too.
    for (const change of [{ pmtiles: true }, { slim: true }]) {
      const options = { ...USUAL_OPTIONS, ...change };
      const again = await convertAndIngest({ ...request, options }, environment, context, fail);
      assert.ok(again.ingested.every(({ refusal }) => refusal === null));
      assert.ok(again.packages.every((pkg) => pkg.path !== null));
    }
  } finally {
    await stores.close();
  }
});
