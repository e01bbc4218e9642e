/** What the portal's map shows, without a browser. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl';
import { type Area, parseArea } from '../packages/portal/src/core/area.ts';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { wordsOf } from '../packages/portal/src/core/i18n.ts';
import type { Colouring, Shown } from '../packages/portal/src/core/state.ts';
import {
  hasShown,
  prefecturesOf,
  type Summary,
  type SummaryCity,
  shownLod,
} from '../packages/portal/src/core/summary.ts';
import { addBase, type BaseLayer, newestOf } from '../packages/portal/src/map/base-layers.ts';
import { classNames, isInLegend, lodNames } from '../packages/portal/src/map/classes.ts';
import { separateBoxes } from '../packages/portal/src/map/condition-place.ts';
import { coveragePath } from '../packages/portal/src/map/coverage-path.ts';
import { firstBounds, MAIN_ISLANDS } from '../packages/portal/src/map/first-view.ts';
import { layerRows } from '../packages/portal/src/map/layer-rows.ts';
import { areasData, citiesData, cityColours, meshesData } from '../packages/portal/src/map/map-data.ts';
import { FINE_ZOOM, MESH_ZOOM, meshOpacity } from '../packages/portal/src/map/map-style.ts';
import { classColours, over, PALETTES } from '../packages/portal/src/map/palette.ts';
import { startOf, type TileState, TileTally } from '../packages/portal/src/map/tile-tally.ts';
import { city, row } from './support/portal-rows.ts';

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
    const drawn = ['https://b.example/{z}/{x}/{y}.mvt', 'https://a.example/x/{z}/{x}/{y}.mvt'];
    tally.keep(drawn);
    assert.deepEqual(states.at(-1), { loaded: 1, failed: 1, offline: true });
    tally.keep(drawn.slice(0, 1));
    assert.deepEqual(states.at(-1), { loaded: 0, failed: 0, offline: false });
    await assert.rejects(tally.fetch('https://a.example/x/nowhere', new AbortController().signal));
    assert.deepEqual(tally.takeFailed(), []);
    assert.deepEqual(states.at(-1), { loaded: 0, failed: 0, offline: false });
    assert.equal(startOf(drawn[0]!), 'https://b.example/');
  });
});

test('classes are called by what they hold, years back to the fourth', () => {
  const names = (by: Colouring, ja: boolean) =>
    classNames(by, 2024, { lods: ['a', 'b'], older: ja ? '以前' : 'and before', ja });
  assert.deepEqual(names('year', true), ['2020以前', '2021', '2022', '2023', '2024']);
  assert.deepEqual(names('year', false), ['2020 and before', '2021', '2022', '2023', '2024']);
  assert.deepEqual(names('lod', true), ['a', 'b']);
  assert.equal(names('types', true).length, 5);
});

test('the legend names the LODs of meshes, of which some are below that of their municipality', () => {
  const shown = (areCircles: boolean) =>
    [0, 1, 2, 3, 4].filter((i) => isInLegend(i, [0, 0, 193, 107, 0], 'lod', areCircles));
  assert.deepEqual(shown(true), [2, 3]);
  assert.deepEqual(shown(false), [1, 2, 3]);
  assert.ok(isInLegend(4, [1, 0, 0, 0, 0], 'year', true));
  assert.ok(isInLegend(1, [0, 0, 1], 'lod', false) && !isInLegend(0, [0, 0, 1], 'lod', false));
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
  for (const corner of [
    [135, 34],
    [136, 35],
  ] as Array<[number, number]>)
    assert.deepEqual(centre(corner), corner);
  const [bare] = citiesData([city({ bytes: 0 })], 'en').features;
  assert.equal(bare!.properties!.size, 0);
  const [tiny] = citiesData([city({ bytes: 1 })], 'en').features;
  assert.equal(tiny!.properties!.size, 1);
  const drawn = (sketch: Area | null) =>
    areasData([parseArea('m:53394509,53394519')!], sketch).features.map(({ geometry }) => geometry.type);
  assert.deepEqual(drawn(null), ['Polygon', 'Polygon']);
  const triangle = drawn(parseArea('p:1,2;3,2;3,4'));
  assert.deepEqual(triangle, ['Polygon', 'Polygon', 'Polygon', 'Point', 'Point', 'Point']);
  assert.deepEqual(centre([137, 34.9]), [135.5, 34.5], 'data that is elsewhere is shown where it is');
  const colours = cityColours([city({}), tilesOnly], 'year', 2024, PALETTES.dark);
  assert.deepEqual([...colours.keys()], [city({}).code, '12100']);
  assert.ok([...colours.values()].every((colour) => PALETTES.dark.ramp.includes(colour)));
  const byYear = [[2024, 2020], [2021], []].map((years) =>
    PALETTES.dark.ramp.indexOf([...cityColours([city({ years })], 'year', 2024, PALETTES.dark).values()][0]!),
  );
  assert.deepEqual(byYear, [4, 1, 0]);
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
  assert.ok(hasShown(city({}), null, 2024));
  assert.deepEqual(
    [{}, { types: ['tran'] }, { formats: ['MVT'] }].map((changes) => hasShown(city(changes), '3d', 2024)),
    [true, false, false],
  );
  const [kyoto] = prefecturesOf({ ...summary, cities: [...summary.cities, city({ pref_code: '99' })] }).slice(
    -1,
  );
  assert.deepEqual([kyoto!.romaji, kyoto!.cities.length], ['kyoto-fu', 1]);
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
  const years = (rows: DatasetRow[]) => newestOf(rows).map(({ id }) => id);
  const [first, second] = [mvt({ id: 'first' }), mvt({ id: 'second' })];
  assert.deepEqual([years([first, second]), years([second, first])], [['first'], ['second']], 'of equals');
  const [older, lower] = [mvt({ id: 'older', year: 2020, lod: '0' }), mvt({ id: 'lower', lod: '0' })];
  assert.deepEqual(
    [years([first, older]), years([first, lower]), years([lower, first])],
    [['first'], ['lower'], ['lower']],
  );
  const wards = Array.from({ length: 25 }, (_, n) =>
    mvt({ id: `${n}`, ward_code: `${13101 + n}`, city_code: '13100' }),
  );
  assert.equal(years([...wards, mvt({ city_code: '13100' })]).length, 20);
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

test('layers of the map: one row for a type of a place, its years inside, the newest first', () => {
  const row = (id: string, year: number, lod: string) => ({ id, year, lod }) as unknown as DatasetRow;
  const rows = layerRows(
    [row('a1', 2024, '1'), row('b', 2023, '1'), row('a3', 2023, '1'), row('a2', 2024, '2')],
    ({ id }) => id[0]!,
  );
  assert.deepEqual(
    rows.map(({ name, datasets, hasLods, hasYears }) => [
      name,
      datasets.map(({ id }) => id).join(' '),
      hasLods,
      hasYears,
    ]),
    [
      ['a', 'a2 a1 a3', true, true],
      ['b', 'b', false, false],
    ],
  );
});

test('files of a place that lie afar have outlines of their own, those beside each other one', () => {
  const box = (west: number, south: number) => ({ west, south, east: west + 0.0125, north: south + 0.01 });
  const far = { west: 139.7, south: 35.69, east: 139.701, north: 35.691 };
  const near = [box(139.85, 35.74), box(139.875, 35.74), box(139.8625, 35.74)];
  assert.deepEqual(separateBoxes([far, ...near]), [
    far,
    { west: 139.85, south: 35.74, east: 139.8875, north: 35.75 },
  ]);
  assert.deepEqual(separateBoxes([]), []);
});

test('names on the map can be read over the colours of meshes in the dark, too', () => {
  const { lods, land, quietText, gridText } = PALETTES.dark;
  for (const below of lods.map((colour) => over(colour, meshOpacity(0, false), land))) {
    for (const text of [quietText, gridText]) assert.ok(contrast(text, below) > 2.4, `${text} on ${below}`);
  }
});

/** Ratio of the luminances of two colours, as WCAG 2.2 defines it. */
function contrast(one: string, other: string): number {
  const [a, b] = [one, other].map((colour) => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  }) as [number, number];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

test('waters and lines without a name have none on the map, whatever stands in its place', () => {
  const parts = { ground: [], over: [], names: [] as LayerSpecification[] };
  const tileJson = {
    tiles: ['https://a.example/{z}/{x}/{y}.mvt'],
    vector_layers: [{ id: 'Waterway', fields: { gml_name: 'String' } }],
  };
  const layer = { id: 'a', type: 'wwy', tileJson } as unknown as BaseLayer;
  addBase(layer, PALETTES.light, {}, parts, ['sans-serif']);
  const field = (parts.names[0] as SymbolLayerSpecification).layout!['text-field'];
  const name = ['get', 'gml_name'];
  const none = ['literal', ['Null', 'null', 'NULL', '-', '不明']];
  assert.deepEqual(field, ['case', ['in', name, none], '', name]);
});
