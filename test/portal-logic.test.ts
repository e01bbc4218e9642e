/** What the portal works out without a browser. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
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
import { formatState, parseState, readAddress } from '../packages/portal/src/core/address.ts';
import {
  type Area,
  areaBounds,
  areaCondition,
  areaRings,
  areaSize,
  contains,
  formatArea,
  type Position,
  parseArea,
  polygonMeetsBox,
} from '../packages/portal/src/core/area.ts';
import { areaFromCondition, areaFromText } from '../packages/portal/src/core/area-text.ts';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { englishValue, valueIn } from '../packages/portal/src/core/code-names.ts';
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
import { Places } from '../packages/portal/src/core/gazetteer.ts';
import { wordsOf } from '../packages/portal/src/core/i18n.ts';
import { licenceClaim } from '../packages/portal/src/core/licence.ts';
import { namedPlaces, sizeOfPlaces } from '../packages/portal/src/core/named-place.ts';
import { understand } from '../packages/portal/src/core/place.ts';
import { translated } from '../packages/portal/src/core/reasons.ts';
import { INITIAL, type Shown, type State } from '../packages/portal/src/core/state.ts';
import { en, ja } from '../packages/portal/src/core/strings.ts';
import {
  areaName,
  hasShown,
  prefecturesOf,
  rememberNames,
  type Summary,
  type SummaryCity,
  shownLod,
} from '../packages/portal/src/core/summary.ts';
import { snippetsFor } from '../packages/portal/src/datasets/snippets.ts';
import { newestOf } from '../packages/portal/src/map/base-layers.ts';
import { classNames, classOf, isInLegend, lodNames } from '../packages/portal/src/map/classes.ts';
import { coastLand } from '../packages/portal/src/map/coast-land.ts';
import { areaOfCorners, cornersOf, moveCorner, removeCorner } from '../packages/portal/src/map/corners.ts';
import { coveragePath } from '../packages/portal/src/map/coverage-path.ts';
import { firstBounds, firstPlaceOnly, MAIN_ISLANDS } from '../packages/portal/src/map/first-view.ts';
import { citiesData, cityColours, meshesData } from '../packages/portal/src/map/map-data.ts';
import { FINE_ZOOM, MESH_ZOOM, meshOpacity } from '../packages/portal/src/map/map-style.ts';
import { classColours, over, PALETTES } from '../packages/portal/src/map/palette.ts';
import { PREFECTURE_PLACES } from '../packages/portal/src/map/prefecture-places.ts';
import { type TileState, TileTally } from '../packages/portal/src/map/tile-tally.ts';
import {
  barsOf,
  classesOf,
  figuresOf,
  statisticsPath,
  textOfFigures,
} from '../packages/portal/src/statistics/figures.ts';
import { compositeName, pathOfModel } from '../packages/portal/src/three/models.ts';
import { areaTable, coastTable, landTable } from '../packages/portal/tables.ts';

const STANDARD_LISTS = new URL('../packages/citygml/src/attributes/standard-code-lists.tsv', import.meta.url);

const degrees = (min: number, max: number) =>
  fc.integer({ min: min * 1e6, max: max * 1e6 }).map((micro) => micro / 1e6);
const position = fc.tuple(degrees(-180, 180), degrees(-85, 85));
const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes(','));

describe('names in English', () => {
  test('every value of the standard code lists has a name in English', () => {
    const rows = readFileSync(STANDARD_LISTS, 'utf8').split('\n');
    let known = 0;
    for (const row of rows) {
      const [list, code, label] = row.split('\t');
      if (label === undefined || !/[^\x20-\x7e]/.test(label)) continue;
      const english = englishValue(label);
      assert.ok(english !== null && /^[\x20-\x7e²]+$/.test(english), `${list} ${code} ${label}: ${english}`);
      known++;
    }
    assert.ok(known > 600, `${known} values`);
  });

  test('ranges, names with both languages and prefectures are read, anything else is left', () => {
    for (const [label, english] of [
      ['0.5m以上3m未満', '0.5 m to 3 m'],
      ['3m-5.5m未満', '3 m to 5.5 m'],
      ['20.0m以上', '20.0 m and more'],
      ['4m未満', 'below 4 m'],
      ['river / stream（河川/小川）', 'River / stream'],
      ['沖縄県', 'Okinawa'],
      ['青凪市役所', null],
      ['12.5', null],
      ['', null],
    ] as const) {
      assert.equal(englishValue(label), english, label);
    }
  });

  test('values keep their text on the Japanese page, and several are joined', () => {
    assert.equal(valueIn('ja', '住宅'), '住宅');
    assert.equal(valueIn('en', '住宅'), 'House');
    assert.equal(valueIn('en', '住宅、工場'), 'House, Factory');
    assert.equal(valueIn('en', '住宅; 青凪'), '住宅; 青凪');
    assert.equal(valueIn('en', 318.5), '318.5');
  });

  test('of datasets are put together in English from type, part and place', () => {
    rememberNames([['47900', 'aonagi-shi']]);
    const row = { city: '青凪市', city_code: '47900', ward: null, ward_code: null };
    const { datasetName, datasetPart } = wordsOf('en');
    const flood = {
      ...row,
      id: '47900_fld_natl_sumimigawa_l2_lod1_mvt',
      name: '洪水浸水想定区域モデル 澄見川水系澄見川 想定最大規模（青凪市）',
      type: '洪水浸水想定区域モデル',
      type_en: 'fld',
    };
    assert.equal(datasetName(flood), 'River flooding Sumimigawa, worst case (Aonagi)');
    assert.equal(wordsOf('ja').datasetName(flood), flood.name);
    assert.equal(wordsOf('ja').datasetPart(flood), '澄見川水系澄見川 想定最大規模');
    const zone = { id: '47900_urf_usedistrict_lod1', name: '都市計画決定情報モデル UseDistrict（青凪市）' };
    assert.equal(datasetPart({ ...zone, type: '都市計画決定情報モデル' }), 'Use district');
    assert.equal(datasetPart({ id: 'fld_pref_a_b_l1', name: '', type: '' }), 'A-B, planned scale');
  });
});

test('the name of a place stands for boxes, or for areas with all of their files', () => {
  const counts = (places?: FileCounts['places']): FileCounts => ({
    cities: [],
    meshes: 0,
    meshes_km2: 0,
    ...(places && { places }),
  });
  assert.equal(namedPlaces(counts()), null);
  const [town, point, ward] = namedPlaces(
    counts([
      { name: '宮町', codes: [], bbox: [139, 35, 139.01, 35.01] },
      { name: '塔', codes: [], bbox: [139.74, 35.67, 139.74, 35.67] },
      { name: '幸区', codes: ['14132'], bbox: [139, 35, 139.1, 35.1] },
      { name: '無', codes: [], bbox: null },
    ]),
  )!;
  assert.deepEqual(town, { bounds: { west: 139, south: 35, east: 139.01, north: 35.01 }, isArea: false });
  assert.deepEqual(point!.bounds, meshBounds('53394509'), 'of a point, the mesh whose files are meant');
  assert.ok(Math.abs(sizeOfPlaces([town!])! - 1.011) < 0.001);
  assert.equal(sizeOfPlaces([town!, ward!]), null, 'a ward is no box');
});

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

describe('corners', () => {
  const corner = fc.integer({ min: 0, max: 3 });
  const box = fc
    .tuple(degrees(120, 130), degrees(20, 30), degrees(131, 140), degrees(31, 40))
    .map(([west, south, east, north]) => ({ kind: 'box' as const, bounds: { west, south, east, north } }));

  test('of a box move with their neighbours, past the one opposite too, which stays', () => {
    fc.assert(
      fc.property(box, corner, position, corner, position, (area, i, to, j, then) => {
        const once = moveCorner(cornersOf(area)!, i, to);
        for (const [before, after, index, target] of [
          [cornersOf(area)!, once, i, to],
          [once, moveCorner(once, j, then), j, then],
        ] as const) {
          const opposite = before.positions[(index + 2) % 4]!;
          assert.deepEqual(after.positions[index], target);
          assert.deepEqual(after.positions[(index + 2) % 4], opposite);
          const moved = areaOfCorners(after);
          if (moved === null) continue;
          assert.deepEqual(areaBounds(moved), {
            west: Math.min(target[0], opposite[0]),
            south: Math.min(target[1], opposite[1]),
            east: Math.max(target[0], opposite[0]),
            north: Math.max(target[1], opposite[1]),
          });
        }
      }),
    );
  });

  test('of a polygon move and leave alone, as long as three are left', () => {
    const corners = cornersOf(parseArea('p:1,1;2,1;2,2;1,2')!)!;
    const moved = moveCorner(corners, 1, [3, 0]);
    assert.equal(formatArea(areaOfCorners(moved)!), 'p:1,1;3,0;2,2;1,2');
    const three = removeCorner(moved, 1);
    assert.equal(formatArea(areaOfCorners(three)!), 'p:1,1;2,2;1,2');
    assert.equal(removeCorner(three, 0), three);
    assert.equal(cornersOf(parseArea('m:53394509')!), null);
    const box = cornersOf(parseArea('b:1,1,2,2')!)!;
    assert.equal(removeCorner(box, 0), box);
    assert.equal(areaOfCorners(moveCorner(box, 0, [2, 1.5])), null, 'a box without width');
  });
});

describe('tiles of the map', () => {
  test('are counted by what becomes of them, and asked for again', async (t) => {
    const states: TileState[] = [];
    const tally = new TileTally((state) => states.push(state));
    let answer: () => Promise<Response> = async () => new Response(null, { status: 204 });
    t.mock.method(globalThis, 'fetch', () => answer());
    const ask = (tile: string) =>
      tally.fetch(`https://a.example/x/${tile}.mvt`, new AbortController().signal);
    assert.equal((await ask('14/1/2')).byteLength, 0);
    answer = async () => new Response('', { status: 500 });
    await assert.rejects(ask('14/1/3'));
    answer = () => Promise.reject(new TypeError('no connection'));
    await assert.rejects(ask('14/1/4'));
    assert.deepEqual(states.at(-1), { loaded: 1, failed: 2, offline: false });
    const aborted = tally.fetch('https://a.example/x/14/1/5.mvt', AbortSignal.abort());
    await assert.rejects(aborted);
    assert.equal(states.at(-1)!.failed, 2, 'what the map no longer wants is no failure');
    assert.deepEqual(
      tally.takeFailed().map(({ z, x, y }) => [z, x, y]),
      [
        [14, 1, 3],
        [14, 1, 4],
      ],
    );
    await assert.rejects(ask('14/1/4'));
    assert.deepEqual(states.at(-1), { loaded: 1, failed: 1, offline: true });
    tally.keep([]);
    assert.deepEqual(states.at(-1), { loaded: 0, failed: 0, offline: false });
  });
});

describe('the address bar', () => {
  const state = fc.record({
    view: fc.constantFrom('map', '3d', 'datasets', 'basket', 'status'),
    lang: fc.constantFrom('ja', 'en', null),
    theme: fc.constantFrom('light', 'dark', null),
    at: fc.option(fc.tuple(degrees(120, 150), degrees(20, 46), fc.integer({ min: 3, max: 20 }))),
    by: fc.constantFrom('lod', 'types', 'year'),
    pick: fc.option(word),
    layers: fc.array(word, { maxLength: 3 }),
    hit: fc.option(fc.tuple(degrees(120, 150), degrees(20, 46))),
    filters: fc.record({ city_code: word, lod: word, text: word, bbox: word }, { requiredKeys: [] }),
    row: fc.option(word),
    model: fc.option(word),
    colour: fc.oneof(fc.constant(''), word),
    feature: fc.option(word),
    also: fc.array(word, { maxLength: 3 }),
    opacity: fc.array(
      fc
        .tuple(fc.constantFrom('ground', '47900-bldg-maxlod4-latest'), fc.integer({ min: 0, max: 99 }))
        .map((pair) => pair.join(':')),
      { maxLength: 3 },
    ),
    where: fc.oneof(fc.constant(''), word),
    sun: fc.option(fc.integer({ min: 0, max: 48 }).map((n) => n / 2)),
    cut: fc.option(fc.integer({ min: 0, max: 1_000 })),
    embed: fc.boolean(),
    areas: fc.array(
      word.filter((text) => !text.includes('~')),
      { maxLength: 3 },
    ),
    shown: fc.constantFrom(null, '3d', 'textured', 'flood', 'road', 'year'),
    pref: fc.constantFrom(null, '01', '47'),
    sort: fc.constantFrom('place', 'lod', 'size'),
    types: fc.option(fc.array(word, { minLength: 1, maxLength: 3 })),
    allYears: fc.boolean(),
    papers: fc.boolean(),
    pack: fc.constantFrom(null, 'a1'.repeat(32)),
  });

  test('holds the whole state', () => {
    fc.assert(
      fc.property(state, (changes) => {
        const state = { ...INITIAL, ...changes } as State;
        state.at = (state.at?.map((n, i) => Number(n.toFixed(i === 2 ? 2 : 5))) ?? null) as State['at'];
        const url = new URL(formatState(state), 'http://portal.example');
        state.filters = { ...state.filters };
        assert.deepEqual(parseState(url.pathname, url.search), state);
      }),
    );
  });

  test('is empty at the beginning, and anything unreadable leads there', () => {
    assert.equal(formatState(INITIAL), '/');
    assert.deepEqual(parseState('/', '?view=nowhere&lang=xx&at=1,2&camera=x&pack=12&by=height'), INITIAL);
    assert.deepEqual(parseState('/', '?at=999,35,10&camera=139,91,100,0,-30'), INITIAL);
    assert.equal(parseState('/status', '').view, 'status');
  });

  test('names every part that could not be understood, and nothing else', () => {
    const search =
      '?view=nowhere&lang=xx&theme=light&at=999,35,10&camera=139,35,100,0&sun=25&cut=-1&pack=12&also=&embed&utm=x';
    const { state, leftOut } = readAddress('/', search);
    assert.deepEqual(leftOut, [
      'view=nowhere',
      'lang=xx',
      'at=999,35,10',
      'camera=139,35,100,0',
      'sun=25',
      'cut=-1',
      'pack=12',
    ]);
    assert.deepEqual(state, { ...INITIAL, theme: 'light', embed: true });
    assert.deepEqual(readAddress('/', '?also=a,b,c,d,e,f,g,h').leftOut, ['also=g', 'also=h']);
    assert.deepEqual(
      readAddress('/', `?${new URLSearchParams({ where: 'a>1', colour: 'height' })}`).leftOut,
      [],
    );
  });
});

describe('areas', () => {
  test('are written and read back', () => {
    const ring = fc.array(position, { minLength: 3, maxLength: 8 });
    fc.assert(
      fc.property(ring, (points) => {
        const area: Area = { kind: 'polygon', ring: points };
        assert.deepEqual(parseArea(formatArea(area)), area);
      }),
    );
    for (const text of ['b:139,35,140,36', 'm:53394509,53394519', '13101', 'g:東京都']) {
      assert.equal(formatArea(parseArea(text)!), text);
    }
    for (const text of [
      'b:140,35,139,36',
      'b:1,2,3',
      'p:1,2;3,4',
      'p:1,2;3,4;x,5',
      'm:99',
      'm:',
      'g:',
      '123',
      '',
    ]) {
      assert.equal(parseArea(text), null, text);
    }
  });

  test('become the condition that finds their files', () => {
    assert.equal(areaCondition(parseArea('p:139,35;140,35;139.5,36')!), 'r:139,35,140,36');
    assert.equal(areaCondition(parseArea('m:53394509')!), 'm:53394509');
    assert.equal(areaCondition(parseArea('13101')!), '13101');
    assert.equal(areaBounds(parseArea('13101')!), null);
    assert.equal(areaCondition(parseArea('g:東京都')!), 'g:東京都');
    assert.equal(areaBounds(parseArea('g:東京都')!), null);
  });

  test('a polygon meets a box as a grid of points says', () => {
    const small = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }));
    fc.assert(
      fc.property(
        fc.uniqueArray(small, { minLength: 3, maxLength: 5, selector: String }),
        small,
        (points, [west, south]) => {
          const ring = points as Position[];
          const box = { west: west - 0.5, south: south - 0.5, east: west + 2.6, north: south + 2.6 };
          let sampled = false;
          for (let x = box.west; x <= box.east && !sampled; x += 0.31) {
            for (let y = box.south; y <= box.north && !sampled; y += 0.31) sampled = contains(ring, [x, y]);
          }
          // The grid may miss a sliver, but never finds what is not there.
          if (sampled) assert.ok(polygonMeetsBox(ring, box));
        },
      ),
    );
    const far = { west: 50, south: 50, east: 51, north: 51 };
    assert.ok(
      !polygonMeetsBox(
        [
          [0, 0],
          [9, 0],
          [0, 9],
        ],
        far,
      ),
    );
    // Neither holds a corner of the other, yet they cross.
    assert.ok(
      polygonMeetsBox(
        [
          [-5, 1],
          [9, 1.2],
          [9, 1.4],
        ],
        { west: 0, south: 0, east: 2, north: 3 },
      ),
    );
  });

  test('may be typed', () => {
    assert.equal(areaFromText(' ５３３９４５０９、53394519 '), 'm:53394509,53394519');
    assert.equal(areaFromText('139, 35, 140, 36'), 'b:139,35,140,36');
    assert.equal(areaFromText('13101'), '13101');
    assert.equal(areaFromText('somewhere'), null);
  });
});

test('a search text is a code, a mesh, a spatial ID, a point or a name', () => {
  const condition = (text: string) => understand(text)?.condition;
  assert.equal(condition('13101'), '13101');
  assert.equal(condition('５３３９-４５-０９'), 'm:53394509');
  assert.equal(condition('m:5339'), 'm:5339');
  assert.equal(condition('18/1/232837/103222'), 's:18/1/232837/103222');
  assert.equal(condition('/18/232837/103222'), 's:18/232837/103222');
  assert.equal(condition('35.68, 139.76'), 'r:139.76,35.68');
  assert.equal(condition('139.76,35.68'), 'r:139.76,35.68');
  assert.equal(condition(' 千代田区 '), 'g:千代田区');
  assert.equal(condition('99/1/1'), 'g:99/1/1');
  assert.equal(condition('  '), undefined);
});

function row(changes: Partial<DatasetRow>): DatasetRow {
  return {
    id: '13101_bldg_lod1',
    name: '建築物モデル（千代田区）',
    pref: '東京都',
    pref_code: '13',
    city: '千代田区',
    city_code: '13101',
    type: '建築物モデル',
    type_en: 'bldg',
    url: 'http://a.example/assets/13101_bldg/tileset.json',
    year: 2023,
    registration_year: 2024,
    spec: '4.1',
    format: '3D Tiles',
    lod: '1',
    texture: false,
    layers: null,
    composite_url: null,
    file_size: 10,
    bbox: [139.7, 35.6, 139.8, 35.7],
    ...changes,
  };
}

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
  assert.deepEqual(sumOf(files), { files: 1, features: 3, bytes: 5, maxLod: 2 });
  assert.deepEqual(packUrls(files, true), ['new', '2023_metadata.zip']);
  assert.deepEqual(packUrls(files, false), ['new']);
});

test('a model is a dataset or a spec', () => {
  const tiles = row({
    composite_url: 'http://a.example/datacatalog/3dtiles/13101-bldg-lod1-2023/tileset.json',
  });
  assert.equal(
    pathOfModel('13101_bldg_lod1', tiles),
    '/datacatalog/3dtiles/13101-bldg-lod1-2023/tileset.json',
  );
  assert.equal(
    pathOfModel('all-bldg-maxlod2-texture-latest', null),
    '/datacatalog/3dtiles/all-bldg-maxlod2-texture-latest/tileset.json',
  );
  assert.equal(pathOfModel('13101_bldg_lod1', { ...tiles, format: 'MVT' }), null);
  assert.equal(pathOfModel('nothing', null), null);
});

test('composites have names that tell them apart, in the language of the page', () => {
  const composite = {
    id: '13-bldg-lod3-latest',
    url: 'http://a.example/datacatalog/3dtiles/13-bldg-lod3-latest/tileset.json',
    area: 'pref' as const,
    pref: '東京都',
    type: '建築物モデル',
    type_en: 'bldg',
    lod: 3,
    texture: null,
    year: 'latest',
    format_version: '1.0' as const,
    bbox: null,
  };
  const nameOf = (changes: object, language: 'ja' | 'en' = 'en') =>
    compositeName({ ...composite, ...changes }, wordsOf(language));
  assert.equal(nameOf({}), '東京都 · Buildings · LOD 3 · newest year');
  assert.equal(nameOf({ interior: true, year: '2023' }), '東京都 · Buildings · LOD 3 · Indoor · 2023');
  assert.equal(nameOf({ texture: false }, 'ja'), '東京都 · 建築物 · LOD 3 · 最新年度 · テクスチャなし');
});

describe('the code to paste', () => {
  test('asks for a tile that holds the whole dataset', () => {
    const mvt = { format: 'MVT' as const, url: 'http://a.example/t/{z}/{x}/{y}.mvt' };
    const tileOf = (bbox: DatasetRow['bbox'] & object) =>
      /\/t\/(\d+\/\d+\/\d+)\.mvt/.exec(
        snippetsFor(row({ ...mvt, bbox }), '').find(({ kind }) => kind === 'curl')!.text,
      )![1];
    // A port whose ship routes lie at the edges of its extent: the tile in its middle does not exist at zoom 12
    assert.equal(tileOf([138.765, 34.97, 138.883, 35.085]), '9/453/202');
    assert.equal(tileOf([139.6657, 35.6727, 139.666, 35.6729]), '12/3637/1613');
    // Across an edge of zoom 8
    assert.equal(tileOf([139.2, 35.6, 139.22, 35.61]), '8/226/100');
  });

  test('bears datasets without a licence', () => {
    const { text } = snippetsFor(row({}), 'http://a.example').find(({ kind }) => kind === 'Python')!;
    assert.doesNotMatch(text, /\["license"\]/);
  });
});

test('every class of the map has a name', () => {
  const words = { lods: ['0', '1', '2', '3', '4'], older: 'or older', ja: false };
  for (const by of ['lod', 'types', 'year'] as const) {
    assert.equal(classNames(by, 2024, words).length, 5);
    for (const maxLod of [null, 0, 1, 2, 3, 4]) {
      for (const types of [1, 3, 6, 9, 25]) {
        const found = classOf({ maxLod, types, year: 2016 + types / 5 }, by, 2024);
        assert.ok(found >= 0 && found <= 4);
      }
    }
  }
});

test('the legend names the LODs of meshes, of which some are below that of their municipality', () => {
  const shown = (areCircles: boolean) =>
    [0, 1, 2, 3, 4].filter((i) => isInLegend(i, [0, 0, 193, 107, 0], 'lod', areCircles));
  assert.deepEqual(shown(true), [2, 3]);
  assert.deepEqual(shown(false), [1, 2, 3]);
  assert.ok(isInLegend(4, [1, 0, 0, 0, 0], 'year', true));
});

test('both languages have all words', () => {
  assert.deepEqual(Object.keys(ja).sort(), Object.keys(en).sort());
  for (const words of [en, ja])
    for (const [key, text] of Object.entries(words)) assert.notEqual(text, '', key);
});

function city(changes: Partial<SummaryCity>): SummaryCity {
  return {
    code: '27100',
    name: '大阪市',
    kana: 'おおさかし',
    romaji: 'osaka-shi',
    pref_code: '27',
    pref: '大阪府',
    bbox: [135.4, 34.6, 135.6, 34.8],
    types: ['bldg', 'tran', 'fld'],
    formats: ['3D Tiles', 'CityGML'],
    years: [2022],
    max_lod: 2,
    max_lods: { bldg: 2, tran: 1, fld: 1 },
    textured: true,
    wards: [],
    datasets: 3,
    features: 1_000,
    bytes: 4_000,
    ...changes,
  };
}

describe('search', () => {
  const kyoto = city({
    code: '26100',
    name: '京都市',
    kana: 'きょうとし',
    romaji: 'kyoto-shi',
    bbox: [135.6, 34.9, 135.9, 35.2],
  });
  const tokyo = city({
    code: '13100',
    name: '東京都23区',
    kana: null,
    romaji: 'tokyo23-ku',
    bbox: [139.6, 35.5, 139.9, 35.8],
  });
  const sample = city({
    code: '47900',
    name: '青凪市',
    kana: null,
    romaji: 'aonagi-shi',
    bbox: [129.6, 25.7, 129.7, 25.8],
  });
  const places = new Places(areaTable(), [city({}), kyoto, tokyo, sample]);

  test('is the same when it is made in slices', async () => {
    const sliced = await Places.inSlices(areaTable(), [city({}), kyoto, tokyo, sample]);
    for (const text of ['kyo', '青凪', 'よこ', '47900', '大阪府大']) {
      assert.deepEqual(sliced.find(text, 20), places.find(text, 20), text);
    }
    assert.ok(sliced.find('kyo', 20).length > 2);
  });
  const found = (text: string) => places.find(text, 8).map(({ name }) => name);

  test('knows every script, and every municipality of the country', () => {
    for (const text of [
      '大阪',
      'Osaka',
      'osaka',
      'Ōsaka',
      'oosaka',
      'おおさか',
      'オオサカ',
      'ｵｵｻｶ',
      'OSAKA',
    ]) {
      assert.deepEqual(found(text).slice(0, 2), ['大阪市', '大阪府'], text);
    }
    assert.equal(found('tokyo')[0], '東京都');
    assert.equal(found('横浜')[0], '横浜市');
    assert.equal(places.find('yokohama', 1)[0]!.city, null, 'known, without data');
    assert.equal(found('27100')[0], '大阪市');
    assert.equal(found('Aonagi')[0], '青凪市', 'a municipality that the table lacks');
    assert.deepEqual(found('どこにもない'), []);
  });

  test('matches the beginning of words alone', () => {
    // 京都 is inside 東京都23区, and means no part of it.
    assert.ok(!found('京都').includes('東京都23区'));
    assert.equal(found('京都')[0], '京都市');
    assert.ok(!found('saka').some((name) => name === '大阪市'));
    assert.ok(found('大阪府大阪市').includes('大阪市'));
  });

  test('lands somewhere where there is nothing', () => {
    assert.equal(places.begins('東京駅')!.name, '東京都');
    assert.equal(places.begins('横浜ランドマークタワー')!.name, '横浜市');
    assert.equal(places.begins('どこにもない'), null);
    for (const code of ['02201', '01', '13101', '47382', '27127']) {
      const [lng, lat] = places.whereIs(code)!;
      assert.ok(lng > 122 && lng < 149 && lat > 24 && lat < 46, code);
    }
    assert.deepEqual(places.whereIs('14137'), places.whereIs('14130'), 'a ward, at its city and no other');
    const [near] = places.nearest(places.whereIs('28100')!, 1);
    assert.equal(near!.name, '大阪市', 'nearest to 神戸市');
  });
});

test('a country opens with all of its main islands, a region with its data', () => {
  const of = (...boxes: Array<SummaryCity['bbox']>) => boxes.map((bbox) => ({ bbox }) as SummaryCity);
  const kyushu: SummaryCity['bbox'] = [130, 31, 131, 32];
  const north: SummaryCity['bbox'] = [141, 42, 142, 43];
  const yaeyama: SummaryCity['bbox'] = [123, 24, 124, 25];
  assert.deepEqual(firstBounds(of(kyushu, north), 900), MAIN_ISLANDS);
  assert.deepEqual(firstBounds(of(kyushu, north, yaeyama), 900), { ...MAIN_ISLANDS, west: 123, south: 24 });
  assert.deepEqual(firstBounds(of(kyushu, north, yaeyama), 390), MAIN_ISLANDS);
  assert.deepEqual(firstBounds(of(kyushu, null), 900), { west: 130, south: 31, east: 131, north: 32 });
  assert.deepEqual(firstBounds([], 900), MAIN_ISLANDS);
});

test('every municipality has a place, in its prefecture', () => {
  const places = new Places(areaTable(), []);
  const towns = [...places.towns()];
  const named = areaTable().filter(([code, name]) => code.length === 5 && !name.endsWith('区'));
  assert.ok(towns.length >= 1_742, `${towns.length} places`);
  const codes = new Set(towns.map(({ code }) => code));
  assert.deepEqual(
    named.filter(([code]) => !codes.has(code)),
    [],
  );
  for (const { code, name, at } of towns) {
    const middle = PREFECTURE_PLACES.get(code.slice(0, 2))!;
    // Islands of Tokyo, Kagoshima and Okinawa lie far out; Hokkaido is large.
    const most = /^(13|46|47)/.test(code) ? 10 : code.startsWith('01') ? 4 : 1.6;
    assert.ok(Math.hypot(at[0] - middle[0], at[1] - middle[1]) < most, `${code} ${name} at ${at}`);
  }
  assert.ok(Math.hypot(...minus(places.whereIs('01220')!, [142.4, 44.18])) < 0.1, '士別市');
});

function minus(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, i) => value - b[i]!);
}

test('names of areas in both languages', () => {
  assert.equal(areaName({ name: '大阪市', romaji: 'osaka-shi' }, 'en'), 'Osaka');
  assert.equal(areaName({ name: '千代田区', romaji: 'chiyoda-ku' }, 'en'), 'Chiyoda-ku');
  assert.equal(areaName({ name: '東京都23区', romaji: 'tokyo23-ku' }, 'en'), 'Tokyo 23 wards');
  assert.equal(areaName({ name: '大阪市', romaji: 'osaka-shi' }, 'ja'), '大阪市');
  assert.equal(areaName({ name: '青凪市', romaji: null }, 'en'), '青凪市');
});

test('a legend shows the colours that the map paints', () => {
  assert.equal(over('#000000', 0.55, '#ffffff'), '#737373');
  assert.equal(over('#2c7891', 1, '#ffffff'), '#2c7891');
  for (const { lods, ramp, land } of Object.values(PALETTES)) {
    for (const colours of [lods, ramp]) {
      // As they are painted, classes are as distinct as they are in the list.
      const painted = colours.map((colour) => over(colour, meshOpacity(9, false), land));
      assert.equal(new Set(painted).size, 5);
      assert.ok(painted.every((colour, i) => colour !== colours[i]));
    }
  }
  assert.equal(classColours(PALETTES.light, 'lod'), PALETTES.light.lods);
  assert.ok(meshOpacity(16, false) < meshOpacity(10, false));
});

test('the map claims where files are, and no more', () => {
  const rows = [['533935', 2, 4, 2023, 40, 900] as const, ['99', 1, 1, 2020, 1, 1] as const];
  const { features } = meshesData(
    rows.map((row) => [...row]),
    'lod',
    2024,
  );
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [{ code: '533935', class: 2 }],
  );
  const tilesOnly = city({ code: '12100', formats: ['3D Tiles'], bytes: 1_000 });
  const data = citiesData([tilesOnly, city({}), city({ bbox: null })], 'en');
  assert.equal(data.features.length, 4);
  assert.deepEqual(
    data.features.map(({ properties }) => [properties!.boxed, properties!.size]),
    [
      [false, 1],
      [false, 1],
      [true, 0.5],
      [true, 0.5],
    ],
    'the largest first, so that small circles lie over them',
  );
  const centre = (at: [number, number]) => {
    const [point] = citiesData([city({ bbox: [135, 34, 136, 35] })], 'en', { centre: () => at }).features;
    return (point!.geometry as { coordinates?: unknown }).coordinates;
  };
  assert.deepEqual(centre([135.2, 34.9]), [135.2, 34.9], 'the middle of the data may be sea');
  assert.deepEqual(centre([137, 34.9]), [135.5, 34.5], 'data that is elsewhere is shown where it is');
  const colours = cityColours([city({}), tilesOnly], 'year', 2024, PALETTES.dark);
  assert.deepEqual([...colours.keys()], [city({}).code, '12100']);
  assert.ok([...colours.values()].every((colour) => PALETTES.dark.ramp.includes(colour)));
});

test('the map is coloured by meshes that have files at every zoom from the second meshes on', () => {
  const cities = [city({ bbox: [135, 34, 136, 35] })];
  const at = (zoom: number, west = 135.11, width = 0.3) =>
    coveragePath({ bounds: { west, south: 34.2, east: west + width, north: 34.41 }, zoom }, cities);
  assert.equal(at(MESH_ZOOM - 0.1), null, 'circles of municipalities stand there');
  for (let zoom = MESH_ZOOM; zoom < FINE_ZOOM; zoom += 0.25) {
    assert.equal(at(zoom), '/datacatalog/coverage?digits=6', String(zoom));
  }
  assert.equal(at(FINE_ZOOM), '/datacatalog/coverage?digits=8&bbox=135.1,34.2,135.45,34.45');
  assert.equal(at(FINE_ZOOM, 135.12), at(FINE_ZOOM), 'a small move asks for nothing new');
  assert.equal(at(FINE_ZOOM, 130, 10), '/datacatalog/coverage?digits=6', 'a window as wide as an island');
  assert.equal(at(FINE_ZOOM, 140), null);
});

test('the reasons of the service are said in Japanese', () => {
  assert.match(
    translated('The conditions find 40100 files; at most 20000 are accepted in one pack.')!,
    /40100ファイル.*20000/,
  );
  assert.equal(
    translated('No CityGML is published for 27999.'),
    'この市区町村のCityGMLは公開されていません。',
  );
  assert.match(
    translated('"47900-x" is neither the id of a 3D Tiles dataset nor a spec of a composite.')!,
    /「47900-x」は/,
  );
  assert.match(
    translated(
      'Nothing matches "47900-x". 建築物モデル in 47900 exists as: LOD 1, 2; years 2024; textured and untextured.',
    )!,
    /LOD 1, 2、年度 2024 /,
  );
  assert.match(
    translated('Nothing matches "1-x". For 中央区 (1) there are 3D Tiles of the types bldg, fld.')!,
    /bldg, fld。$/,
  );
  assert.match(
    translated('No hosted package has this file; expected URLs that the catalogue or the file search gave.')!,
    /このファイルを含むパッケージはありません/,
  );
  assert.equal(translated('Something that nobody translated.'), null);
});

test('a licence is named for all data only where all have it, and called free only where it is', () => {
  for (const [ofAll, licence, isOpen] of [
    [null, null, false],
    ['Licensed under CC BY 4.0', 'CC BY 4.0', true],
    ['CC0', 'CC0', true],
    ['CC BY-NC-ND 4.0', 'CC BY-NC-ND 4.0', false],
    ['CC BY-NC 4.0', 'CC BY-NC 4.0', false],
    ['For members only', 'For members only', false],
    ['CC BY 4.0, '.repeat(20), null, false],
  ] as const) {
    assert.deepEqual(licenceClaim(ofAll), { licence, isOpen }, String(ofAll));
  }
});

test('prefectures are counted by LOD', () => {
  const summary: Summary = {
    cities: [
      city({}),
      city({ code: '27140', max_lod: 3 }),
      city({ code: '26100', pref_code: '26', max_lod: null }),
    ],
    prefectures: [
      { code: '26', name: '京都府', kana: null, romaji: 'kyoto-fu' },
      { code: '27', name: '大阪府', kana: null, romaji: 'osaka-fu' },
    ],
    totals: {
      cities: 3,
      packages: 9,
      datasets: 9,
      features: 3,
      bytes: 3,
      newest_year: 2022,
      licences: [],
      licence_of_all: null,
    },
  };
  assert.deepEqual(
    prefecturesOf(summary, 'road').map(({ code, lods }) => [code, lods]),
    [
      ['27', [0, 2, 0, 0, 0]],
      ['26', [0, 1, 0, 0, 0]],
    ],
    'those of the chip',
  );
  assert.deepEqual(
    prefecturesOf(summary).map(({ code, lods }) => [code, lods]),
    [
      ['27', [0, 0, 1, 1, 0]],
      ['26', [1, 0, 0, 0, 0]],
    ],
  );
  assert.ok(hasShown(city({}), 'flood', 2022));
  assert.ok(!hasShown(city({ types: ['bldg'] }), 'road', 2022));
  assert.ok(!hasShown(city({}), 'year', 2024));
});

test('streets and footprints are the newest of each municipality', () => {
  const mvt = (changes: Partial<DatasetRow>) =>
    row({ format: 'MVT', composite_url: 'http://a.example/t', type_en: 'tran', ...changes });
  const rows = [
    mvt({ id: 'old', year: 2020 }),
    mvt({ id: 'new', year: 2023, lod: '1' }),
    mvt({ id: 'fine', year: 2023, lod: '2' }),
    mvt({ id: 'use', type_en: 'luse' }),
    mvt({ id: 'unnamed', city_code: '13102', composite_url: null }),
    mvt({ id: 'rail', type_en: 'rwy', layers: ['Railway'] }),
    mvt({ id: 'ports', type_en: 'urf', layers: ['PortZone'] }),
    mvt({ id: 'zones', type_en: 'urf', layers: ['UseDistrict'] }),
  ];
  assert.deepEqual(
    newestOf(rows).map(({ id }) => id),
    ['zones', 'use', 'new', 'rail'],
    'from the lowest up; of plans of a city those that cover it',
  );
});

test('land is closed rings within the map, without borders', () => {
  const { features } = landTable();
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [{ isFine: true }, { isFine: false }],
  );
  assert.ok(features.every(({ geometry }) => geometry.coordinates.length > 50));
  for (const ring of features.flatMap(({ geometry }) => geometry.coordinates.flat())) {
    assert.deepEqual(ring[0], ring.at(-1));
    for (const [lng, lat] of ring) assert.ok(lng! >= 108 && lng! <= 172 && lat! >= 14 && lat! <= 60);
  }
});

type Land = ReturnType<typeof landTable>['features'][number];

/** Whether a place lies inside of one of the polygons of a feature. */
function holds({ geometry }: Land, [x, y]: readonly [number, number]): boolean {
  return geometry.coordinates.some(([ring]) => {
    let isInside = false;
    for (const [i, [x1, y1]] of (ring as Array<[number, number]>).entries()) {
      const [x2, y2] = ring!.at(i - 1) as [number, number];
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) * (x2 - x1)) / (y2 - y1)) isInside = !isInside;
    }
    return isInside;
  });
}

test('closer in, coasts are fine: harbours and islands lie where they are', () => {
  const [land, lakes] = coastLand(coastTable()).features as Land[];
  const [coarse] = landTable().features;
  // The old port of Osaka, the bay of Numazu near the town, and the sea off Kawasaki.
  for (const at of [
    [135.405, 34.655],
    [138.83, 35.06],
    [139.79, 35.48],
  ] as const) {
    assert.ok(!holds(land!, at), `sea at ${at}`);
  }
  for (const at of [
    [135.5, 34.65],
    [138.86, 35.1],
    [139.75, 35.68],
    [141.35, 43.06],
    [127.68, 26.21],
  ] as const) {
    assert.ok(holds(land!, at), `land at ${at}`);
  }
  assert.ok(holds(lakes!, [136.08, 35.25]), 'Lake Biwa');
  const points = ({ geometry }: Land) => geometry.coordinates.flat(2).length;
  assert.ok(points(land!) > 8 * points(coarse!), 'many times finer than from afar');
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

test('a chip that asks for types has the LOD of these types alone', () => {
  const nagoya = city({ max_lod: 3, max_lods: { bldg: 3, tran: 1, tnm: 1 } });
  assert.deepEqual(
    [null, '3d', 'textured', 'flood', 'road', 'year'].map((shown) => shownLod(nagoya, shown as Shown | null)),
    [3, 3, 3, 1, 1, 3],
  );
  assert.equal(shownLod(city({ max_lods: { bldg: 2 } }), 'road'), null);
  assert.equal(lodNames('3d', wordsOf('en').t)[2], 'LOD 2 Roofs');
  assert.equal(lodNames('road', wordsOf('en').t)[2], 'LOD 2');
  const colour = (shown: Shown | null) =>
    cityColours([nagoya], 'lod', 2024, PALETTES.light, shown).get(nagoya.code);
  assert.equal(colour('road'), PALETTES.light.lods[1]);
  assert.equal(colour(null), PALETTES.light.lods[3]);
});

test('the bar of a pack is full beside "Ready", whatever was said last, and empty while it waits', () => {
  for (const last of [null, { progress: 0 }, { progress: 0.8 }]) {
    assert.equal(shareOf('succeeded', last), 1);
    assert.equal(shareOf('accepted', last), 0);
    assert.equal(shareOf('processing', last), last?.progress ?? 0);
  }
});

describe('figures', () => {
  const chart = { kind: 'histogram', name: 'h', title: 'count', step: 5 } as const;
  const groupsOf = (values: ReadonlyArray<readonly [number | string | null, number]>) =>
    values.map(([value, count]) => ({ by: { h: value }, count, of: {} }));

  test('are read from the address as they are written', () => {
    assert.deepEqual(figuresOf(null), { area: 'all', type: 'bldg', year: null });
    for (const text of ['13,tran', '13101,bldg,2023', 'all,veg']) {
      assert.equal(textOfFigures(figuresOf(text)), text);
    }
    const path = statisticsPath(figuresOf('13101,bldg,2023'), { ...chart, name: 'bldg:measuredHeight' });
    assert.equal(
      path,
      '/citygml/statistics?area=13101&type=bldg&year=2023&attributes=v2&by=bldg:measuredHeight&step=5',
    );
  });

  test('draw every feature once, in classes, below, above or without a number', () => {
    const groups = fc.array(
      fc.tuple(
        fc.oneof(
          fc.integer({ min: -40, max: 200 }).map((n) => n * 5),
          fc.constantFrom(null, 'x'),
        ),
        fc.integer({ min: 1, max: 1_000 }),
      ),
    );
    fc.assert(
      fc.property(groups, (values) => {
        const all = values.reduce((sum, [, count]) => sum + count, 0);
        const { bars, rest } = classesOf(groupsOf(values), chart);
        assert.equal(
          bars.reduce((sum, { count }) => sum + count, rest),
          all,
        );
        assert.ok(bars.length <= 40);
        for (const [n, { value }] of bars.entries()) if (n > 0) assert.equal(value, bars[n - 1]!.value + 5);
        const { bars: rows, others } = barsOf(groupsOf(values), chart, ', ');
        assert.equal(
          rows.reduce((sum, { count }) => sum + count, others),
          all,
        );
      }),
    );
  });

  test('have a class for each step, the last one open', () => {
    const { bars, isOpen, rest } = classesOf(
      groupsOf([
        [10, 7],
        [0, 3],
        [500, 2],
        [null, 4],
      ]),
      chart,
    );
    assert.deepEqual(
      bars.slice(0, 3).map(({ count }) => count),
      [3, 0, 7],
    );
    assert.deepEqual([bars.length, bars.at(-1), isOpen, rest], [40, { value: 195, count: 2 }, true, 4]);
  });
});

test('the place of a map that nobody has moved is not kept, and the first one again is once it was moved', () => {
  const isResting = firstPlaceOnly(true);
  const [first, other] = [
    [139.7, 35.6, 9],
    [139.7, 35.7, 9],
  ];
  const places = [first!, [139.70001, 35.6, 9], other!, first!];
  assert.deepEqual(places.map(isResting), [true, true, false, false]);
  assert.deepEqual(places.map(firstPlaceOnly(false)), [false, false, false, false]);
});
