import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteBuffer } from 'flatbuffers';
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import { buildFeature } from 'flatgeobuf/lib/mjs/generic/feature.js';
import { fromFeature } from 'flatgeobuf/lib/mjs/geojson/feature.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import type { Geometry } from 'geojson';
import { flatGeobufGeometry } from './flatgeobuf-head.ts';

const position = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }), fc.nat(9));
const line = fc.array(position, { minLength: 2, maxLength: 4 });
const single = fc.oneof(
  position.map((coordinates) => ({ type: 'Point' as const, coordinates })),
  line.map((coordinates) => ({ type: 'LineString' as const, coordinates })),
  fc
    .array(line, { minLength: 1, maxLength: 3 })
    .map((coordinates) => ({ type: 'MultiLineString' as const, coordinates })),
);

test('lines have their ends, also a single one, and one within a collection', () => {
  const ends = (geometry: Geometry) => {
    const { ends, parts } = flatGeobufGeometry(geometry);
    return [ends, parts?.map((part) => part.ends)];
  };
  const coordinates = [
    [0, 0, 0],
    [1, 1, 1],
    [2, 0, 0],
  ];
  assert.deepEqual(ends({ type: 'MultiLineString', coordinates: [coordinates] })[0], [3]);
  assert.deepEqual(ends({ type: 'MultiLineString', coordinates: [coordinates, coordinates] })[0], [3, 6]);
  assert.deepEqual(
    ends({
      type: 'GeometryCollection',
      geometries: [
        { type: 'MultiLineString', coordinates: [coordinates] },
        { type: 'Point', coordinates: [0, 0, 0] },
      ],
    })[1]![0],
    [3],
  );
});

test('the library reads back what stands in a feature', () => {
  fc.assert(
    fc.property(fc.oneof(single, fc.array(single, { minLength: 1, maxLength: 3 })), (one) => {
      const geometry: Geometry = Array.isArray(one) ? { type: 'GeometryCollection', geometries: one } : one;
      const header = { geometryType: 0, columns: [] } as unknown as HeaderMeta;
      const bytes = buildFeature(flatGeobufGeometry(geometry), {}, header);
      const feature = Feature.getSizePrefixedRootAsFeature(new ByteBuffer(bytes));
      assert.deepEqual(fromFeature(0, feature, header).geometry, geometry);
    }),
  );
});
