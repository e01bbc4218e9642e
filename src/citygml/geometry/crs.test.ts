import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crsOf, epsgCodesOf } from './crs.ts';

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
  for (const epsg of [4258, 6668, 4612, 4326]) assert.equal(crsOf(`EPSG:${epsg}`)?.dimension, 2, `${epsg}`);
  for (const epsg of [11_318, 6667, 4979, 4947, 4937])
    assert.equal(crsOf(`EPSG:${epsg}`)?.dimension, 3, `${epsg}`);
  assert.equal(crsOf('urn:ogc:def:crs,crs:EPSG::6668,crs:EPSG::6695')?.dimension, 3);
  assert.deepEqual(crsOf('EPSG:6697')?.toLngLat(35, 139), [139, 35]);
});

test('names of other systems are null', () => {
  for (const name of [
    '',
    'EPSG:',
    'EPSG:27701',
    'EPSG:32661',
    'EPSG:32600',
    'EPSG:66970',
    'EPSG:10175',
    'urn:ogc:def:crs,crs:EPSG::6668,crs:EPSG::6695,crs:EPSG::6696',
    'CRS:84',
    '6697',
    'x'.repeat(1e5),
  ]) {
    assert.equal(crsOf(name), null, name.slice(0, 40));
  }
});

test('a name is read up to 500 characters', () => {
  const name = 'http://www.opengis.net/def/crs/EPSG/0/6697';
  assert.equal(crsOf(name.padEnd(500, '#'))?.epsg, 6697);
  assert.equal(crsOf(name.padEnd(501, '#')), null);
});

test('the first and the last zone of each run lead to their meridian', () => {
  for (const [epsg, lng] of [
    [25_828, -15],
    [25_838, 45],
    [32_601, -177],
    [32_660, 177],
    [32_701, -177],
    [32_760, 177],
  ] as const) {
    const [x] = crsOf(`EPSG:${epsg}`)!.toLngLat(500_000, 5_000_000);
    assert.ok(Math.abs(x - lng) < 1e-9, `${epsg} ${x}`);
  }
});

test('the origin of each plane system maps to its longitude and latitude', () => {
  const origins: Array<[zone: number, lat: number, lng: number]> = [
    [1, 33, 129.5],
    [2, 33, 131],
    [3, 36, 132 + 1 / 6],
    [4, 33, 133.5],
    [5, 36, 134 + 1 / 3],
    [6, 36, 136],
    [7, 36, 137 + 1 / 6],
    [8, 36, 138.5],
    [9, 36, 139 + 5 / 6],
    [10, 40, 140 + 5 / 6],
    [11, 44, 140.25],
    [12, 44, 142.25],
    [13, 44, 144.25],
    [14, 26, 142],
    [15, 26, 127.5],
    [16, 26, 124],
    [17, 26, 131],
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

test('projected systems of other countries lead to known places', () => {
  const places: Array<[srsName: string, first: number, second: number, lng: number, lat: number]> = [
    // The cathedral of Cologne, in three of the systems that it may be delivered in.
    ['EPSG:25832', 356_556, 5_645_320, 6.9583, 50.9413],
    ['urn:adv:crs:ETRS89_UTM32*DE_DHHN2016_NH', 356_556, 5_645_320, 6.9583, 50.9413],
    ['EPSG:4647', 32_356_556, 5_645_320, 6.9583, 50.9413],
    // The tower of Amersfoort is the origin of the Dutch system.
    ['EPSG:28992', 155_000, 463_000, 5.3872, 52.1552],
    ['EPSG:7415', 155_000, 463_000, 5.3872, 52.1552],
    // The old observatory of Bern is the origin of the Swiss one.
    ['EPSG:2056', 2_600_000, 1_200_000, 7.4386, 46.9511],
    ['EPSG:21781', 600_000, 200_000, 7.4386, 46.9511],
    ['EPSG:3812', 649_328, 665_262, 4.3592, 50.7978],
    ['EPSG:2154', 700_000, 6_600_000, 3, 46.5],
    ['EPSG:3067', 500_000, 0, 27, 0],
    ['EPSG:3857', 20_037_508.34 / 2, 0, 90, 0],
    // Axis order of the registry: northing first.
    ['EPSG:3879', 0, 25_500_000, 25, 0],
    ['EPSG:3006', 0, 500_000, 15, 0],
    ['EPSG:2180', -5_300_000, 500_000, 19, 0],
    ['EPSG:3035', 3_210_000, 4_321_000, 10, 52],
    ['EPSG:3414', 38_744.572, 28_001.642, 103.8333, 1.3667],
    ['EPSG:32633', 500_000, 0, 15, 0],
    ['EPSG:32733', 500_000, 10_000_000, 15, 0],
    // Greenwich, within the metres of the transformation.
    ['EPSG:27700', 538_890, 177_320, -0.0015, 51.4779],
  ];
  for (const [name, first, second, lng, lat] of places) {
    const found = crsOf(name)!.toLngLat(first, second);
    assert.equal(crsOf(name)!.dimension, 3, name);
    assert.ok(Math.abs(found[0] - lng) < 0.002 && Math.abs(found[1] - lat) < 0.001, `${name}: ${found}`);
  }
});

test('Gauss-Krüger positions are read in either order', () => {
  for (const [epsg, zone, lng] of [
    [31_466, 2, 6],
    [31_467, 3, 9],
    [31_468, 4, 12],
  ] as const) {
    const crs = crsOf(`EPSG:${epsg}`)!;
    const easting = zone * 1_000_000 + 500_000;
    assert.deepEqual(crs.toLngLat(easting, 5_600_000), crs.toLngLat(5_600_000, easting));
    assert.ok(Math.abs(crs.toLngLat(easting, 5_600_000)[0] - lng) < 0.01, `${epsg}`);
  }
});

test('a compound name has heights, whatever its horizontal part', () => {
  const dimension = (...codes: number[]) =>
    crsOf(`urn:ogc:def:crs,${codes.map((code) => `crs:EPSG::${code}`).join()}`)?.dimension;
  assert.deepEqual(
    [dimension(6677, 6695), dimension(6677), dimension(6668, 6695), dimension(6668), dimension(25_832)],
    [3, 2, 3, 2, 3],
  );
});

test('names of the German surveying administrations stand for their codes', () => {
  for (const [name, codes] of [
    ['ETRS89_UTM31', [25_831]],
    ['ETRS89_UTM33*DE_DHHN92_NH', [25_833, 5_783]],
    ['etrs89_utm32*de_dhhn2016_nh', [25_832, 7_837]],
    ['ETRS89_UTM34', []],
    ['ETRS89_UTM32*DE_OTHER_NH', []],
  ] as const) {
    assert.deepEqual(epsgCodesOf(`urn:adv:crs:${name}`), codes, name);
  }
});

test('systems with a central meridian lead there, and no code beside them is known', () => {
  for (const [epsg, first, second, lng, neighbours] of [
    [5_554, 500_000, 0, 3, [5_553]],
    [5_555, 500_000, 0, 9, []],
    [5_556, 500_000, 0, 15, [5_557]],
    [31_254, 0, 0, 10 + 1 / 3, [31_253]],
    [31_255, 0, 0, 13 + 1 / 3, []],
    [31_256, 0, 0, 16 + 1 / 3, [31_257]],
    [25_828, 500_000, 0, -15, [25_827]],
    [25_838, 500_000, 0, 45, [25_839]],
  ] as const) {
    const [x] = crsOf(`EPSG:${epsg}`)!.toLngLat(first, second);
    // Between the datums of Austria and of the world lie some dozen metres.
    assert.ok(Math.abs(x - lng) < (epsg > 31_000 ? 2e-3 : 1e-9), `${epsg} ${x}`);
    for (const other of neighbours) assert.equal(crsOf(`EPSG:${other}`), null, `${other}`);
  }
  for (const none of [32_600, 32_661, 32_700, 32_761, 32_801, 2_442, 6_688, 10_161]) {
    assert.equal(crsOf(`EPSG:${none}`), null, `${none}`);
  }
});

test('every system leads from a place on its plane and back', () => {
  for (const [epsg, lng, lat, northFirst] of [
    [6697, 139.7, 35.6, true],
    [4326, 139.7, 35.6, true],
    [2_451, 139.7, 35.6, true],
    [6_677, 139.7, 35.6, true],
    [10_170, 139.7, 35.6, true],
    [25_832, 9.5, 51, false],
    [32_633, 15.5, 51, false],
    [32_733, 15.5, -21, false],
    [28_992, 5.4, 52.1, false],
    [4_647, 9.5, 51, false],
    [5_555, 9.5, 51, false],
    [31_467, 9.5, 51, false],
    [31_255, 13.4, 47, true],
    [2_056, 7.5, 47, false],
    [21_781, 7.5, 47, false],
    [3_812, 4.4, 50.8, false],
    [2_154, 3.1, 46.6, false],
    [3_035, 10.1, 52.1, true],
    [3_067, 27.1, 61, false],
    [3_879, 25.1, 60.1, true],
    [3_006, 15.1, 59, true],
    [2_180, 19.1, 52, true],
    [27_700, -1.5, 52, false],
    [3_414, 103.8, 1.3, true],
    [3_857, 10, 50, false],
  ] as const) {
    const crs = crsOf(`EPSG:${epsg}`)!;
    assert.equal(crs.epsg, epsg);
    assert.equal(crs.northFirst, northFirst, `${epsg}`);
    const [east, north] = crs.toPlane(lng, lat);
    const back = northFirst ? crs.toLngLat(north, east) : crs.toLngLat(east, north);
    assert.ok(Math.abs(back[0] - lng) < 1e-7 && Math.abs(back[1] - lat) < 1e-7, `${epsg}: ${back}`);
    assert.equal(crs.geographic, epsg === 6697 || epsg === 4326);
  }
});
