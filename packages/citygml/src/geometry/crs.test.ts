import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crsOf, epsgCodesOf, isBuiltIn, isSenseless, LOCAL_CRS, turned } from './crs.ts';

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
    'EPSG:32800',
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
    [25_837, 39],
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
    ['DE_DHDN_3GK2', [31_466]],
    ['DE_DHDN_3GK2_NW101', [31_466]],
    ['DE_DHDN_3GK4*DE_DHHN92_NH', [31_468, 5_783]],
    ['DE_DHDN_3GK5*DE_DHN92_NH', [31_469, 5_783]],
    ['DE_RD-83_3GK4*DE_DHHN2016_NH', [3_398, 7_837]],
    ['DE_PD-83_3GK3*DE_DHHN85_NOH', [3_396, 5_784]],
    ['DE_42-83_3GK4*DE_SNN76_NH', [2_398, 5_785]],
    ['ETRS89_Lat-Lon-h', [4_937]],
    ['DE_DHDN_3GK6', []],
    ['DE_DHDN_3GK2_NW101x', []],
    ['ETRS89_UTM34', []],
    ['ETRS89_UTM32*DE_OTHER_NH', []],
  ] as const) {
    assert.deepEqual(epsgCodesOf(`urn:adv:crs:${name}`), codes, name);
  }
});

test('systems with a central meridian lead there, and no code beside them is known', () => {
  for (const [epsg, first, second, lng, neighbours] of [
    [5_554, 500_000, 0, 3, [5_553, 5_557]],
    [5_555, 500_000, 0, 9, []],
    [5_556, 500_000, 0, 15, []],
    [31_254, 0, 0, 10 + 1 / 3, []],
    [31_255, 0, 0, 13 + 1 / 3, []],
    [31_256, 0, 0, 16 + 1 / 3, []],
    [25_828, 500_000, 0, -15, [25_827]],
    [25_837, 500_000, 0, 39, [25_839]],
  ] as const) {
    const [x] = crsOf(`EPSG:${epsg}`)!.toLngLat(first, second);
    // Between the datums of Austria and of the world lie some dozen metres.
    assert.ok(Math.abs(x - lng) < (epsg > 31_000 ? 2e-3 : 1e-9), `${epsg} ${x}`);
    for (const other of neighbours) assert.equal(crsOf(`EPSG:${other}`), null, `${other}`);
  }
  for (const none of [32_600, 32_700, 32_801, 10_161]) {
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

/**
 * By PROJ 9.5.1 without grids (`pyproj`), in the order of the registry; Soldner and Gauss-Krüger with easting first, as
 * they are delivered.
 */
const ABROAD: ReadonlyArray<
  readonly [epsg: number, first: number, second: number, lng: number, lat: number]
> = [
  [3068, 23_183.878, 21_048.041, 13.377704, 52.516275], // DHDN / Soldner Berlin
  [31_466, 2_567_375.657, 5_645_553.885, 6.958, 50.9413], // DHDN / 3-degree Gauss-Kruger zone 2
  [31_467, 3_513_518.769, 5_404_271.044, 9.1829, 48.7758], // DHDN / 3-degree Gauss-Kruger zone 3
  [31_468, 4_468_513.363, 5_333_328.03, 11.5755, 48.1372], // DHDN / 3-degree Gauss-Kruger zone 4
  [31_469, 5_411_595.314, 5_658_005.965, 13.7373, 51.0504], // DHDN / 3-degree Gauss-Kruger zone 5
  [5677, 3_513_518.769, 5_404_271.044, 9.1829, 48.7758], // DHDN / 3-degree Gauss-Kruger zone 3 (E-N)
  [5678, 4_468_513.363, 5_333_328.03, 11.5755, 48.1372], // DHDN / 3-degree Gauss-Kruger zone 4 (E-N)
  [25_833, 389_918.042, 5_819_699.132, 13.377704, 52.516275], // ETRS89 / UTM zone 33N
  [5243, -35_065.431, 119.223, 10.0, 51.0], // ETRS89 / LCC Germany (E-N)
  [28_992, 121_842.114, 487_358.54, 4.9003, 52.3731], // Amersfoort / RD New
  [31_370, 148_799.08, 170_688.564, 4.3517, 50.8466], // BD72 / Belgian Lambert 72
  [31_256, 341_122.703, 3044.761, 16.3731, 48.2085], // MGI / Austria GK East
  [31_287, 483_218.494, 625_870.061, 16.3731, 48.2085], // MGI / Austria Lambert
  [3301, 6_589_053.293, 542_292.154, 24.7453, 59.4372], // Estonian Coordinate System of 1997
  [3059, 311_780.575, 506_399.312, 24.1052, 56.9496], // LKS-92 / Latvia TM
  [3346, 6_061_948.683, 582_510.367, 25.2797, 54.6872], // LKS94 / Lithuania TM
  [5514, -742_841.281, -1_043_004.623, 14.4208, 50.0875], // S-JTSK / Krovak East North
  [3794, 461_760.739, 102_018.972, 14.5058, 46.0569], // Slovenia 1996 / Slovene National Grid
  [3765, 459_736.762, 5_075_146.257, 15.9819, 45.815], // HTRS96 / Croatia TM
  [23_700, 649_454.155, 239_329.411, 19.0402, 47.4979], // HD72 / EOV
  [2180, 486_757.209, 637_382.204, 21.0122, 52.2297], // ETRF2000-PL / CS92
  [2178, 5_788_456.487, 7_500_833.512, 21.0122, 52.2297], // ETRF2000-PL / CS2000/21
  [3006, 6_580_743.008, 674_571.866, 18.0686, 59.3293], // SWEREF99 TM
  [3879, 6_673_003.607, 25_496_580.36, 24.9384, 60.1699], // ETRS89 / GK25FIN
  [25_830, 440_290.458, 4_474_257.382, -3.7038, 40.4168], // ETRS89 / UTM zone 30N
  [3763, -87_503.439, -104_538.892, -9.1393, 38.7223], // ETRS89 / Portugal TM06
  [2100, 475_920.265, 4_203_764.699, 23.7275, 37.9838], // GGRS87 / Greek Grid
  [3003, 1_514_881.491, 5_034_556.812, 9.19, 45.4642], // Monte Mario / Italy zone 1
  [6707, 5_034_536.796, 514_853.496, 9.19, 45.4642], // RDN2008 / UTM zone 32N (N-E)
  [2169, 75_219.841, 77_215.875, 6.1296, 49.6116], // LUREF / Luxembourg TM
  [2157, 715_826.507, 734_697.593, -6.2603, 53.3498], // IRENET95 / Irish Transverse Mercator
  [27_700, 530_269.902, 179_640.717, -0.1246, 51.5007], // OSGB36 / British National Grid
  [2193, 5_920_214.564, 1_757_311.331, 174.7645, -36.8509], // NZGD2000 / New Zealand Transverse Mercator 2000
  [7856, 334_900.57, 6_252_288.753, 151.2153, -33.8568], // GDA2020 / MGA zone 56
  [26_918, 580_735.871, 4_504_695.165, -74.0445, 40.6892], // NAD83 / UTM zone 18N
  [32_119, 642_310.114, 225_206.992, -78.6382, 35.7796], // NAD83 / North Carolina
  [2950, 299_540.761, 5_040_198.767, -73.5673, 45.5017], // NAD83(CSRS) / MTM zone 8
  [5186, 551_885.031, 198_056.367, 126.978, 37.5665], // KGD2002 / Central Belt 2010
  [3826, 306_965.671, 2_769_628.994, 121.5645, 25.0337], // TWD97 / TM2 zone 121
  [2326, 820_032.934, 835_497.921, 114.1694, 22.3193], // Hong Kong 1980 Grid System
  [3414, 29_537.387, 31_047.326, 103.8607, 1.2834], // SVY21 / Singapore TM
  [5972, 597_979.903, 6_643_118.991, 10.7522, 59.9139], // ETRS89 / UTM zone 32N + NN2000 height
  [31_983, 687_394.593, 7_465_634.128, -43.1729, -22.9068], // SIRGAS 2000 / UTM zone 23S
  [6372, 829_057.519, 2_800_163.326, -99.1332, 19.4326], // Mexico ITRF2008 / LCC
  [32_643, 715_980.294, 3_167_204.82, 77.209, 28.6139], // WGS 84 / UTM zone 43N
];

test('systems of the registry lead within 3 m of where PROJ finds their positions', () => {
  for (const [epsg, first, second, lng, lat] of ABROAD) {
    const crs = crsOf(`urn:ogc:def:crs:EPSG::${epsg}`);
    assert.ok(crs !== null, `EPSG:${epsg}`);
    const [x, y] = crs.toLngLat(first, second);
    const off = Math.hypot((x - lng) * Math.cos((lat * Math.PI) / 180), y - lat) * 111_320;
    assert.ok(off < 3, `EPSG:${epsg} is ${off} m off`);
    const [east, north] = crs.toPlane(x, y);
    const back = crs.northFirst ? [north, east] : [east, north];
    assert.ok(Math.hypot(back[0]! - first, back[1]! - second) < 0.01, `EPSG:${epsg}: ${back}`);
    assert.equal(crs.dimension, 3);
  }
});

test('degrees of other datums lead to those of WGS 84, in either order', () => {
  // The Brandenburg Gate in DHDN (PROJ): 190 m from where the same degrees are in WGS 84.
  const crs = crsOf('EPSG:4314')!;
  const degrees = [52.5176852, 13.3794507] as const;
  for (const [lng, lat] of [crs.toLngLat(...degrees), turned(crs).toLngLat(degrees[1], degrees[0])]) {
    assert.ok(Math.abs(lng - 13.377704) < 2e-5 && Math.abs(lat - 52.516275) < 2e-5, `${lng} ${lat}`);
  }
  assert.equal(crs.geographic, true);
});

test('metres in the other order are read where the area of use tells them apart', () => {
  for (const [epsg, tells] of [
    [25_832, true],
    [31_468, true],
    [3_879, true],
    [3_006, true],
    [28_992, true],
    [2_180, false],
    [3_068, false],
  ] as const) {
    const crs = crsOf(`EPSG:${epsg}`)!;
    const [, first, second] = ABROAD.find(([code]) => code === epsg) ?? [0, 356_556, 5_645_320];
    const [place, other] = [crs.toLngLat(first, second), crs.toLngLat(second, first)];
    const distance = Math.hypot(place[0] - other[0], place[1] - other[1]);
    assert.equal(distance < 1e-9, tells, `EPSG:${epsg}: ${place}, ${other}`);
    assert.notEqual(crs.isOtherOrder?.(first, second), true);
    // Of Gauss-Krüger neither order is odd.
    assert.equal(crs.isOtherOrder?.(second, first) ?? false, tells && epsg !== 31_468);
  }
});

test('a code for a system of two is that of its parts, and plus signs join codes', () => {
  for (const [name, codes] of [
    ['EPSG:7415', [28_992, 5_709]],
    ['http://www.opengis.net/def/crs/EPSG/0/5555', [25_832, 5_783]],
    ['EPSG:25832+7837', [25_832, 7_837]],
    ['EPSG:25832+EPSG:7837', [25_832, 7_837]],
    ['urn:ogc:def:crs,crs:EPSG:6.12:3068,crs:EPSG:6.12:5783', [3_068, 5_783]],
    [
      'http://www.opengis.net/def/crs-compound?1=http://www.opengis.net/def/crs/EPSG/0/25832&2=http:/' +
        '/www.opengis.net/def/crs/EPSG/0/7837',
      [25_832, 7_837],
    ],
  ] as const) {
    assert.deepEqual(epsgCodesOf(name), codes, name);
    assert.equal(crsOf(name)?.dimension, 3, name);
  }
  assert.deepEqual(epsgCodesOf('tel:+6697'), []);
  assert.equal(crsOf('EPSG:7415')!.epsg, 7_415);
  // Japan's own are one.
  assert.deepEqual(epsgCodesOf('EPSG:6697'), [6_697]);
});

test('plane systems with heights of JGD2024 are those of JGD2011 on the map', () => {
  const zones = [11319, 11320, 11321, 11322, 11323, 11324, 11325, 11326, 11327, 11328, 11329, 11330, 11333];
  zones.push(11336, 11434, 11442, 11443, 11444, 11445);
  for (const [i, epsg] of zones.entries()) {
    const zone = i + 1;
    const revised = crsOf(`http://www.opengis.net/def/crs/EPSG/0/${epsg}`)!;
    const before = crsOf(`EPSG:${6669 + zone - 1}`)!;
    assert.equal(revised.dimension, 3);
    assert.deepEqual(epsgCodesOf(`EPSG:${epsg}`), [6669 + zone - 1, 11317]);
    assert.deepEqual(revised.toLngLat(-35_000, 12_000), before.toLngLat(-35_000, 12_000));
  }
  for (const epsg of [11331, 11332, 11334, 11337, 11433, 11441, 11446])
    assert.equal(crsOf(`EPSG:${epsg}`), null);
});

test('metres from a point of their own stay as they are', () => {
  const { toLngLat, toPlane, ...facts } = LOCAL_CRS;
  assert.deepEqual(facts, { epsg: 0, dimension: 3, geographic: false, northFirst: false });
  assert.deepEqual(
    [toLngLat(1, 2), toPlane(3, 4)],
    [
      [1, 2],
      [3, 4],
    ],
  );
});

test('degrees are senseless where no city lies: beyond 75 north, 60 south and the antimeridian', () => {
  for (const [lat, lng] of [
    [75, 0],
    [-60, 0],
    [0, 180],
    [0, -180],
  ] as const) {
    assert.equal(isSenseless(lat, lng), false, `${lat} ${lng}`);
  }
  for (const [lat, lng] of [
    [75.01, 0],
    [-60.01, 0],
    [0, 180.01],
    [0, -180.01],
    [Number.NaN, 0],
    [0, Number.NaN],
  ] as const) {
    assert.equal(isSenseless(lat, lng), true, `${lat} ${lng}`);
  }
});

test('a run of plane systems ends with its last zone', () => {
  // What comes before the second run is a geographic system of Japan.
  for (const [first, last, before] of [
    [2_443, 2_461, false],
    [6_669, 6_687, true],
    [10_162, 10_174, false],
  ] as const) {
    assert.deepEqual(
      [first - 1, first, last, last + 1].map(isBuiltIn),
      [before, true, true, false],
      `${first}`,
    );
  }
  assert.equal(isBuiltIn(6_697), true);
});

test('a geographic system turns around, and a projected one stays', () => {
  const geographic = crsOf('EPSG:6697')!;
  const other = turned(geographic);
  assert.deepEqual([other.northFirst, other.toLngLat(139, 35)], [!geographic.northFirst, [139, 35]]);
  const plane = crsOf('EPSG:6677')!;
  assert.equal(turned(plane), plane);
});
