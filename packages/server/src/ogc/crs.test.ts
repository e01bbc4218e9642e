import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CRS_LIST, crsNamed, inCrs } from './crs.ts';
import { boxRegion } from './searched-place.ts';

test('positions come back from every system to less than a millimetre', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CRS_LIST),
      fc.double({ min: 129, max: 145, noNaN: true }),
      fc.double({ min: 26, max: 45, noNaN: true }),
      (crs, lng, lat) => {
        // Far from its origin a plane system is not used, and loses digits.
        fc.pre(crs.epsg === null || crs.epsg < 6669 || Math.abs(crs.fromLngLat(lng, lat)[1]) < 5e5);
        const [back, north] = crs.toLngLat(...crs.fromLngLat(lng, lat));
        assert.ok(Math.abs(back - lng) < 1e-8 && Math.abs(north - lat) < 1e-8);
      },
    ),
  );
});

test('axes have the order of the registry', () => {
  // Tokyo Station, from a table of the Geospatial Information Authority's converter, zone IX.
  const tokyo = crsNamed('EPSG:6677', 'crs').fromLngLat(139.767125, 35.681236);
  assert.ok(tokyo[0] < -35_000 && tokyo[0] > -36_000, `northing ${tokyo[0]}`);
  assert.ok(tokyo[1] < -5_900 && tokyo[1] > -6_100, `easting ${tokyo[1]}`);
  assert.deepEqual(
    crsNamed('http://www.opengis.net/def/crs/EPSG/0/6697', 'crs').fromLngLat(139, 35),
    [35, 139],
  );
  assert.deepEqual(inCrs({ type: 'Point', coordinates: [139, 35] }, crsNamed('EPSG:6697', 'crs'), 7), {
    type: 'Point',
    coordinates: [35, 139, 7],
  });
  const [x, y] = crsNamed('EPSG:3857', 'crs').fromLngLat(180, 85.0511287798);
  assert.ok(Math.abs(x - 20037508.3428) < 1e-3 && Math.abs(y - 20037508.3428) < 1e-2);
});

test('systems have several names, and others are refused', () => {
  for (const name of [
    'https://www.opengis.net/def/crs/EPSG/0/6697',
    'urn:ogc:def:crs:EPSG::6697',
    '[EPSG:6697]',
    'EPSG:6697',
  ])
    assert.equal(crsNamed(name, 'crs').epsg, 6697);
  for (const name of ['http://www.opengis.net/def/crs/OGC/0/CRS84h', 'urn:ogc:def:crs:OGC:1.3:CRS84'])
    assert.equal(crsNamed(name, 'crs').epsg, null);
  for (const name of ['', '6697', 'EPSG:1', 'EPSG:66970', 'x'.repeat(1e6)])
    assert.throws(() => crsNamed(name, 'crs'), RangeError);
});

test('boxes of plane systems are their curved edges in degrees', () => {
  const crs = crsNamed('EPSG:6674', 'bbox-crs');
  const [south, west] = crs.fromLngLat(135.4, 34.6);
  const region = boxRegion([south, west, south + 1_000, west + 1_000], crs);
  const inside = crs.toLngLat(south + 500, west + 1);
  const outside = crs.toLngLat(south + 500, west - 1);
  const meets = ([lng, lat]: [number, number]) =>
    region.meets(
      { points: [Float64Array.of(lng, lat)], lines: [], polygons: [], altitudes: null },
      { west: lng, east: lng, south: lat, north: lat },
    );
  assert.deepEqual([meets(inside), meets(outside)], [true, false]);
});

test('boxes go over the meridian of 180 degrees', () => {
  const { searchBoxes } = boxRegion([170, 10, -170, 20], CRS_LIST[0]!);
  assert.deepEqual(
    searchBoxes.map(({ west, east }) => [west, east]),
    [
      [170, 180],
      [-180, -170],
    ],
  );
  for (const numbers of [
    [1, 2, 3],
    [1, 5, 3, 4],
    [1, 2, 9, 3, 4, 8],
    [0, 0, 0, 91],
    [Number.NaN, 0, 1, 1],
  ])
    assert.throws(() => boxRegion(numbers, CRS_LIST[0]!), RangeError);
});

test('boxes in degrees may cross 180 degrees, others have their second corner above the first', () => {
  for (const name of [
    'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
    'EPSG:4326',
    'EPSG:6668',
    'EPSG:6697',
    'EPSG:3857',
    'EPSG:6677',
  ]) {
    const crs = crsNamed(name, 'bbox-crs');
    const box = (west: number, south: number, east: number, north: number) => () =>
      boxRegion([...crs.fromLngLat(west, south), ...crs.fromLngLat(east, north)], crs);
    const isDegrees = !['EPSG:3857', 'EPSG:6677'].includes(name);
    const fault = isDegrees ? /south > north; expected/ : /second corner below the first/;
    assert.throws(box(139, 36, 140, 35), fault, name);
    assert.doesNotThrow(box(139, 35, 140, 36), name);
    if (isDegrees) assert.doesNotThrow(box(140, 35, 139, 36), name);
    else assert.throws(box(140, 35, 139, 36), fault, name);
  }
});
