import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crsOf } from './crs.ts';

test('every spelling of an EPSG code is read', () => {
  for (const name of [
    'EPSG:6697',
    'epsg:6697',
    'urn:ogc:def:crs:EPSG::6697',
    'urn:ogc:def:crs:EPSG:9.9.1:6697',
    'http://www.opengis.net/def/crs/EPSG/0/6697',
    'https://www.opengis.net/def/crs/EPSG/0/6697',
    'http://www.opengis.net/gml/srs/epsg.xml#6697',
  ]) {
    assert.equal(crsOf(name)?.epsg, 6697, name);
    assert.equal(crsOf(name)?.dimension, 3, name);
  }
  assert.equal(crsOf('EPSG:6668')?.dimension, 2);
  assert.equal(crsOf('urn:ogc:def:crs,crs:EPSG::6668,crs:EPSG::6695')?.dimension, 3);
  assert.deepEqual(crsOf('EPSG:6697')?.toLngLat(35, 139), [139, 35]);
});

test('names of other systems are null', () => {
  for (const name of [
    '',
    'EPSG:',
    'EPSG:27700',
    'EPSG:66970',
    'EPSG:10175',
    'CRS:84',
    '6697',
    'x'.repeat(1e5),
  ]) {
    assert.equal(crsOf(name), null, name.slice(0, 40));
  }
});

test('the origin of each plane system maps to its longitude and latitude', () => {
  const origins: Array<[zone: number, lat: number, lng: number]> = [
    [1, 33, 129.5],
    [6, 36, 136],
    [8, 36, 138.5],
    [9, 36, 139 + 50 / 60],
    [13, 44, 144.25],
    [15, 26, 127.5],
    [18, 20, 136],
    [19, 26, 154],
  ];
  for (const [zone, lat, lng] of origins) {
    const codes = [2443 + zone - 1, 6669 + zone - 1, ...(zone <= 13 ? [10162 + zone - 1] : [])];
    for (const epsg of codes) {
      const crs = crsOf(`EPSG:${epsg}`);
      assert.ok(crs, `EPSG:${epsg}`);
      assert.equal(crs.dimension, epsg >= 10162 ? 3 : 2);
      const [x, y] = crs.toLngLat(0, 0);
      assert.ok(Math.abs(x - lng) < 1e-9 && Math.abs(y - lat) < 1e-9, `EPSG:${epsg} ${x} ${y}`);
    }
  }
});

test('northing comes before easting, and distances are those of the ellipsoid', () => {
  const crs = crsOf('EPSG:10169')!;
  const [lng, lat] = crs.toLngLat(-100_000, 30_000);
  assert.ok(lat > 35.0 && lat < 35.2, `${lat}`);
  assert.ok(lng > 138.8 && lng < 138.9, `${lng}`);
  // Meridian arc of GRS 80 from 36° to 35°: 110,956 m, times the scale factor.
  const [, south] = crs.toLngLat(-110_956 * 0.9999, 0);
  assert.ok(Math.abs(south - 35) < 2e-4, `${south}`);
});
