import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '@citymodel/base';
import { evenly } from '@citymodel/base/testing';
import fc from 'fast-check';
import { signedArea } from '../geometry/feature-shape.ts';
import { geoJsonInSteps } from './to-geojson.ts';

const toGeoJson = (...args: Parameters<typeof geoJsonInSteps>) => finish(geoJsonInSteps(...args));

const EMPTY = { polygons: [], lines: [], points: [] };
const ccw = Float64Array.of(139, 35, 140, 35, 140, 36, 139, 36);
const cw = Float64Array.of(139.2, 35.2, 139.2, 35.8, 139.8, 35.8, 139.8, 35.2);
const turned = (ring: Float64Array) => {
  const copy = new Float64Array(ring.length);
  for (let i = 0; i < ring.length; i += 2) copy.set(ring.subarray(i, i + 2), ring.length - 2 - i);
  return copy;
};

/** The geometry with its rings beginning at the south-west corner, as the first vertex of a ring means nothing. */
function fromFirst(geometry: unknown): unknown {
  const { type, coordinates } = geometry as { type: string; coordinates: number[][][][] };
  const begin = (ring: number[][]) => {
    const open = ring.slice(1);
    const first = open.findIndex(([lng, lat]) => open.every(([x, y]) => lng! <= x! && lat! <= y!));
    return [...open.slice(first), ...open.slice(0, first), open[first]!];
  };
  return { type, coordinates: coordinates.map((polygon) => polygon.map(begin)) };
}

test('a footprint is a MultiPolygon by the right-hand rule, closed, with the attributes and heights', () => {
  const expected = {
    type: 'Feature',
    id: 'b1',
    geometry: {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [139, 35],
            [140, 35],
            [140, 36],
            [139, 36],
            [139, 35],
          ],
          [
            [139.2, 35.2],
            [139.2, 35.8],
            [139.8, 35.8],
            [139.8, 35.2],
            [139.2, 35.2],
          ],
        ],
      ],
    },
    properties: { 'gml:id': 'b1', 'bldg:class': '1', height: 4.2, minAlt: 5, maxAlt: 9.2 },
  };
  const attributes = { 'gml:id': 'b1', 'bldg:class': '1' };
  const altitudes = { min: 5, max: 9.2 };
  const feature = toGeoJson(attributes, { ...EMPTY, polygons: [[ccw, cw]] }, altitudes);
  assert.deepEqual({ ...feature, geometry: fromFirst(feature.geometry) }, expected);
  const other = toGeoJson(attributes, { ...EMPTY, polygons: [[turned(ccw), turned(cw)]] }, altitudes);
  for (const [i, ring] of (
    other.geometry as unknown as { coordinates: number[][][][] }
  ).coordinates[0]!.entries()) {
    assert.equal(signedArea(Float64Array.from(ring.slice(0, -1).flat())) > 0, i === 0);
    assert.deepEqual(ring[0], ring.at(-1));
  }
});

test('lines, points, mixtures and nothing', () => {
  const line = Float64Array.of(139, 35, 140, 36);
  const geometry = (footprint: Parameters<typeof toGeoJson>[1]) => toGeoJson({}, footprint, null).geometry;
  assert.deepEqual(geometry({ ...EMPTY, lines: [line] }), {
    type: 'MultiLineString',
    coordinates: [
      [
        [139, 35],
        [140, 36],
      ],
    ],
  });
  assert.deepEqual(geometry({ ...EMPTY, points: [Float64Array.of(139, 35)] }), {
    type: 'MultiPoint',
    coordinates: [[139, 35]],
  });
  assert.deepEqual(
    (
      geometry({ polygons: [[ccw]], lines: [line], points: [] }) as { geometries: Array<{ type: string }> }
    ).geometries.map((one) => one.type),
    ['MultiPolygon', 'MultiLineString'],
  );
  assert.equal(geometry(null), null);
  assert.deepEqual(geometry({ ...EMPTY, polygons: [[Float64Array.of(139, 35, 139, 35, 140, 35)]] }), {
    type: 'MultiLineString',
    coordinates: [
      [
        [139, 35],
        [140, 35],
        [139, 35],
      ],
    ],
  });
  assert.deepEqual(toGeoJson({}, null, null), { type: 'Feature', geometry: null, properties: {} });
});

test('rounding keeps rings closed and positions within a tenth of a millimetre', () => {
  const coordinate = fc.double({ min: 20, max: 50, noNaN: true });
  fc.assert(
    fc.property(fc.array(coordinate, { minLength: 6, maxLength: 6 }), (numbers) => {
      const ring = Float64Array.from(numbers);
      const { geometry } = toGeoJson({}, { ...EMPTY, polygons: [[ring]] }, null);
      if (geometry?.type !== 'MultiPolygon') return;
      const written = geometry.coordinates[0]![0]!;
      assert.deepEqual(written[0], written.at(-1));
      for (const [lng, lat] of written) {
        let near = false;
        for (let i = 0; i < ring.length; i += 2)
          near ||= Math.hypot(ring[i]! - lng!, ring[i + 1]! - lat!) < 1e-9;
        assert.ok(near);
      }
    }),
  );
});

test('the right-hand rule holds for what is written: a sliver may turn over when it is rounded', () => {
  const units = fc.integer({ min: -40_000, max: 40_000 });
  const fraction = evenly(-0.5, 0.5);
  let turnedOver = 0;
  fc.assert(
    fc.property(fc.tuple(units, units), fc.array(fraction, { minLength: 6, maxLength: 6 }), ([w, h], off) => {
      const near = (lng: number, lat: number, i: number) => [
        139.7 + (lng + off[i]!) * 1e-9,
        35.5 + (lat + off[i + 1]!) * 1e-9,
      ];
      const ring = Float64Array.from([...near(0, 0, 0), ...near(w, h, 2), ...near(w >> 1, h >> 1, 4)]);
      const { geometry } = toGeoJson({}, { ...EMPTY, polygons: [[ring]] }, null);
      if (geometry?.type !== 'MultiPolygon') return;
      const written = geometry.coordinates[0]![0]!;
      const [x, y] = [0, 1].map((axis) => written.map((one) => BigInt(Math.round(one[axis]! * 1e9))));
      const area = x!.reduce(
        (sum, x1, i) => (i === 0 ? 0n : sum + x![i - 1]! * y![i]! - x1 * y![i - 1]!),
        0n,
      );
      assert.ok(area >= 0n, `${area} square units`);
      if (area > 0n && written[1]![0] !== Math.round(ring[2]! * 1e9) / 1e9) turnedOver++;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(turnedOver > 20);
});

test(
  'of polygons whose union would take too long each stays, with its holes, and what is too large alone is ' +
    'counted',
  () => {
    const disc = (radius: number, vertices: number) =>
      Float64Array.from(
        Array.from({ length: vertices }, (_, i) => (2 * Math.PI * i) / vertices).flatMap((angle) => [
          139 + radius * Math.cos(angle),
          35 + radius * Math.sin(angle),
        ]),
      );
    const ring = [disc(2e-4, 100), turned(disc(1e-4, 90))];
    const star = Float64Array.from(
      Array.from({ length: 401 }, (_, i) => i * 2.399).flatMap((angle) => [
        139 + 1e-4 * Math.cos(angle),
        35 + 1e-4 * Math.sin(angle),
      ]),
    );
    const { geometry, properties } = toGeoJson({}, { ...EMPTY, polygons: [ring, [star], [ccw]] }, null);
    assert.equal(geometry?.type, 'GeometryCollection');
    const drawn = geometry.geometries.map((one) => (one.type === 'Polygon' ? one.coordinates : []));
    assert.deepEqual(
      drawn.map((rings) => rings.map(({ length }) => length)),
      [[101, 91], [5]],
    );
    assert.deepEqual(properties, { footprintDissolved: false, footprintPolygonsLeftOut: 1 });
  },
);

test('a line that is one point after rounding is a point where there is nothing else, and left out elsewhere', () => {
  const short = Float64Array.of(139, 35, 139 + 1e-12, 35);
  const line = Float64Array.of(139, 35, 140, 36);
  const point = Float64Array.of(138, 34);
  const drawn = ({ lines = [], points = [] }: { lines?: Float64Array[]; points?: Float64Array[] }) =>
    toGeoJson({}, { polygons: [], lines, points }, null).geometry;
  const dot = { type: 'MultiPoint', coordinates: [[139, 35]] };
  assert.deepEqual(drawn({ lines: [short] }), dot);
  const lines = {
    type: 'MultiLineString',
    coordinates: [
      [
        [139, 35],
        [140, 36],
      ],
    ],
  };
  assert.deepEqual(drawn({ lines: [short, line] }), lines);
  assert.deepEqual(drawn({ lines: [short], points: [point] }), {
    type: 'MultiPoint',
    coordinates: [
      [138, 34],
      [139, 35],
    ],
  });
  assert.deepEqual(drawn({ lines: [line], points: [point] }), {
    type: 'GeometryCollection',
    geometries: [lines, { type: 'MultiPoint', coordinates: [[138, 34]] }],
  });
});

test('an area without extent is drawn as its outline only where there is nothing else', () => {
  const flat = Float64Array.of(139, 35, 140, 35, 139, 35);
  const point = Float64Array.of(138, 34);
  const line = Float64Array.of(136, 33, 137, 33);
  const typeOf = (footprint: Parameters<typeof toGeoJson>[1]) =>
    toGeoJson({}, footprint, null).geometry?.type;
  assert.equal(typeOf({ ...EMPTY, polygons: [[flat]] }), 'MultiLineString');
  assert.equal(typeOf({ ...EMPTY, polygons: [[flat]], points: [point] }), 'MultiPoint');
  for (const further of [{ points: [point] }, { lines: [line] }]) {
    const { geometries } = toGeoJson({}, { ...EMPTY, polygons: [[ccw], [flat]], ...further }, null)
      .geometry as { geometries: Array<{ coordinates: unknown[] }> };
    assert.deepEqual(
      geometries.map(({ coordinates }) => coordinates.length),
      [1, 1],
      'one area, and one point or line',
    );
  }
  const beside = toGeoJson({}, { ...EMPTY, polygons: [[flat]], lines: [line] }, null).geometry;
  assert.deepEqual(beside, {
    type: 'MultiLineString',
    coordinates: [
      [
        [136, 33],
        [137, 33],
      ],
    ],
  });
});
