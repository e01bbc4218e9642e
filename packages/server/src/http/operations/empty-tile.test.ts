import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import fc from 'fast-check';
import { isTileOf } from './empty-tile.ts';

test('knows tiles inside the zooms and bounds of a package', () => {
  const row = {
    dataset: { format: 'MVT', entry: 'tiles/{z}/{x}/{y}.mvt', minzoom: 4, maxzoom: 14 },
    bounds: { west: 139, south: 35, east: 140, north: 36 },
  } as PackageRow;
  assert.ok(isTileOf(row, 'tiles/10/908/403.mvt'));
  for (const path of [
    'tiles/10/0/0.mvt',
    'tiles/3/7/3.mvt',
    'tiles/15/29056/12896.mvt',
    'tiles/10/908/403.pbf',
    '10/908/403.mvt',
    'tiles/10/908/x.mvt',
    'tiles/metadata.json',
  ]) {
    assert.ok(!isTileOf(row, path), path);
  }
  const world = { ...row, bounds: { west: -180, south: -90, east: 180, north: 90 } };
  for (const [path, isThere] of [
    ['4/15/15', true],
    ['4/16/15', false],
    ['4/15/16', false],
    ['4/0/0', true],
    ['14/16383/16383', true],
    ['14/16384/0', false],
    ['100/0/0', false],
  ] as const)
    assert.equal(isTileOf(world, `tiles/${path}.mvt`), isThere, path);
  const unknown = { ...world, dataset: { ...row.dataset!, minzoom: null, maxzoom: null } };
  assert.equal(isTileOf(unknown, 'tiles/0/0/0.mvt'), true);
  assert.equal(isTileOf(unknown, 'tiles/1/0/0.mvt'), false);
  assert.equal(isTileOf({ ...row, bounds: null }, 'tiles/10/908/403.mvt'), false);
  assert.ok(!isTileOf({ ...row, dataset: null }, 'tiles/10/908/403.mvt'));
});

test('a tile is there when it meets the bounds, edges included, at the zooms of the package', () => {
  /** Degrees of the northern edge of a row of tiles (EPSG:3857). */
  const northOf = (z: number, y: number) =>
    (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** z))) * 180) / Math.PI;
  const ordered = (pair: number[]) => pair.sort((a, b) => a - b) as [number, number];
  /** Mostly on edges of tiles. */
  const place = fc.oneof({ weight: 3, arbitrary: fc.nat(8) }, fc.double({ min: 0, max: 8, noNaN: true }));
  const lngs = fc.tuple(place, place).map((pair) => ordered(pair.map((at) => at * 45 - 180)));
  const lats = fc.tuple(place, place).map((pair) => ordered(pair.map((at) => northOf(3, at))));
  fc.assert(
    fc.property(
      lngs,
      lats,
      fc.tuple(fc.nat(4), fc.nat(17), fc.nat(17)),
      fc.tuple(fc.nat(4), fc.nat(4)),
      ([west, east], [south, north], [z, x, y], [minzoom, maxzoom]) => {
        const dataset = { format: 'MVT', entry: 'a/{z}/{x}/{y}.mvt', minzoom, maxzoom };
        const row = { dataset, bounds: { west, south, east, north } } as PackageRow;
        const n = 2 ** z;
        const isThere =
          z >= minzoom &&
          z <= maxzoom &&
          x < n &&
          y < n &&
          (x / n) * 360 - 180 <= east &&
          ((x + 1) / n) * 360 - 180 >= west &&
          northOf(z, y) >= south &&
          northOf(z, y + 1) <= north;
        assert.equal(isTileOf(row, `a/${z}/${x}/${y}.mvt`), isThere);
      },
    ),
    { numRuns: 400 },
  );
});

test('a path that has more or less than the template is no tile', () => {
  const row = {
    dataset: { format: 'MVT', entry: 'tiles/{z}/{x}/{y}.mvt', minzoom: 0, maxzoom: 14 },
    bounds: { west: -180, south: -90, east: 180, north: 90 },
  } as PackageRow;
  assert.ok(isTileOf(row, 'tiles/1/0/0.mvt'));
  for (const path of [
    'tiles/1/0.mvt',
    'tiles/1/0/0/0.mvt',
    'tiles/1/0/0.mvt.gz',
    'x/tiles/1/0/0.mvt',
    'tiles/.mvt',
  ])
    assert.ok(!isTileOf(row, path), path);
  const fixed = { ...row, dataset: { ...row.dataset!, entry: 'tileset.json' } };
  assert.ok(!isTileOf(fixed, 'tileset.json'), 'an entry without a template');
});
