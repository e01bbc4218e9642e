import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Geometry } from 'geojson';
import { boxOf, boxOfWkb, placeOf } from './geoparquet-geometry.ts';

const ring = [
  [139.123456789, 35.5],
  [139.25, 35.125],
  [138.5, -35.75],
  [139.123456789, 35.5],
];
const line = ring.slice(1, 3);

test('the box of a geometry as WKB is that of the geometry, of every kind', () => {
  const plain: Geometry[] = [
    { type: 'Point', coordinates: line[0]! },
    { type: 'MultiPoint', coordinates: line },
    { type: 'LineString', coordinates: line },
    { type: 'MultiLineString', coordinates: [line, ring] },
    { type: 'Polygon', coordinates: [ring, ring.toReversed()] },
    { type: 'MultiPolygon', coordinates: [[ring], [line, ring]] },
  ];
  const empty: Geometry = { type: 'GeometryCollection', geometries: [] };
  const collection: Geometry = { type: 'GeometryCollection', geometries: [empty, ...plain] };
  for (const geometry of [...plain, collection]) {
    // Bytes of a file seldom begin with their buffer.
    const wkb = Buffer.concat([Buffer.of(7), placeOf(geometry)!.wkb]).subarray(1);
    assert.deepEqual(boxOfWkb(wkb), boxOf(geometry), geometry.type);
  }
});
