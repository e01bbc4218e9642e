/** What the portal's basket holds, and how large it is as files and as data. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { meshBounds } from '../packages/geo/src/mesh.ts';
import {
  type AreaCounts,
  chosenSum,
  featuresOfAreas,
  limitUse,
  typesOf,
} from '../packages/portal/src/basket/counts.ts';
import { packName, placeName } from '../packages/portal/src/basket/names.ts';
import { shareOf } from '../packages/portal/src/basket/pack-share.ts';
import { areaRings, areaSize, parseArea } from '../packages/portal/src/core/area.ts';
import { areaFromCondition } from '../packages/portal/src/core/area-text.ts';
import {
  featuresPath,
  isTooLarge,
  placeOfAreas,
  roughly,
  SIZED_FORMATS,
  TABLE_FORMATS,
  tableBytes,
} from '../packages/portal/src/core/feature-query.ts';
import { addFeatures, scaled } from '../packages/portal/src/core/feature-sums.ts';
import {
  type FileCounts,
  type FileList,
  filesInArea,
  packUrls,
  sumOf,
} from '../packages/portal/src/core/files.ts';
import { rememberNames } from '../packages/portal/src/core/summary.ts';

describe('features as data', () => {
  const box = { west: 139.1, south: 35.2, east: 139.3, north: 35.4 };
  const other = { west: 133, south: 34, east: 133.1, north: 34.1 };
  const parameters = (path: string) =>
    Object.fromEntries(new URL(path, 'http://portal.example').searchParams.entries());

  test('are asked for by a box, by rings of several areas, and by file', () => {
    const place = (...texts: string[]) =>
      placeOfAreas(
        texts.map((text) => parseArea(text)!),
        (condition) =>
          ['14130', 'g:川崎市'].includes(condition) ? [box] : condition === 'g:宮町' ? [box, other] : [],
      );
    const rings = [box, other].map((bounds) => areaRings({ kind: 'box', bounds: bounds })[0]!);
    assert.deepEqual(place('g:宮町'), { rings }, 'each place of the name, and nothing between them');
    assert.deepEqual(place('14130'), { bounds: box });
    assert.deepEqual(place('g:川崎市'), { bounds: box });
    assert.deepEqual(place('b:139.1,35.2,139.3,35.4'), { bounds: box });
    assert.deepEqual(place('m:53394509'), { bounds: meshBounds('53394509') });
    assert.equal(place(), null);
    assert.equal(place('27100', 'm:53394509'), null, 'an area that is nowhere would be left out silently');
    assert.deepEqual(
      parameters(featuresPath({ place: place('p:1,2;3,2;3,4', '14130')!, type: 'bldg' }, 'csv')),
      {
        polygon:
          'MULTIPOLYGON(((1 2,3 2,3 4,1 2)),((139.1 35.2,139.3 35.2,139.3 35.4,139.1 35.4,139.1 35.2)))',
        type: 'bldg',
        format: 'csv',
      },
    );
    assert.equal(
      featuresPath({ place: place('p:1.00000012,2.0000006;3,2;3,4')!, type: 'bldg', year: 2023 }, 'csv'),
      '/citygml/features?polygon=POLYGON((1+2.000001,3+2,3+4,1+2.000001))&type=bldg&year=2023&format=csv',
    );
    assert.deepEqual(
      parameters(
        featuresPath({ place: { url: 'https://a.example/x.gml' }, type: 'luse', everyYear: true }, 'geojson'),
      ),
      {
        url: 'https://a.example/x.gml',
        sid: '0/0/0/0',
        type: 'luse',
        all_years: 'true',
        format: 'geojson',
        flatten: 'true',
      },
    );
  });

  test('have a size before, and formats that will not do are told', () => {
    const part = { type: 'bldg', year: 2022, features: 10_000, bytes: 80_000_000, maxLod: 1 };
    const before = tableBytes(part)!;
    assert.equal(roughly(before.csv), 4_700_000);
    assert.ok(tableBytes({ ...part, year: 2023 })!.csv > 1.5 * before.csv, 'more attributes');
    assert.deepEqual(tableBytes({ ...part, bytes: 900_000_000, maxLod: 2 }), before, 'not more with roofs');
    const use = { ...part, type: 'luse' };
    assert.ok(tableBytes({ ...use, bytes: 160_000_000 })!.geojson === 2 * tableBytes(use)!.geojson);
    const most = 32 * 2 ** 20;
    for (const format of TABLE_FORMATS) assert.equal(isTooLarge(before, format, most), false);
    const large = tableBytes({ ...part, features: 100_000 })!;
    assert.deepEqual(
      TABLE_FORMATS.filter((format) => isTooLarge(large, format, most)),
      ['csv', 'flatgeobuf', 'geoparquet'],
    );
    const tooLarge = (mostBytes: number) =>
      TABLE_FORMATS.filter((format) => isTooLarge({ geojson: 9, csv: 5, flatgeobuf: 3 }, format, mostBytes));
    assert.deepEqual([2, 3, 4, 5].map(tooLarge), [['csv', 'flatgeobuf', 'geoparquet'], ['csv'], ['csv'], []]);
    assert.deepEqual([1_234, 1_251, 7].map(roughly), [1_200, 1_300, 7]);
  });

  test('have columns that weigh as much as a feature, from 2023 on more of them', () => {
    const of = (changes: object) =>
      tableBytes({ type: 'bldg', year: 2022, features: 1, bytes: 0, maxLod: 2, ...changes })!;
    for (const format of ['csv', 'flatgeobuf'] as const)
      assert.equal(of({ features: 3 })[format], 2 * of({})[format]);
    assert.equal(of({ features: 3 }).geojson, 3 * of({}).geojson);
    for (const type of ['bldg', 'tran', 'trk', 'rwy', 'wwy', 'frn', 'luse', 'fld'])
      assert.ok(of({ type, year: 2023 }).csv > 1.2 * of({ type }).csv, type);
    // Flat roads are little but outlines.
    const [flat, high] = [1, 2].map((maxLod) => of({ type: 'tran', maxLod, bytes: 1_000_000 }).geojson);
    assert.ok(flat! > 100 * high!);
    // Features with more GML than that have no outline.
    assert.equal(of({ type: 'dem', features: 2, bytes: 6_000_000 }), null);
    assert.ok(of({ type: 'dem', features: 2, bytes: 6_000_001 }).csv > 0);
  });

  test('have about the size that was measured of real packages', () => {
    // Type, year, features, bytes of GML, LOD; bytes of the answers.
    for (const [type, year, features, bytes, maxLod, ...answers] of [
      ['area', 2022, 6, 47_877, 1, 32_029, 1_386, 18_280],
      ['bldg', 2020, 13, 686_500, 2, 28_508, 6_821, 13_072],
      ['bldg', 2022, 6_944, 59_556_328, 2, 15_743_002, 3_425_197, 5_571_968],
      ['bldg', 2024, 192, 2_697_363, 2, 628_113, 116_561, 196_256],
      ['bldg', 2025, 98, 888_829, 1, 408_280, 102_107, 144_936],
      ['brid', 2022, 1, 2_415_072, 3, 2_095, 1_081, 2_424],
      ['brid', 2024, 3, 2_059_742, 3, 7_972, 2_542, 5_248],
      // Each triangle twenty times.
      ['dem', 2020, 2, 8_854_396, 1, 1_153, 660, 1_216],
      ['fld', 2021, 3, 58_887, 1, 3_691, 1_328, 2_960],
      ['fld', 2024, 1, 121_780, 1, 4_343, 1_356, 3_872],
      ['frn', 2022, 28, 11_435_942, 3, 93_861, 10_916, 48_208],
      ['frn', 2023, 5, 1_071_549, 3, 15_966, 6_432, 10_024],
      ['lsld', 2023, 81, 220_408, 1, 157_892, 31_217, 86_224],
      ['luse', 2021, 225, 1_071_674, 1, 832_568, 67_629, 450_880],
      ['luse', 2024, 363, 1_441_060, 1, 1_133_894, 164_194, 531_744],
      ['rwy', 2022, 7, 1_209_148, 3, 8_692, 2_044, 4_824],
      ['tnm', 2021, 3, 8_564, 1, 3_048, 1_308, 2_336],
      ['tran', 2022, 17_102, 25_429_257, 1, 17_229_673, 3_357_287, 8_303_176],
      ['trk', 2022, 125, 1_628_575, 3, 166_636, 25_421, 85_904],
      ['trk', 2024, 1, 5_088, 0, 1_808, 818, 1_920],
      ['urf', 2020, 12, 76_797, 1, 55_018, 3_962, 31_464],
      ['urf', 2023, 44, 265_754, 1, 175_017, 16_978, 95_352],
      ['wwy', 2022, 2, 22_712, 2, 5_553, 656, 3_632],
      ['wwy', 2023, 14, 52_376, 1, 33_357, 11_231, 18_496],
    ] as const) {
      const sizes = tableBytes({ type, year, features, bytes, maxLod })!;
      SIZED_FORMATS.forEach((format, i) => {
        const ratio = sizes[format] / answers[i]!;
        assert.ok(ratio > 1 / 1.5 && ratio < 1.5, `${type} ${year} ${format}: ${ratio}`);
      });
    }
  });

  test('have no size before where real packages differ too much', () => {
    const part = { year: 2022, features: 4, bytes: 400_000, maxLod: 3 };
    for (const type of ['dem', 'veg', 'wtr', 'unf', 'cons'])
      assert.equal(tableBytes({ ...part, type }), null);
    const known = { features: 4, tables: tableBytes({ ...part, type: 'brid' }) };
    const sums = new Map([['dem', known]]);
    addFeatures(sums, 'dem', { features: 3, tables: null });
    addFeatures(sums, 'dem', known);
    assert.deepEqual(sums.get('dem'), { features: 11, tables: null }, 'a sum needs all of its parts');
    assert.equal(scaled(null, 0.5), null);
  });
});

test('files of the newest year, in the area, with their metadata', () => {
  const file = (url: string, bbox: [number, number, number, number]) => ({
    code: '53394509',
    maxLod: 2,
    url,
    fileSize: 5,
    features: 3,
    bbox,
  });
  const city = (year: number, files: FileList['cities'][number]['files']) => ({
    cityCode: '13101',
    cityName: '千代田区',
    year,
    spec: '4.1',
    url: `z${year}`,
    metadataZipUrls: [`${year}_codelists.zip`, `${year}_metadata.zip`],
    files,
  });
  const list: FileList = {
    cities: [
      city(2023, { bldg: [file('new', [0, 0, 1, 1]), file('far', [8, 8, 9, 9])] }),
      city(2020, { bldg: [file('old', [0, 0, 1, 1])] }),
    ],
  };
  const area = parseArea('p:0,0;3,0;0,3')!;
  const urls = (allYears: boolean) => filesInArea(list, { area, allYears }).map(({ url }) => url);
  assert.deepEqual(urls(false), ['new']);
  assert.deepEqual(urls(true), ['new', 'old']);
  // A type that only an older year has is not lost.
  const [newer, older] = list.cities;
  const luse = { ...older!.files, luse: [{ ...older!.files.bldg![0]!, url: 'luse' }] };
  const both: FileList = { cities: [newer!, { ...older!, files: luse }] };
  assert.deepEqual(
    filesInArea(both, { area, allYears: false }).map(({ url }) => url),
    ['new', 'luse'],
  );
  const files = filesInArea(list, { area, allYears: false });
  assert.deepEqual(sumOf(files), { files: 1, features: 3, bytes: 5 });
  assert.deepEqual(sumOf([...files, ...files]), { files: 2, features: 6, bytes: 10 });
  assert.deepEqual(sumOf([]), { files: 0, features: 0, bytes: 0 });
  assert.deepEqual(packUrls(files, true), ['new', '2023_metadata.zip']);
  assert.deepEqual(packUrls(files, false), ['new']);
});

describe('the basket', () => {
  const area = parseArea('13101')!;
  const part = (files: number) => ({
    files,
    features: files * 10,
    bytes: files * 100,
    max_lod: 1,
    zip_bytes: files * 8,
  });
  const counts = (types: Record<string, ReturnType<typeof part>>): AreaCounts => ({
    text: '13101',
    area,
    condition: '13101',
    counts: {
      cities: [{ cityCode: '13101', cityName: '千代田区', year: 2023, types }],
      meshes: 1,
      meshes_km2: 1,
    },
    files: null,
  });

  test('warns before a limit, by files as by bytes', () => {
    const most = { files: 100, zip: 1_000 };
    const states = [
      [79, 799],
      [80, 0],
      [0, 800],
      [100, 1_000],
      [101, 0],
      [0, 1_001],
    ].map(([files, zip]) => limitUse({ files: files!, zip: zip! }, most).state);
    assert.deepEqual(states, ['within', 'near', 'near', 'near', 'beyond', 'beyond']);
  });

  test('adds up areas by type, and chooses among them', () => {
    const both = [counts({ bldg: part(3), tran: part(1) }), counts({ bldg: part(2) })];
    assert.deepEqual(typesOf(both).get('bldg'), { files: 5, features: 50, bytes: 500, zip: 40 });
    assert.deepEqual(chosenSum(both, ['tran']), { files: 1, features: 10, bytes: 100, zip: 8 });
    assert.equal(chosenSum(both, null).files, 6);
    assert.equal(chosenSum(both, ['-']).files, 0);
  });

  test('takes a polygon apart by the files that meet it', () => {
    const cut = { ...counts({ bldg: part(4) }), files: [] };
    assert.deepEqual(chosenSum([cut], null), { files: 0, features: 0, bytes: 0, zip: 0 });
    const whole = counts({ bldg: part(4) });
    const sum = featuresOfAreas([whole, whole]).get('bldg')!;
    assert.deepEqual([sum.features, sum.tables!.csv], [80, 82 * 760]);
    assert.deepEqual(featuresOfAreas([cut]).get('bldg')!.features, 0);
  });

  test('understands what the search gives', () => {
    assert.equal(areaFromCondition('27100'), '27100');
    assert.equal(areaFromCondition('m:53394509'), 'm:53394509');
    assert.equal(areaFromCondition('g:139,35,140,36'), 'b:139,35,140,36');
    assert.equal(areaFromCondition('r:139.767,35.681'), 'm:53394611');
    assert.match(areaFromCondition('s:18/232837/103222')!, /^b:/);
    // Outside of the grid a point is a box of some hundred metres.
    assert.equal(areaFromCondition('r:0,0'), 'b:-0.0005,-0.0005,0.0005,0.0005');
    assert.equal(areaFromCondition('r:0'), null);
    assert.equal(areaFromCondition('g:大阪城'), 'g:大阪城');
  });

  test('knows the size of an area', () => {
    const size = areaSize(parseArea('m:53394509')!)!;
    assert.ok(size > 1 && size < 1.1, `${size} km²`);
    assert.equal(areaSize(area), null);
  });
});

test('files of the basket are named by what is in them, a ward by its own name', () => {
  const counts = (code: string, cityCode = '47900'): AreaCounts => ({
    text: code,
    area: { kind: 'city', code },
    condition: code,
    counts: {
      cities: [
        {
          cityCode,
          year: 2024,
          types: { bldg: { files: 1, features: 2, bytes: 3, zipBytes: 4, maxLod: 1 } },
        },
      ],
    } as unknown as FileCounts,
    files: null,
  });
  rememberNames([
    ['47900', 'aonagi-shi'],
    ['47902', 'okate-ku'],
  ]);
  assert.equal(packName([counts('47900')], ['bldg']), 'aonagi-shi_bldg_2024');
  assert.equal(packName([counts('47902')], ['bldg']), 'aonagi-shi_okate-ku_bldg_2024');
  assert.equal(placeName([counts('47901')]), 'aonagi-shi_47901');
  assert.equal(placeName([counts('47901'), counts('47902')]), 'aonagi-shi_47901-okate-ku');
  assert.equal(placeName([counts('47900'), counts('47902')]), 'aonagi-shi');
  assert.equal(placeName([counts('47901'), counts('47902'), counts('47903')]), 'aonagi-shi_3-wards');
  assert.equal(placeName([counts('47901'), counts('47950', '47950')]), '2-cities');
});

test('the bar of a pack is full beside "Ready", whatever was said last, and empty while it waits', () => {
  for (const last of [null, { progress: 0 }, { progress: 0.8 }]) {
    assert.equal(shareOf('succeeded', last), 1);
    assert.equal(shareOf('accepted', last), 0);
    assert.equal(shareOf('processing', last), last?.progress ?? 0);
  }
});
