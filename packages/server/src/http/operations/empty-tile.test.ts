import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
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
