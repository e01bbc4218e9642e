import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '@citymodel/base';
import { geometriesOf } from '@citymodel/citygml';
import { feature as treeOf } from '@citymodel/citygml/testing';
import type { PackageRow } from '@citymodel/store';
import type { FeatureParts } from '../features/formats/format.ts';
import { crsNamed, STORAGE_URI } from './crs.ts';
import { geoJsonMaker, jsonFgMaker } from './item-record.ts';

/** A tree at 35.5 degrees north and 139.5 east, with its lowest height where it has one. */
function tree(minAlt: number | null): FeatureParts {
  const element = treeOf(
    '<veg:SolitaryVegetationObject gml:id="a"><veg:lod0Geometry><gml:Point><gml:pos>35.5 139.5 3</gml:pos>' +
      '</gml:Point></veg:lod0Geometry></veg:SolitaryVegetationObject>',
  );
  const heights = { minAlt: minAlt ?? 0, maxAlt: (minAlt ?? 0) + 4 };
  return {
    entry: {
      extent: { west: 139.5, east: 139.5, south: 35.5, north: 35.5, ...heights },
      hasAltitude: minAlt !== null,
      element: 'veg:SolitaryVegetationObject',
    } as never,
    element,
    labels: null,
    geometries: geometriesOf(element, { srsName: 'EPSG:6697', srsDimension: 3 }),
    fallbackId: 'a',
    hasVersion2Names: false,
  };
}

test('in a system with heights a footprint lies at the lowest one, and at 0 where none is known', () => {
  const crs = crsNamed(STORAGE_URI, 'crs');
  const row = { year: 2023 } as PackageRow;
  for (const [minAlt, height] of [
    [7, 7],
    [null, 0],
  ] as const) {
    const coordinates = [[35.5, 139.5, height]];
    const { geometry } = JSON.parse(finish(geoJsonMaker(crs)(tree(minAlt), row)));
    assert.deepEqual(geometry, { type: 'MultiPoint', coordinates });
    const fg = JSON.parse(finish(jsonFgMaker(crs)(tree(minAlt), row)));
    assert.deepEqual(fg.place, { type: 'MultiPoint', coordinates });
    assert.deepEqual(fg.geometry, { type: 'MultiPoint', coordinates: [[139.5, 35.5]] });
    assert.deepEqual(fg.time, { interval: ['2023-04-01', '2024-03-31'] });
  }
});
