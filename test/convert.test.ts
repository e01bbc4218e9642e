/**
 * `citymodel convert` as an operator runs it: files, packages that are served, jobs, and what the server says of the
 * tiles.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { writeSample } from '../packages/sample/src/sample.ts';
import type { ConvertReport } from '../packages/server/src/convert/convert.ts';
import { goodPackage, PACKAGE, writeZip } from './support/packages.ts';
import { runProgram, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { assertClean, ingest, ingestOne, list } from './support/store.ts';

const TILES = `${PACKAGE}_bldg_3dtiles_lod1`;
const FOOTPRINTS = `${PACKAGE}_bldg_mvt_lod0`;

/** A city of CityGML 3.0: a building with a floor in a room. */
const CITY_OF_ROOMS = '13101_chiyoda-ku_city_2025_citygml_1_op';
const FLOOR =
  '<gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>35.6801 139.7701 3 ' +
  '35.6801 139.7702 3 35.6802 139.7702 3 35.6801 139.7701 3</gml:posList></gml:LinearRing></gml:exterior>' +
  '</gml:Polygon></gml:surfaceMember></gml:MultiSurface>';
const ROOMS =
  '<core:CityModel xmlns:core="http://www.opengis.net/citygml/3.0" xmlns:bldg="http://www.opengis.net/citygml/' +
  'building/3.0" xmlns:con="http://www.opengis.net/citygml/construction/3.0" xmlns:gml="http://www.opengis.net/gml/' +
  '3.2"><gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">' +
  '<gml:lowerCorner>35.68 139.77 0</gml:lowerCorner><gml:upperCorner>35.681 139.771 9</gml:upperCorner>' +
  '</gml:Envelope></gml:boundedBy><core:cityObjectMember><bldg:Building gml:id="house"><bldg:buildingRoom>' +
  '<bldg:BuildingRoom gml:id="hall"><core:boundary><con:FloorSurface gml:id="floor"><core:lod2MultiSurface>' +
  `${FLOOR}</core:lod2MultiSurface></con:FloorSurface></core:boundary></bldg:BuildingRoom></bldg:buildingRoom>` +
  '</bldg:Building></core:cityObjectMember></core:CityModel>';

/** A tile without content. */
const ROOT = {
  boundingVolume: { region: [2.2275, 0.4571, 2.2276, 0.4572, 0, 50] },
  geometricError: 10,
  refine: 'ADD',
};

describe('convert', () => {
  it('writes packages that can be ingested', async (t) => {
    const directory = await tempDirectory(t);
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage(5));
    const out = join(directory, 'out');
    const env = { DATA_DIR: join(directory, 'data') };
    const plan = await runProgram(['convert', zip, '--dry-run'], env);
    assert.equal(plan.code, 0, plan.stderr);
    assert.match(plan.stdout, new RegExp(TILES));
    assert.ok(!existsSync(out));

    const run = await runProgram(['convert', zip, '--out', out, '--jobs', '2', '--json'], env);
    assert.equal(run.code, 0, run.stderr);
    const [report] = JSON.parse(run.stdout) as ConvertReport[];
    assert.deepEqual(report!.issues, []);
    assert.deepEqual(
      report!.packages.map(({ name, features }) => [name, features]),
      [
        [TILES, 5],
        [FOOTPRINTS, 5],
      ],
    );
    assert.deepEqual(readdirSync(out).sort(), [`${TILES}.zip`, `${FOOTPRINTS}.zip`]);
    const { run: taken, reports } = await ingest(join(directory, 'data'), [out]);
    assert.equal(taken.code, 0, taken.stdout);
    assert.deepEqual(
      reports.flatMap(({ issues }) => issues),
      [],
    );

    const again = await runProgram(['convert', zip, '--out', out], env);
    assert.match(again.stdout, /2 parts, 2 of them from an earlier run/);
  });

  it('goes on with the next package when one cannot be read', async (t) => {
    const directory = await tempDirectory(t);
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const out = join(directory, 'out');
    const run = await runProgram(['convert', join(directory, 'nothing.zip'), zip, '--out', out, '--ingest'], {
      DATA_DIR: join(directory, 'data'),
    });
    assert.equal(run.code, 1);
    assert.match(run.stderr, /^citymodel: [^\n]*nothing\.zip[^\n]*\n$/);
    assert.match(run.stdout, new RegExp(TILES));
  });

  it('says what is wrong with its arguments', async (t) => {
    const env = { DATA_DIR: join(await tempDirectory(t), 'data') };
    for (const [args, code, message] of [
      [['nothing.zip'], 2, /--out DIR, --ingest/],
      [['nothing.zip', '--ingest'], 1, /neither a file nothing\.zip nor a CityGML package/],
      [['nothing.zip', '--out', 'x', '--lods', '7'], 1, /numbers from 0 to 4/],
      [['nothing.zip', '--out', 'x', '--tiles', '2.0'], 1, /1\.0, 1\.1/],
    ] as const) {
      const run = await runProgram(['convert', ...args], env);
      assert.equal(run.code, code, run.stderr);
      assert.match(run.stderr, message);
    }
    const grid = await runProgram(['convert', 'package.json', '--out', 'x'], {
      ...env,
      GEOID: 'nowhere.tif',
    });
    assert.equal(grid.code, 1);
    assert.match(grid.stderr, /package\.json|nowhere\.tif/);
  });
});

describe('ingest --tiles', () => {
  it('converts the newer of two revisions of a city that come together', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const revisions = await Promise.all(
      [1, 2].map((revision) =>
        writeZip(
          join(directory, `47201_naha-shi_city_2023_citygml_${revision}_op.zip`),
          goodPackage(revision),
        ),
      ),
    );
    const run = await runProgram(['ingest', '--tiles', ...revisions], { DATA_DIR: data });
    assert.deepEqual([run.code, run.stderr], [0, '']);
    const live = await list(data);
    assert.deepEqual(
      live.map(({ kind, revision }) => `${kind} ${revision}`),
      ['citygml 2', '3dtiles 2', 'mvt 2'],
    );
    await assertClean(data);
  });

  it('serves a city of CityGML alone, in 3D and on the map', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    await ingestOne(data, [await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage(5)), '--tiles']);
    assert.deepEqual((await list(data)).map(({ name }) => name).sort(), [PACKAGE, TILES, FOOTPRINTS]);
    const rooms = { 'udx/bldg/53394525_bldg_6697_op.gml': ROOMS };
    await ingestOne(data, [await writeZip(join(directory, `${CITY_OF_ROOMS}.zip`), rooms), '--tiles']);
    await assertClean(data);
    await using server = await startServer(data);
    const tileset = await server.json<{ root: { children: unknown[] } }>(
      '/datacatalog/3dtiles/47201-bldg-lod1-latest/tileset.json',
    );
    assert.equal(tileset.root.children.length, 1);
    const tilejson = await server.json<{
      minzoom: number;
      maxzoom: number;
      vector_layers: Array<{ id: string }>;
    }>('/datacatalog/mvt/47201-bldg-lod0-latest/tilejson.json');
    assert.deepEqual(
      tilejson.vector_layers.map(({ id }) => id),
      ['bldg'],
    );
    assert.equal(tilejson.maxzoom, 16);

    const { datasets } = await server.json<{
      datasets: Array<{ id: string; city_code: string; format: string; interior?: boolean; url: string }>;
    }>('/datacatalog/citymodel-datasets?city=13101');
    const inside = datasets.filter(({ interior }) => interior === true);
    assert.deepEqual(
      inside.map(({ id, format }) => [id, format]),
      [
        ['13101_bldg_interior_lod0', 'MVT'],
        ['13101_bldg_interior_lod3', '3D Tiles'],
      ],
    );
    // By municipality, prefecture and country; without the word there is no outside that would stand for it.
    for (const area of ['13101', '13', 'all']) {
      const plans = await server.json<{
        tiles: string[];
        vector_layers: Array<{ id: string; fields: object }>;
      }>(`/datacatalog/mvt/${area}-bldg-lod0-interior-latest/tilejson.json`);
      const [layer] = plans.vector_layers;
      assert.equal(layer!.id, 'BuildingRoom', area);
      assert.ok('bldg_Building_gml_id' in layer!.fields);
      assert.equal(plans.tiles.length, 1);
      const tile = await server.request(plans.tiles[0]!.replace('{z}/{x}/{y}', '16/58212/25806'));
      assert.deepEqual([tile.status, tile.body.length > 0], [200, true], area);
    }
    const outside = await server.request('/datacatalog/mvt/13101-bldg-latest/tilejson.json');
    assert.equal(outside.status, 404);
    assert.match(outside.text, /interior only/);
    const model = await server.json<{ root: { children: unknown[] } }>(
      '/datacatalog/3dtiles/13-bldg-lod3-interior-latest/tileset.json',
    );
    assert.equal(model.root.children.length, 1);
  });
});

describe('convert --queue', () => {
  it('is a job that workers share, and keeps tiles from elsewhere', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    await ingestOne(data, [await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage(5))]);
    const elsewhere = { asset: { version: '1.0' }, geometricError: 100, root: ROOT };
    const foreign = await writeZip(join(directory, `${TILES}.zip`), {
      'tileset.json': JSON.stringify(elsewhere),
    });
    await ingestOne(data, [foreign]);
    const idOf = async () => (await list(data)).find(({ name }) => name === TILES)!.id;
    const before = await idOf();
    const asked = await runProgram(['convert', PACKAGE, '--queue', '--helpers', '1'], { DATA_DIR: data });
    assert.equal(asked.code, 0, asked.stderr);
    assert.equal(asked.stdout.trim().split('\n').length, 2);
    const worker = await runProgram(['worker', '--until-idle', '1'], { DATA_DIR: data, PACK_WORKERS: '0' });
    assert.equal(worker.code, 0, worker.stderr);
    assert.deepEqual((await list(data)).map(({ name }) => name).sort(), [PACKAGE, TILES, FOOTPRINTS]);
    assert.equal(await idOf(), before);
    const kept = await runProgram(['convert', PACKAGE, '--ingest'], { DATA_DIR: data });
    assert.match(kept.stdout, /not replaced: other tiles are live/);
    const replaced = await runProgram(['convert', PACKAGE, '--ingest', '--replace'], { DATA_DIR: data });
    assert.equal(replaced.code, 0, replaced.stdout);
    assert.notEqual(await idOf(), before);
    await assertClean(data);
  });

  it('gives packages the names that the command gives them, in a city of invented wards too', async (t) => {
    const directory = await tempDirectory(t);
    const [data, sample, out] = ['data', 'sample', 'out'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    const [city] = await writeSample(sample, { size: 30 });
    await ingestOne(data, [join(sample, city!.name)]);
    const name = city!.name.replace('.zip', '');
    const types = ['--types', 'bldg', '--lods', '1'];
    const run = await runProgram(['convert', join(sample, city!.name), '--out', out, ...types], {
      DATA_DIR: data,
    });
    assert.equal(run.code, 0, run.stderr);
    await runProgram(['convert', name, '--queue', ...types], { DATA_DIR: data });
    const worker = await runProgram(['worker', '--until-idle', '1'], { DATA_DIR: data, PACK_WORKERS: '0' });
    assert.equal(worker.code, 0, worker.stderr);
    const names = readdirSync(out).map((file) => file.replace('.zip', ''));
    assert.ok(names.some((name) => name.includes('_47901_minatomi-ku_')));
    assert.deepEqual((await list(data)).map((row) => row.name).sort(), [name, ...names].sort());
  });
});
