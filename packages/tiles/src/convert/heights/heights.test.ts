import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import fc from 'fast-check';
import { writeArrayBuffer } from 'geotiff';
import { emptyGrid, type HeightGrid, heightAt } from './height-grid.ts';
import { heightIssues } from './height-issues.ts';
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
  const metres = evenly(-100, 100);
  const part = evenly(0, 1);
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

test('where a node that counts is unknown, the nearest known one within a quarter of a degree stands in', () => {
  // Steps and places are sums of powers of two, so that distances are exact.
  const [columns, rows, stepEast, stepSouth] = [8, 7, 1 / 16, 1 / 8];
  const nodes = fc.array(fc.constantFrom(true, false, false, false, false), {
    minLength: columns * rows,
    maxLength: columns * rows,
  });
  const column = fc.integer({ min: 0, max: (columns - 1) * 4 }).map((quarters) => quarters / 4);
  const row = fc.integer({ min: 0, max: (rows - 1) * 4 }).map((quarters) => quarters / 4);
  const seen = { interpolated: 0, nearest: 0, none: 0 };
  fc.assert(
    fc.property(nodes, column, row, (known, x, y) => {
      const facts = { name: 'test', columns, rows, west: 10, north: 50, stepEast, stepSouth };
      const grid = emptyGrid(facts);
      for (const [node, isKnown] of known.entries()) if (isKnown) grid.metres[node] = node + 1;
      let between: number | null = 0;
      let best: number | null = null;
      let least = 0.25 ** 2;
      for (const [node, isKnown] of known.entries()) {
        const [east, south] = [(node % columns) - x, Math.floor(node / columns) - y];
        const weight = Math.max(0, 1 - Math.abs(east)) * Math.max(0, 1 - Math.abs(south));
        if (weight > 0) between = isKnown && between !== null ? between + weight * (node + 1) : null;
        const distance = (east * stepEast) ** 2 + (south * stepSouth) ** 2;
        if (!isKnown || (best === null ? distance > least : distance >= least)) continue;
        [best, least] = [node + 1, distance];
      }
      const found = heightAt(grid, 10 + x * stepEast, 50 - y * stepSouth);
      if (between !== null) assert.ok(Math.abs(found! - between) < 1e-9, `${found} is not ${between}`);
      else assert.equal(found, best);
      seen[between !== null ? 'interpolated' : best !== null ? 'nearest' : 'none']++;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(Math.min(...Object.values(seen)) > 20, JSON.stringify(seen));
});

test('the edge of a grid belongs to it, and what rounding puts a billionth of a step beyond', () => {
  const grid = gridOf([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const at = (column: number, row: number) => heightAt(grid, 10 + column * 0.5, 50 - row * 0.25);
  assert.deepEqual([at(0, 0), at(2, 0), at(0, 1), at(2, 1)], [1, 3, 4, 6]);
  assert.deepEqual([at(-5e-10, 0), at(2 + 5e-10, 0)], [1, 3]);
  assert.deepEqual([at(0, -5e-10), at(0, 1 + 5e-10)], [1, 4]);
  for (const [column, row] of [
    [-2e-9, 0],
    [2 + 2e-9, 0],
    [0, -2e-9],
    [0, 1 + 2e-9],
    [-1, 0],
    [3, 0],
    [0, -1],
    [0, 2],
  ] as const) {
    assert.equal(at(column, row), null, `${column} ${row}`);
  }
});

test('a grid has two rows and columns at least, 16 million nodes at most, and steps that lead on', () => {
  const facts = { name: 'test', columns: 2, rows: 2, west: 10, north: 50, stepEast: 1, stepSouth: 1 };
  assert.equal(emptyGrid(facts).metres.length, 4);
  assert.equal(emptyGrid({ ...facts, columns: 4_000, rows: 4_000 }).metres.length, 16_000_000);
  for (const change of [
    { columns: 1 },
    { rows: 1 },
    { columns: 2.5 },
    { rows: 2.5 },
    { columns: 4_000, rows: 4_001 },
    { stepEast: 0 },
    { stepEast: -1 },
    { stepSouth: 0 },
    { stepSouth: Number.NaN },
    { west: Number.NaN },
    { north: Infinity },
  ]) {
    assert.throws(() => emptyGrid({ ...facts, ...change }), RangeError, JSON.stringify(change));
  }
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

test('angles may be negative, whatever their form', async () => {
  const head = (west: string, east: string) =>
    `begin_of_head\nlat min : -1.5\nlat max : 1.5\nlon min : ${west}\nlon max : ${east}\n` +
    'delta lat : 1\ndelta lon : 1\nnrows : 3\nncols : 3\nend_of_head\n1 2 3\n4 5 6\n7 8 9\n';
  for (const [west, east] of [
    ['-2.5', '0.5'],
    [`-2°29'60"`, `0°29'60.0"`],
  ] as const) {
    const grid = await readGrid(fileOf('angles.isg', head(west, east)));
    const { west: first, north, stepEast, stepSouth } = grid;
    assert.deepEqual([first, north, stepEast, stepSouth], [-2, 1, 1, 1], west);
    assert.deepEqual([heightAt(grid, -2, 1), heightAt(grid, 0, -1), heightAt(grid, -1, 0)], [1, 9, 5]);
  }
});

test('limits of an ISG text are those of cells, or of nodes where a step less fits between them', async () => {
  const read = (north: number, east: number) =>
    readGrid(
      fileOf(
        'limits.isg',
        `lat min : 10\nlat max : ${north}\nlon min : 20\nlon max : ${east}\ndelta lat : 0.5\n` +
          'nrows : 2\nncols : 3\nnodata : -9\nend_of_head\n1 2 3\n4 -9 6\n',
      ),
    );
  const cells = await read(11, 21.5);
  assert.deepEqual([cells.west, cells.north, cells.stepEast, cells.stepSouth], [20.25, 10.75, 0.5, 0.5]);
  const nodes = await read(10.5, 21);
  assert.deepEqual([nodes.west, nodes.north, nodes.stepEast, nodes.stepSouth], [20, 10.5, 0.5, 0.5]);
  for (const grid of [cells, nodes]) assert.deepEqual([...grid.metres], [1, 2, 3, 4, Number.NaN, 6]);
});

test(
  'of a GSI text 999 and more are unknown, and a step is the fraction of a degree that its decimals stand ' +
    'for',
  async () => {
    const read = async (steps: string) => {
      const grid = await readGrid(fileOf('steps.asc', `35 139 ${steps} 2 2 1 v\n1 -998.5\n999 -999\n`));
      return { steps: [grid.stepSouth, grid.stepEast], metres: [...grid.metres], north: grid.north };
    };
    assert.deepEqual(await read('0.016667 0.025000'), {
      steps: [1 / 60, 1 / 40],
      metres: [Number.NaN, Number.NaN, 1, -998.5],
      north: 35 + 1 / 60,
    });
    assert.deepEqual((await read('0.016669 0.3')).steps, [0.016669, 0.3]);
    assert.deepEqual((await read('2 1')).steps, [2, 1]);
  },
);

test('pixels of a GeoTIFF are areas or points, and the number for none is unknown', async () => {
  const read = async (raster: number) => {
    const tiff = await writeArrayBuffer(Float32Array.of(1, 2, 3, 4, -5, 6), {
      width: 3,
      height: 2,
      GeographicTypeGeoKey: 4326,
      GTRasterTypeGeoKey: raster,
      GTModelTypeGeoKey: 2,
      ModelPixelScale: [0.5, 0.25, 0],
      ModelTiepoint: [0, 0, 0, 139, 36, 0],
      GDAL_NODATA: '-5\u0000',
    });
    const grid = await readGrid(fileOf('pixels.TIFF', new Uint8Array(tiff)));
    assert.deepEqual([grid.stepEast, grid.stepSouth, grid.columns, grid.rows], [0.5, 0.25, 3, 2]);
    assert.deepEqual([...grid.metres], [1, 2, 3, 4, Number.NaN, 6]);
    return [grid.west, grid.north];
  };
  assert.deepEqual(await read(1), [139.25, 35.875]);
  assert.deepEqual(await read(2), [139, 36]);
});

test('what is no grid is refused with its path', async () => {
  const bad: Array<[string, string | Uint8Array]> = [
    ['cut.asc', '35 139 0.1 0.1 3 3 1 v\n1 2 3'],
    ['huge.asc', '35 139 0.0001 0.0001 90000 90000 1 v\n1'],
    ['words.asc', 'south west\nand so on'],
    ['word.asc', '35 139 0.1 0.1 2 2 1 v\n1 2 three 4'],
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

test('the grid of a file stands in for the one that comes with the program, where heights need one', async () => {
  const path = fileOf('own.asc', '35 139 0.5 0.5 2 2 1 v\n1 2\n3 4\n');
  const model = heightModel('geoid', await gridFor('geoid', path), null);
  assert.deepEqual([model.name, model.offset(139, 35), model.outside], ['own.asc', 1, 0]);
  for (const heights of ['elevation', 'egm96'] as const) assert.equal(await gridFor(heights, path), null);
});

test('elevations stay as they are when that is asked for', async () => {
  const model = heightModel('elevation', await gridFor('elevation', ''), null);
  // Also far from Japan, where no grid has heights.
  for (const [lng, lat] of [
    [139.77, 35.68],
    [8.4, 49],
  ] as const)
    assert.equal(model.offset(lng, lat), 0);
  assert.deepEqual([model.name, model.outside, model.isRevised], ['elevation', 0, false]);
  assert.deepEqual(heightIssues('a.gml', model), []);
  assert.equal(heightModel('egm96', null, await loadEgm96()).name, 'EGM96');
});

test('places whose heights are less sure are issues, each kind with its count and its first place', () => {
  const model = {
    ...{ name: 'GSIGEO2011', offset: () => 0, isRevised: false, elevations: new Set<never>() },
    outside: 3,
    unrevised: { count: 2, first: [139.5, 35.25] as [number, number] },
    otherGrid: { count: 0, first: null },
  };
  const issues = heightIssues('a.gml', model);
  assert.deepEqual(
    issues.map(({ code, file, count }) => [code, file, count]),
    [
      ['GEOID_OUTSIDE', 'a.gml', 3],
      ['HEIGHT_UNREVISED', 'a.gml', 2],
    ],
  );
  assert.match(issues[0]!.message, /GSIGEO2011/);
  assert.match(issues[1]!.message, /first at 35\.250000, 139\.500000\./);
  const others = { ...model, outside: 0, unrevised: { count: 0, first: null } };
  const [other] = heightIssues('a.gml', { ...others, otherGrid: { count: 1, first: [136, 36] } });
  assert.match(`${other!.code} ${other!.message}`, /^HEIGHT_OTHER_GRID .*first at 36\.000000, 136\.000000\./);
  assert.deepEqual(heightIssues('a.gml', others), []);
});

test('systems of heights above the ellipsoid and above sea level are told apart by their number', () => {
  for (const code of [4979, 4937, 4947, 6667]) assert.equal(heightKindOf(`EPSG:${code}`), 'ellipsoid');
  // As the EPSG registry numbers them: Japan and the world, Europe from west to east, North America, Asia and Oceania.
  const verticals = new Set([
    ...[6695, 6694, 5723, 5773, 3855, 5714],
    ...[
      5701, 5731, 5732, 5780, 5782, 5720, 5710, 5709, 8089, 5728, 5729, 5195, 5214, 5621, 5730, 9389, 9274,
      5778,
    ],
    ...[5783, 5784, 5785, 7699, 7837, 5733, 5799, 5776, 5941, 5717, 5718, 5613, 3900, 5610, 8690, 5787, 9651],
    ...[5705, 8357, 5774, 5775],
    ...[5703, 5713, 6647],
    ...[5193, 8904, 5738, 6916, 5711, 4440, 7839],
  ]);
  for (const horizontal of [6668, 4979]) {
    for (const code of verticals) {
      const nameOf = (vertical: number) => `urn:ogc:def:crs,crs:EPSG::${horizontal},crs:EPSG::${vertical}`;
      assert.equal(heightKindOf(nameOf(code)), 'elevation', String(code));
      // Numbers beside them are of depths, of other units, or of nothing.
      if (!verticals.has(code + 1)) assert.throws(() => heightKindOf(nameOf(code + 1)), VerticalRefused);
    }
  }
  assert.throws(() => heightKindOf('urn:ogc:def:crs,crs:EPSG::6668,crs:EPSG::11441'), /EPSG:11441/);
  assert.equal(heightKindOf('none'), 'elevation');
  assert.equal(heightKindOf('urn:adv:crs:DE_DHDN_3GK4*DE_DHHN92_NH'), 'elevation');
  assert.equal(heightKindOf('EPSG:5555'), 'elevation');
  // ITRF2014 with heights above its ellipsoid; metres below chart datum, and above another ellipsoid.
  assert.equal(heightKindOf('EPSG:7912'), 'ellipsoid');
  assert.throws(() => heightKindOf('EPSG:25832+9672'), /EPSG:9672/);
  assert.throws(() => heightKindOf('EPSG:7372'), /EPSG:7372/);
});

test('heights of an unknown vertical system are refused by name', () => {
  assert.equal(heightKindOf(null), 'elevation');
  assert.equal(heightKindOf('http://www.opengis.net/def/crs/EPSG/0/6697'), 'elevation');
  assert.equal(heightKindOf('urn:ogc:def:crs,crs:EPSG::6668,crs:EPSG::6695'), 'elevation');
  assert.equal(heightKindOf('EPSG:6667'), 'ellipsoid');
  assert.equal(heightKindOf('http://www.opengis.net/def/crs/EPSG/0/11318'), 'jgd2024');
  assert.equal(heightKindOf('EPSG:6668+11317'), 'jgd2024');
  assert.equal(heightKindOf('EPSG:11327'), 'jgd2024');
  assert.throws(() => heightKindOf('EPSG:6668+9999'), VerticalRefused);
  assert.throws(() => heightKindOf('urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::9999'), /EPSG:9999/);
});
