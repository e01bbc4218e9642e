/** What the portal's addresses, classes and requests take up to their limits, and not beyond. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sizeOf } from '../packages/portal/src/core/feature-query.ts';
import { fileBounds, type GmlFile, groupBy } from '../packages/portal/src/core/files.ts';
import { licenceClaim } from '../packages/portal/src/core/licence.ts';
import { PARAMETERS } from '../packages/portal/src/core/parameters.ts';
import { prefectureName } from '../packages/portal/src/core/prefectures.ts';
import { INITIAL, MOST_AREAS, MOST_MODELS_BESIDE } from '../packages/portal/src/core/state.ts';
import { coverageFilter } from '../packages/portal/src/core/summary.ts';
import { GROUND_ZOOM } from '../packages/portal/src/map/base-layers.ts';
import { classOf } from '../packages/portal/src/map/classes.ts';
import { separateBoxes } from '../packages/portal/src/map/condition-place.ts';
import { baseArea, coveragePath } from '../packages/portal/src/map/coverage-path.ts';
import { firstBounds, MAIN_ISLANDS } from '../packages/portal/src/map/first-view.ts';
import { FINE_ZOOM, MESH_ZOOM } from '../packages/portal/src/map/map-style.ts';
import { city } from './support/portal-rows.ts';

describe('parameters of an address', () => {
  const named = (name: string) => PARAMETERS.find((one) => one.name === name)!;
  const read = (name: string, text: string) => {
    const parameter = named(name);
    const found = parameter.read(text);
    return found === null ? null : found[parameter.key];
  };

  test('that are numbers have ends, which belong to them', () => {
    for (const [name, low, high, value, written] of [
      ['sun', 0, 24, 12.346, '12.35'],
      ['cut', 0, 1_000, 7.26, '7.3'],
      ['older', 1900, 2999, 2020, '2020'],
      ['border', 0, 100, 33.36, '33.4'],
    ] as const) {
      const { key, write } = named(name);
      assert.deepEqual([read(name, `${low}`), read(name, ` ${high} `)], [low, high], name);
      for (const text of [`${low - 1}`, `${high + 1}`, '', '  ', 'x', `${low},${high}`])
        assert.equal(read(name, text), null, `${name} ${text}`);
      assert.equal(write({ ...INITIAL, [key]: value }), written);
      assert.equal(write({ ...INITIAL, [key]: null }), null);
    }
  });

  test('that are places lie in the world, and are written to a metre or less', () => {
    for (const [name, digits] of [
      ['at', [5, 5, 2]],
      ['hit', [6, 6]],
      ['camera', [6, 6, 1, 1, 1]],
    ] as const) {
      const { key, write } = named(name);
      const values = digits.map((_, i) => (i === 0 ? 139.123456789 : i === 1 ? 35.987654321 : 5.6789));
      const written = values.map((value, i) => Number(value.toFixed(digits[i]!)));
      assert.equal(write({ ...INITIAL, [key]: values }), written.join());
      assert.deepEqual(read(name, written.join()), written);
      const rest = digits.slice(2).map(() => 1);
      for (const [lng, lat, isPlace] of [
        [180, 90, true],
        [-180, -90, true],
        [180.1, 0, false],
        [0, -90.1, false],
        [Number.NaN, 0, false],
      ] as const)
        assert.equal(read(name, [lng, lat, ...rest].join()) !== null, isPlace, `${name} ${lng} ${lat}`);
      for (const text of [written.slice(1).join(), [...written, 1].join()])
        assert.equal(read(name, text), null);
    }
  });

  test('that are lists keep as many as there may be, and tell the rest', () => {
    for (const [name, separator, most, entry] of [
      ['area', '~', MOST_AREAS, (n: number) => `b:${n}`],
      ['also', ',', MOST_MODELS_BESIDE, (n: number) => `m${n}`],
      ['opacity', ',', MOST_MODELS_BESIDE + 2, (n: number) => `m${n}:5`],
    ] as const) {
      const entries = Array.from({ length: most + 2 }, (_, n) => entry(n));
      assert.deepEqual(read(name, entries.join(separator)), entries.slice(0, most), name);
      assert.deepEqual(named(name).rest(entries.join(separator)), entries.slice(most));
      assert.deepEqual(named(name).rest(entries.slice(0, most).join(separator)), []);
    }
    assert.deepEqual([MOST_AREAS, MOST_MODELS_BESIDE], [20, 6]);
    assert.deepEqual(read('opacity', 'a:0,b:99,c:100,d:05,:1,e'), ['a:0', 'b:99']);
  });
});

test('a licence is named up to the length of a sentence', () => {
  const long = `${'x'.repeat(54)} CC BY`;
  assert.equal(long.length, 60);
  assert.deepEqual(licenceClaim(long), { licence: long, isOpen: true });
  assert.deepEqual(licenceClaim(`x${long}`), { licence: null, isOpen: false });
  assert.deepEqual(licenceClaim(null), { licence: null, isOpen: false });
});

test('a prefecture is that of the first two digits of a code', () => {
  assert.deepEqual([prefectureName('13', 'ja'), prefectureName('13101', 'ja')], ['東京都', '東京都']);
  assert.equal(prefectureName('47201', 'ja'), '沖縄県');
  assert.equal(prefectureName('48201', 'ja'), '');
});

test('files lie where their features do, else in their mesh', () => {
  const file = (code: string, bbox: GmlFile['bbox'] = null) => ({ code, bbox }) as GmlFile;
  assert.deepEqual(fileBounds(file('53394509', [1, 2, 3, 4])), { west: 1, south: 2, east: 3, north: 4 });
  assert.ok(fileBounds(file('53394509'))!.west > 139);
  assert.equal(fileBounds(file('city')), null);
  const files = ['b', 'a', 'b'].map((type, n) => ({ type, n }) as never);
  assert.deepEqual(
    [...groupBy(files, ({ type }) => type)],
    [
      ['b', [files[0], files[2]]],
      ['a', [files[1]]],
    ],
  );
});

test('sizes are told of formats and answers that have one', () => {
  const bytes = { geojson: 3, csv: 2, flatgeobuf: 1 };
  assert.deepEqual([sizeOf(bytes, 'csv'), sizeOf(bytes, 'geojson'), sizeOf(bytes, 'flatgeobuf')], [2, 3, 1]);
  assert.deepEqual([sizeOf(bytes, 'geoparquet'), sizeOf(null, 'csv')], [null, null]);
});

test('classes go from little to much, and nothing beyond', () => {
  const content = { maxLod: null, types: 1, year: 2024 };
  const lods = [null, 0, 1, 2, 3, 4, 5].map((maxLod) => classOf({ ...content, maxLod }, 'lod', 2024));
  assert.deepEqual(lods, [0, 0, 1, 2, 3, 4, 4]);
  const types = Array.from({ length: 12 }, (_, n) => classOf({ ...content, types: n + 1 }, 'types', 2024));
  assert.deepEqual(types, [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4]);
  const years = [2024, 2023, 2021, 2020, 2019].map((year) => classOf({ ...content, year }, 'year', 2024));
  assert.deepEqual(years, [4, 3, 1, 0, 0]);
});

test('a chip asks for its types, the newest year, or everything', () => {
  const filters = ([null, 'year', '3d', 'textured', 'road'] as const).map((shown) =>
    coverageFilter(shown, 2024),
  );
  assert.deepEqual(filters, ['', '&year=2024', '&type_en=bldg', '&type_en=bldg', '&type_en=tran']);
  assert.match(coverageFilter('flood', 2024), /^&type_en=\w+(,\w+)+$/);
});

test('boxes are one up to a gap of the side of a mesh, on every side', () => {
  const gap = 0.0125;
  const middle = { west: 0, south: 0, east: 1, north: 1 };
  const beside = (by: number) => [
    { west: 1 + by, south: 0, east: 2 + by, north: 1 },
    { west: -1 - by, south: 0, east: -by, north: 1 },
    { west: 0, south: 1 + by, east: 1, north: 2 + by },
    { west: 0, south: -1 - by, east: 1, north: -by },
  ];
  for (const other of beside(gap * 0.999)) assert.equal(separateBoxes([middle, other]).length, 1);
  for (const other of beside(gap * 1.001)) assert.equal(separateBoxes([middle, other]).length, 2);
  const [right, left] = beside(0.5);
  const bridge = { west: -1, south: 0, east: 2, north: 1 };
  assert.deepEqual(separateBoxes([right!, left!, bridge]), [{ west: -1.5, south: 0, east: 2.5, north: 1 }]);
});

describe('what a view asks for', () => {
  const bounds = { west: 139.701, south: 35.601, east: 139.749, north: 35.649 };
  const here = (
    formats: string[],
    bbox: [number, number, number, number] | null = [139.6, 35.5, 139.8, 35.7],
  ) => city({ formats, bbox } as never);
  const widened = { west: 139.7, south: 35.6, east: 139.75, north: 35.65 };

  test('is meshes, finer ones of the place closer in, where there are sources', () => {
    const path = (zoom: number, cities = [here(['CityGML'])], at = bounds) =>
      coveragePath({ bounds: at, zoom }, cities);
    assert.equal(coveragePath(null, []), null);
    assert.equal(path(MESH_ZOOM - 0.01), null);
    for (const zoom of [MESH_ZOOM, FINE_ZOOM - 0.01])
      assert.equal(path(zoom), '/datacatalog/coverage?digits=6');
    const fine = '/datacatalog/coverage?digits=8&bbox=139.7,35.6,139.75,35.65';
    assert.equal(path(FINE_ZOOM), fine);
    assert.equal(path(FINE_ZOOM, [here(['CityGML'], null)]), fine, 'it may be anywhere');
    assert.equal(path(FINE_ZOOM, [here(['MVT'])]), null);
    assert.equal(path(FINE_ZOOM, [here(['CityGML'], [1, 2, 3, 4])]), null);
    const square = { west: 139, south: 35, east: 140, north: 36 };
    assert.match(path(FINE_ZOOM, [here(['CityGML'])], square)!, /digits=8/);
    assert.match(path(FINE_ZOOM, [here(['CityGML'])], { ...square, east: 140.01 })!, /digits=6$/);
  });

  test('is streets where there are vector tiles', () => {
    const area = (zoom: number, cities = [here(['MVT'])]) => baseArea({ bounds, zoom }, cities);
    assert.equal(baseArea(null, [here(['MVT'])]), null);
    assert.equal(area(GROUND_ZOOM - 0.01), null);
    assert.deepEqual(area(GROUND_ZOOM), widened);
    for (const cities of [[], [here(['CityGML'])], [here(['MVT'], null)], [here(['MVT'], [1, 2, 3, 4])]])
      assert.equal(area(GROUND_ZOOM, cities), null);
    assert.deepEqual(area(GROUND_ZOOM, [here(['MVT'], null), here(['MVT'])]), widened);
  });

  test('begins with all data, or with the islands of a country', () => {
    const of = (...boxes: Array<[number, number, number, number]>) => boxes.map((bbox) => city({ bbox }));
    const boundsOf = ([west, south, east, north]: number[]) => ({ west, south, east, north });
    assert.deepEqual(firstBounds([], 1_000), MAIN_ISLANDS);
    assert.deepEqual(firstBounds(of([139, 30, 140, 35.9]), 1_000), boundsOf([139, 30, 140, 35.9]));
    const far = of([123, 24, 124, 25], [139, 35, 140, 36]);
    assert.deepEqual(firstBounds(far, 599), MAIN_ISLANDS);
    assert.deepEqual(firstBounds(far, 600), { ...MAIN_ISLANDS, west: 123, south: 24 });
    assert.deepEqual(firstBounds(of([139, 30, 140, 36]), 599), MAIN_ISLANDS);
    // From the capes of Kyushu and Nagasaki to those of Hokkaido.
    for (const [lng, lat] of [
      [129.55, 33.2],
      [130.66, 30.99],
      [145.82, 43.38],
      [141.94, 45.52],
    ] as const) {
      const { west, south, east, north } = MAIN_ISLANDS;
      assert.ok(lng > west && lng < east && lat > south && lat < north, `${lng}, ${lat}`);
    }
    assert.ok(MAIN_ISLANDS.east - MAIN_ISLANDS.west < 17 && MAIN_ISLANDS.north - MAIN_ISLANDS.south < 15);
  });
});
