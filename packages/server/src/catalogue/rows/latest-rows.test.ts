import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundSlices } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { snapshotOf, tilePackage } from '../testing/snapshot-rows.ts';
import { latestDatasets, latestOrder } from './latest-rows.ts';

async function latestOf(...rows: PackageRow[]) {
  const { datasets } = await snapshotOf(...rows);
  const [found, turned] = await Promise.all(
    [datasets, datasets.toReversed()].map(async (order) => {
      const latest = await latestDatasets(order, backgroundSlices());
      return latest.map(({ package: row, latestSpec }) => `${latestSpec} ${row.year} ${row.provider}`).sort();
    }),
  );
  assert.deepEqual(turned, found, 'whatever comes first');
  return found!;
}

test('of each kind the newest year counts, and of one year the preferred provider', async () => {
  assert.deepEqual(
    await latestOf(
      tilePackage({}, { year: 2021 }),
      tilePackage({}, { year: 2023, provider: 'pref' }),
      tilePackage({}, { year: 2022 }),
    ),
    ['13101-bldg-lod1-latest 2023 pref'],
  );
  const both = [tilePackage({}, { provider: 'pref' }), tilePackage({})];
  const [one] = await latestOf(...both);
  assert.equal(one, '13101-bldg-lod1-latest 2023 city');
});

test('types, LODs, textures, formats and areas are kinds of their own', async () => {
  const rows = [
    tilePackage({ lod: 1 }),
    tilePackage({ lod: 2 }),
    tilePackage({ lod: 2, texture: false }),
    tilePackage({ type: 'brid' }),
    tilePackage({ format: 'MVT' }),
    tilePackage({}, { cityCode: '27100' }),
  ];
  const { datasets } = await snapshotOf(...rows);
  const latest = await latestDatasets(datasets, backgroundSlices());
  assert.equal(latest.length, rows.length);
  assert.deepEqual(latest.map(latestOrder).sort(), [
    ...['3dtiles/13101-bldg-lod1-latest', '3dtiles/13101-bldg-lod2-notexture-latest'],
    ...['3dtiles/13101-bldg-lod2-texture-latest', '3dtiles/13101-brid-lod1-latest'],
    ...['3dtiles/27100-bldg-lod1-latest', 'mvt/13101-bldg-lod1-latest'],
  ]);
});
