import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSystems, systemsText, verticalSystemOf } from './vertical-systems.ts';

const of = (heights?: string) => (heights === undefined ? {} : { heights });

test('tiles that say nothing are above the ellipsoid, and so is whatever was brought there', () => {
  for (const heights of [
    undefined,
    'GSIGEO2011',
    'EGM96',
    'GSIGEO2011, heights revised by EPSG:11441',
    'a.tif',
  ])
    assert.equal(verticalSystemOf(of(heights)), 'ellipsoid', heights);
  assert.equal(verticalSystemOf(of('elevation')), 'elevation');
  assert.equal(verticalSystemOf(of('elevation, of JGD2024')), 'elevation of JGD2024');
  const both = 'elevation, some of JGD2011 and some of JGD2024';
  assert.equal(verticalSystemOf(of(both)), 'elevation of both datums');
});

test('several systems are counted, the most frequent first', () => {
  const datasets = ['elevation', undefined, 'GSIGEO2011'].map((heights) => ({ summary: of(heights) }));
  const counts = countSystems(datasets);
  assert.equal(systemsText(counts), 'mixed: 2 of ellipsoid, 1 of elevation');
  assert.equal(systemsText(countSystems(datasets.slice(0, 1))), 'elevation');
});
