import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meetsBounds, searchedGeometry } from './searched-geometry.ts';

const shapeOf = (value: unknown) => {
  const { points, lines, polygons, altitudes } = searchedGeometry(value);
  const plain = (part: ArrayLike<number>) => [...Array.from(part)];
  return {
    points: points.map(plain),
    lines: lines.map(plain),
    polygons: polygons.map((rings) => rings.map(plain)),
    altitudes,
  };
};
const NOTHING = { points: [], lines: [], polygons: [], altitudes: null };
const RING = [
  [0, 0],
  [2, 0],
  [2, 2],
  [0, 0],
];
const FLAT = RING.flat();

test('every type of GeoJSON is read, with heights left out', () => {
  const point = { type: 'Point', coordinates: [139, 35, 7] };
  assert.deepEqual(shapeOf(point), { ...NOTHING, points: [[139, 35]] });
  const points = {
    type: 'MultiPoint',
    coordinates: [
      [-180, -90],
      [180, 90],
    ],
  };
  assert.deepEqual(shapeOf(points), {
    ...NOTHING,
    points: [
      [-180, -90],
      [180, 90],
    ],
  });
  const line = {
    type: 'LineString',
    coordinates: [
      [1, 2],
      [3, 4],
    ],
  };
  assert.deepEqual(shapeOf(line), { ...NOTHING, lines: [[1, 2, 3, 4]] });
  const lines = { type: 'MultiLineString', coordinates: [line.coordinates, line.coordinates] };
  assert.deepEqual(shapeOf(lines), {
    ...NOTHING,
    lines: [
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ],
  });
  const polygon = { type: 'Polygon', coordinates: [RING, RING] };
  assert.deepEqual(shapeOf(polygon), { ...NOTHING, polygons: [[FLAT, FLAT]] });
  const polygons = { type: 'MultiPolygon', coordinates: [[RING], [RING]] };
  assert.deepEqual(shapeOf(polygons), { ...NOTHING, polygons: [[FLAT], [FLAT]] });
  const all = { type: 'GeometryCollection', geometries: [point, polygon] };
  assert.deepEqual(shapeOf(all), { ...NOTHING, points: [[139, 35]], polygons: [[FLAT, FLAT]] });
});

test('what is no geometry is refused with what was expected', () => {
  const wrong: Array<[unknown, RegExp]> = [
    [null, /intersects is .*null.*; expected a GeoJSON geometry/],
    ['POINT (1 2)', /intersects is .*POINT.*; expected a GeoJSON geometry/],
    [{ type: 'Feature' }, /intersects is .*Feature/],
    [{ type: 'Point', coordinates: [181, 0] }, /no pair of longitude and latitude/],
    [{ type: 'Point', coordinates: [0, -91] }, /no pair of longitude and latitude/],
    [{ type: 'Point', coordinates: ['1', 2] }, /no pair of longitude and latitude/],
    [{ type: 'Point', coordinates: [1, '2'] }, /no pair of longitude and latitude/],
    [{ type: 'Point', coordinates: [1, Number.NaN] }, /no pair/],
    [{ type: 'Point' }, /no list where its type has coordinates/],
    [{ type: 'LineString', coordinates: [[1, 2]] }, /a line or ring of 1 positions; expected at least 2\./],
    [{ type: 'Polygon', coordinates: [RING.slice(1)] }, /of 3 positions; expected at least 4\./],
    [{ type: 'Polygon', coordinates: [] }, /a polygon without a ring/],
    [{ type: 'GeometryCollection' }, /no list/],
  ];
  for (const [value, reason] of wrong) {
    assert.throws(() => searchedGeometry(value), { name: 'RangeError', message: reason });
  }
});

test('a geometry has a thousand positions and four collections in each other at most', () => {
  const points = (count: number) => ({ type: 'MultiPoint', coordinates: Array(count).fill([1, 2]) });
  assert.equal(searchedGeometry(points(1_000)).points.length, 1_000);
  assert.throws(() => searchedGeometry(points(1_001)), /more than 1000 positions/);
  const two = { type: 'GeometryCollection', geometries: [points(500), points(501)] };
  assert.throws(() => searchedGeometry(two), /more than 1000 positions/);
  const nested = (depth: number): object =>
    depth === 0 ? points(1) : { type: 'GeometryCollection', geometries: [nested(depth - 1)] };
  assert.equal(searchedGeometry(nested(4)).points.length, 1);
  assert.throws(() => searchedGeometry(nested(5)), /collections in collections more than 4 deep/);
});

test('a geometry meets a box that it shares an edge with', () => {
  const polygon = searchedGeometry({ type: 'Polygon', coordinates: [RING] });
  const meets = (west: number, south: number, east: number, north: number) =>
    meetsBounds(polygon, { west, south, east, north });
  assert.deepEqual(
    [meets(2, 1, 3, 1.5), meets(2.1, 1, 3, 1.5), meets(1.4, 0.5, 1.5, 0.6)],
    [true, false, true],
  );
});
