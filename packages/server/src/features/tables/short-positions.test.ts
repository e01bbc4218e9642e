import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Geometry } from 'geojson';
import { shortened, withDecimals } from './short-positions.ts';

const degrees = fc.oneof(
  fc.integer({ min: -180e9, max: 180e9 }).map((units) => units / 1e9),
  fc.integer({ min: 122e9, max: 154e9 }).map((units) => units / 1e9),
  fc.constantFrom(0, 180, -180, 1e-9, 179.999999999, 0.5, 135.000000001),
);

test('nine decimals come back, and the bits below 2⁻³⁰ of a degree are zeros', () => {
  fc.assert(
    fc.property(degrees, degrees, (lng, lat) => {
      const point: Geometry = { type: 'Point', coordinates: [lng, lat] };
      const short = shortened(point) as { coordinates: number[] };
      for (const [n, value] of short.coordinates.entries()) {
        assert.ok(Number.isInteger(value * 2 ** 30));
        assert.ok(Math.abs(value - point.coordinates[n]!) <= 2 ** -31);
      }
      assert.deepEqual(withDecimals(short as Geometry), point);
    }),
    { numRuns: 2_000 },
  );
});

test('geometry of all kinds keeps its form', () => {
  const ring = [
    [139.123456789, 35.987654321],
    [139.2, 35.1],
    [139.3, 35.2],
    [139.123456789, 35.987654321],
  ];
  const all: Geometry = {
    type: 'GeometryCollection',
    geometries: [
      { type: 'Polygon', coordinates: [ring] },
      { type: 'MultiPolygon', coordinates: [[ring, ring]] },
      { type: 'LineString', coordinates: ring },
      { type: 'GeometryCollection', geometries: [] },
    ],
  };
  assert.deepEqual(withDecimals(shortened(all)), all);
  assert.notDeepEqual(shortened(all), all);
});
