import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { writeArrayBuffer } from 'geotiff';
import { emptyGrid, type HeightGrid, heightAt } from './height-grid.ts';
import { gridFor, heightModel, loadEgm96, NeedsEgm96 } from './height-model.ts';
import { BadGrid, gsigeo2011, readGrid } from './read-grid.ts';
import { heightKindOf, VerticalRefused } from './vertical.ts';

const directory = mkdtempSync(join(tmpdir(), 'citymodel-heights-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const PUBLISHED = '../shared/data/geoid/jp_gsi_gsigeo2011.tif';

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function gridOf(heights: readonly number[][]): HeightGrid {
  const facts = { name: 'test', columns: heights[0]!.length, rows: heights.length };
  const grid = emptyGrid({ ...facts, west: 10, north: 50, stepEast: 0.5, stepSouth: 0.25 });
  grid.metres.set(heights.flat());
  return grid;
}

test('heights between nodes are weighed by distance', () => {
  const metres = fc.double({ min: -100, max: 100, noNaN: true });
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(metres, metres, metres, metres, part, part, (nw, ne, sw, se, x, y) => {
      const grid = gridOf([
        [nw, ne],
        [sw, se],
      ]);
      const expected = (nw * (1 - x) + ne * x) * (1 - y) + (sw * (1 - x) + se * x) * y;
      const found = heightAt(grid, 10 + x * 0.5, 50 - y * 0.25);
      assert.ok(Math.abs(found! - expected) < 1e-4, `${found} is not ${expected}`);
    }),
  );
});

test('a place beside unknown nodes has the height of the nearest, one outside has none', () => {
  const grid = gridOf([
    [7, NaN, NaN],
    [NaN, NaN, NaN],
    [NaN, NaN, NaN],
  ]);
  assert.equal(heightAt(grid, 10.1, 49.9), 7);
  assert.equal(heightAt(grid, 10, 50), 7);
  assert.equal(heightAt(grid, 10.9, 49.6), null);
  assert.equal(heightAt(grid, 9.9, 50), null);
  assert.equal(heightAt(grid, 10, NaN), null);
});

test('the grid that comes with the program is the published one', {
  skip: !existsSync(PUBLISHED),
}, async () => {
  const [own, published] = [gsigeo2011(), await readGrid(PUBLISHED)];
  assert.equal(own.columns * own.rows, published.columns * published.rows);
  for (const [node, metres] of published.metres.entries()) {
    const mine = own.metres[node]!;
    if (!(Number.isNaN(mine) && Number.isNaN(metres)) && !(Math.abs(mine - metres) <= 0.00051)) {
      assert.fail(`node ${node} has ${mine} m, published are ${metres} m`);
    }
  }
});

test('a GeoTIFF, a GSI text and an ISG text of the same grid give the same heights', async () => {
  const rows = [
    [40.5, 41, 42.25],
    [-3, 0.125, 5],
  ];
  const tiff = await writeArrayBuffer(Float32Array.from(rows.flat()), {
    width: 3,
    height: 2,
    GeographicTypeGeoKey: 4326,
    GTRasterTypeGeoKey: 2,
    GTModelTypeGeoKey: 2,
    ModelPixelScale: [0.025, 1 / 60, 0],
    ModelTiepoint: [0, 0, 0, 139, 36, 0],
  });
  const south = 36 - 1 / 60;
  const asc = `${south.toFixed(5)} 139.00000 0.016667 0.025000 2 3 1 ver2.1\n-3 0.125 5\n40.5 41 42.25\n`;
  const isg = [
    'begin_of_head ================',
    'model name : test',
    'data format : grid',
    `lat min    = ${south - 1 / 120}`,
    `lat max    = ${36 + 1 / 120}`,
    'lon min    = 138.9875',
    'lon max    = 139.0625',
    'delta lat  = 0.0166666667',
    'delta lon  = 0.025',
    'nrows      = 2',
    'ncols      = 3',
    'nodata     = -9999',
    'end_of_head ==================',
    '40.5 41 42.25',
    '-3 0.125 5',
  ].join('\n');
  const grids = await Promise.all([
    readGrid(fileOf('grid.tif', new Uint8Array(tiff))),
    readGrid(fileOf('grid.asc', asc)),
    readGrid(fileOf('grid.isg', isg)),
  ]);
  for (const grid of grids) {
    assert.deepEqual([grid.columns, grid.rows], [3, 2], grid.name);
    assert.deepEqual([...grid.metres], rows.flat(), grid.name);
    for (const [lng, lat, expected] of [
      [139.025, 35.99999, 41],
      [139.0125, 36 - 1 / 120, (40.5 + 41 - 3 + 0.125) / 4],
    ] as const) {
      const found = heightAt(grid, lng, lat);
      assert.ok(Math.abs(found! - expected) < 0.03, `${grid.name}: ${found} is not ${expected}`);
    }
  }
});

test('angles of ISG 2.0 may be degrees, minutes and seconds', async () => {
  const head = (lat: string) =>
    `begin_of_head\nlat min : 35°00'00"\nlat max : ${lat}\nlon min : 139°00'00"\nlon max : 139°01'30"\n` +
    `delta lat : 0°01'00"\ndelta lon : 0°01'30"\nnrows : 2\nncols : 2\nnodata : -9999\nend_of_head\n1 2\n3 -9999\n`;
  const grid = await readGrid(fileOf('angles.isg', head(`35°01'00"`)));
  assert.ok(Math.abs(grid.north - (35 + 1 / 60)) < 1e-9);
  assert.equal(heightAt(grid, 139, 35), 3);
  await assert.rejects(readGrid(fileOf('bad.isg', head('north'))), BadGrid);
});

test('what is no grid is refused with its path', async () => {
  const bad: Array<[string, string | Uint8Array]> = [
    ['cut.asc', '35 139 0.1 0.1 3 3 1 v\n1 2 3'],
    ['huge.asc', '35 139 0.0001 0.0001 90000 90000 1 v\n1'],
    ['words.asc', 'south west\nand so on'],
    ['no-end.isg', 'begin_of_head\nlat min : 1\n'],
    ['picture.tif', Uint8Array.of(0x49, 0x49, 0x2a, 0, 9, 9)],
    ['heights.csv', '1,2,3'],
  ];
  for (const [name, content] of bad) {
    await assert.rejects(readGrid(fileOf(name, content)), (error) => {
      assert.ok(error instanceof BadGrid, name);
      assert.match(error.message, new RegExp(`${name} \\(GEOID\\)`));
      return true;
    });
  }
  await assert.rejects(readGrid(join(directory, 'nothing.tif')), /There is no geoid file/);
});

test('outside of the grid EGM96 stands in, once it is loaded, and is counted', async () => {
  const grid = await gridFor('geoid', '');
  const before = heightModel('geoid', grid, null);
  assert.equal(before.name, 'GSIGEO2011');
  assert.equal(before.offset(139.775, 50 - 859 / 60).toFixed(3), '36.648');
  assert.throws(() => before.offset(8.4, 49), NeedsEgm96);
  const model = heightModel('geoid', grid, await loadEgm96());
  assert.ok(Math.abs(model.offset(8.4, 49) - 48) < 1, `${model.offset(8.4, 49)} m at Karlsruhe`);
  assert.equal(model.outside, 2);
});

test('elevations stay as they are when that is asked for', async () => {
  const model = heightModel('elevation', await gridFor('elevation', ''), null);
  assert.equal(model.offset(139.77, 35.68), 0);
  assert.equal(heightModel('egm96', null, await loadEgm96()).name, 'EGM96');
});

test('heights of an unknown vertical system are refused by name', () => {
  assert.equal(heightKindOf(null), 'elevation');
  assert.equal(heightKindOf('http://www.opengis.net/def/crs/EPSG/0/6697'), 'elevation');
  assert.equal(heightKindOf('urn:ogc:def:crs,crs:EPSG::6668,crs:EPSG::6695'), 'elevation');
  assert.equal(heightKindOf('EPSG:6667'), 'ellipsoid');
  assert.throws(() => heightKindOf('http://www.opengis.net/def/crs/EPSG/0/11318'), VerticalRefused);
  assert.throws(() => heightKindOf('EPSG:11318'), /JGD2024/);
  assert.throws(() => heightKindOf('urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::9999'), /EPSG:9999/);
});
