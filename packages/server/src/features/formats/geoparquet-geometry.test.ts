import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Geometry } from 'geojson';
import { boxOf, boxOfWkb, geoMetadata, placeOf, unionBoxes } from './geoparquet-geometry.ts';

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

test('what has no position has no place, and a file without any place no box', () => {
  const empty: Geometry[] = [
    { type: 'MultiPolygon', coordinates: [] },
    { type: 'GeometryCollection', geometries: [{ type: 'MultiPoint', coordinates: [] }] },
  ];
  for (const geometry of [null, ...empty]) assert.equal(placeOf(geometry), null);
  // A point has no size, and a place all the same.
  const box = boxOf({ type: 'Point', coordinates: [139, 35] })!;
  assert.deepEqual(box, { xmin: 139, ymin: 35, xmax: 139, ymax: 35 });
  const all = unionBoxes(box, { xmin: 138, ymin: 36, xmax: 138.5, ymax: 37 });
  const written = (of: typeof all | null) =>
    (geoMetadata(['Point'], of) as { columns: { geometry: Record<string, unknown> } }).columns.geometry;
  assert.deepEqual(written(all).bbox, [138, 35, 139, 37]);
  assert.ok(!('bbox' in written(null)));
  assert.deepEqual(written(null).geometry_types, ['Point']);
});
