/** The QGIS project of a municipality: which layers lie over which. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snapshotOf, testUrls, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { cityArea } from './city-area.ts';
import { cityFacts } from './city-facts.ts';
import { cityWords } from './city-words.ts';
import { qgisProject } from './qgis-project.ts';

test('terrain lies under all other layers, and hides none of them until somebody wants it', async () => {
  const city = { cityCode: '27100', city: '大阪市', pref: '大阪府', year: 2024 };
  const snapshot = await snapshotOf(
    ...['dem', 'bldg', 'brid', 'wtr'].map((type) => tilePackage({ type, lod: 1, texture: false }, city)),
  );
  const facts = cityFacts(snapshot, testUrls, cityArea(snapshot, '27100')!, { cities: [], meshes_km2: 0 });
  const project = qgisProject(facts, cityWords('en'))!;
  const layers = [...project.matchAll(/<layer-tree-layer id="[^"]*" name="(\w+)[^"]*" checked="Qt::(\w+)"/g)];
  assert.deepEqual(
    layers.map(([, name, checked]) => [name, checked]),
    [
      ['Buildings', 'Checked'],
      ['Bridges', 'Checked'],
      ['Water', 'Checked'],
      ['Terrain', 'Unchecked'],
    ],
  );
});
