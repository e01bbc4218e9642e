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
  assert.ok(!isTileOf({ ...row, dataset: null }, 'tiles/10/908/403.mvt'));
});
