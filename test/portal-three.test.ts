/** What the 3D view works out without a browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { spatialIdOf } from '../packages/geo/src/index.ts';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { featuresPath } from '../packages/portal/src/core/feature-query.ts';
import { wordsOf } from '../packages/portal/src/core/i18n.ts';
import { PARAMETERS } from '../packages/portal/src/core/parameters.ts';
import { rememberNames, type SummaryCity } from '../packages/portal/src/core/summary.ts';
import { cardFacts } from '../packages/portal/src/three/card-facts.ts';
import {
  bestOf,
  citiesWithModels,
  findCities,
  firstCity,
  kindsOf,
} from '../packages/portal/src/three/choice.ts';
import { colourMenu } from '../packages/portal/src/three/colour-menu.ts';
import {
  countClasses,
  HEIGHT_BOUNDS,
  KINDS,
  MISSING,
  numberOf,
  OTHER,
  propertiesFor,
  RAMP,
  roundBounds,
  SELECTED,
  scaleFor,
  shortName,
} from '../packages/portal/src/three/colouring.ts';
import { effectsState } from '../packages/portal/src/three/effects-state.ts';
import { isAllowed, isOurs, PROTOCOL, readCommand } from '../packages/portal/src/three/embed-protocol.ts';
import { featureFilter, interfaceName } from '../packages/portal/src/three/filter.ts';
import { attributesOfTile, floodFacts, isSameFlood } from '../packages/portal/src/three/flood-facts.ts';
import { focusOf, type TilesetNode } from '../packages/portal/src/three/focus.ts';
import { frameOf } from '../packages/portal/src/three/frame-code.ts';
import { hintOf } from '../packages/portal/src/three/hint.ts';
import { modelName } from '../packages/portal/src/three/models.ts';
import { airOf, hexOf, rgbOf, sizeSeen } from '../packages/portal/src/three/scene/air.ts';
import { borderOf, groundPicture, landAround } from '../packages/portal/src/three/scene/ground-border.ts';
import { groundHeight, localGround } from '../packages/portal/src/three/scene/ground-height.ts';
import { PICTURE_SIZE } from '../packages/portal/src/three/scene/ground-picture.ts';
import { groundDatasets, landColour, PAPER } from '../packages/portal/src/three/scene/ground-style.ts';
import {
  boundsAround,
  boundsOfTile,
  groundBounds,
  isSameBox,
  MOST_TILES,
  meets,
  sourceTile,
  tilesAround,
  tilesOver,
} from '../packages/portal/src/three/scene/ground-tiles.ts';
import { drawsInSoftware } from '../packages/portal/src/three/scene/software.ts';
import { en, fill, ja } from '../packages/portal/src/three/strings.ts';
import { momentOf, sunlightAt } from '../packages/portal/src/three/sunlight.ts';
import { TileCount } from '../packages/portal/src/three/tile-count.ts';
import { conditionOn, toggleCondition, withCondition } from '../packages/portal/src/three/where.ts';
import { formatTilesSpec } from '../packages/server/src/catalogue/specs/tiles-spec.ts';

const NO_TITLES: ReadonlyMap<string, string> = new Map();

let number = 0;

/** A 3D Tiles dataset, whose own spec is made of what it is. */
function row(changes: Partial<DatasetRow> & { spec: string }): DatasetRow {
  const { spec, ...rest } = changes;
  return {
    id: `set${number++}`,
    name: '建築物モデル',
    pref: '沖縄県',
    pref_code: '47',
    city: '青凪市',
    city_code: '47900',
    type: '建築物モデル',
    type_en: 'bldg',
    url: `http://a.example/assets/00/0/47900_aonagi-shi_city_2024_citygml_1_op_${spec}/tileset.json`,
    year: 2024,
    registration_year: 2025,
    spec: '4.1',
    format: '3D Tiles',
    lod: '1',
    texture: false,
    composite_url: `http://a.example/datacatalog/3dtiles/${spec}/tileset.json`,
    file_size: 1,
    bbox: [129.68, 25.78, 129.69, 25.8],
    license: 'CC BY 4.0',
    ...rest,
  } as DatasetRow;
}

const CITY = [
  row({ spec: '47901-bldg-lod1-2024', ward: '港見区', ward_code: '47901' }),
  row({ spec: '47901-bldg-lod2-texture-2024', lod: '2', texture: true, ward: '港見区', ward_code: '47901' }),
  row({ spec: '47901-bldg-lod2-notexture-2024', lod: '2', ward: '港見区', ward_code: '47901' }),
  row({ spec: '47900-bldg-lod1-2020', year: 2020 }),
  row({ spec: '47900-tran-lod2-2024', type_en: 'tran', lod: '2' }),
  row({ spec: '47900-fld_natl_sumimigawa_l2-lod1-2024', type_en: 'fld', name: '洪水 澄見川' }),
];

function summaryCity(changes: Partial<SummaryCity> & { code: string }): SummaryCity {
  return {
    name: '',
    kana: null,
    romaji: null,
    pref_code: '47',
    pref: '沖縄県',
    bbox: [129.68, 25.78, 129.69, 25.8],
    types: ['bldg'],
    formats: ['CityGML', '3D Tiles'],
    years: [2024],
    max_lod: 2,
    max_lods: { bldg: 2 },
    textured: false,
    wards: [],
    datasets: 1,
    features: 1,
    bytes: 1,
    ...changes,
  };
}

const CITIES = [
  summaryCity({ code: '47910' }),
  summaryCity({ code: '47900', name: '青凪市', romaji: 'aonagi-shi', kana: 'あおなぎし', textured: true }),
  summaryCity({
    code: '13101',
    name: '千代田区',
    pref: '東京都',
    years: [2025],
    bbox: [139.73, 35.66, 139.78, 35.7],
  }),
  summaryCity({ code: '01100', formats: ['CityGML'] }),
];

describe('the choice of a model', () => {
  test('brings the sets of a municipality together, buildings first', () => {
    const kinds = kindsOf(CITY);
    assert.deepEqual(
      kinds.map(({ key }) => key),
      ['bldg', 'fld_natl_sumimigawa_l2', 'tran'],
    );
    const [buildings, flood] = kinds;
    assert.deepEqual([buildings!.lods, buildings!.years, buildings!.texture], [[1, 2], [2024, 2020], true]);
    assert.equal(formatTilesSpec(bestOf('47900', buildings!)), '47900-bldg-maxlod4-latest');
    assert.equal(formatTilesSpec(bestOf('47900', flood!)), '47900-fld_natl_sumimigawa_l2-maxlod4-latest');
  });

  test('finds municipalities by name, readings and code', () => {
    const cities = citiesWithModels(CITIES);
    const found = (text: string) => findCities(cities, text).map(({ code }) => code);
    for (const text of ['青凪', 'Aonagi', 'aona', 'あおなぎ', '47900', '沖縄県青', '４７９００']) {
      assert.deepEqual(found(text), ['47900'], text);
    }
    assert.deepEqual(found(''), ['13101', '47900', '47910']);
    assert.deepEqual(found('どこにもない'), []);
  });

  test('opens on what the map shows, else on the newest textured buildings', () => {
    const cities = citiesWithModels(CITIES);
    const first = (pick: string | null, at: [number, number, number] | null) =>
      firstCity(cities, { pick, at })?.code;
    assert.equal(first(null, null), '47900');
    assert.equal(first('13101', null), '13101');
    assert.equal(first('47901', null), '47900');
    assert.equal(first('47912', null), '47910', 'the nearest city below a ward');
    assert.equal(first(null, [139.75, 35.68, 12]), '13101');
    assert.equal(first('g:somewhere', [139.75, 35.68, 4]), '47900');
    assert.equal(first('01100', null), '47900', 'one without models');
    assert.equal(firstCity([], { pick: null, at: null }), null);
  });

  test('names models in words', () => {
    rememberNames([['47900', 'aonagi-shi']]);
    const name = (model: string, language: 'ja' | 'en' = 'ja') =>
      modelName(model, CITY, wordsOf(language), language === 'ja' ? ja : en);
    assert.equal(name('47900-bldg-maxlod4-latest'), '青凪市 · 建築物 · 最高LOD · 最新');
    assert.equal(name('47900-bldg-maxlod2-2024', 'en'), 'Aonagi · Buildings · highest detail · 2024');
    assert.equal(name('47900-bldg-lod1-texture-latest'), '青凪市 · 建築物 · LOD 1 · 最新 · テクスチャ付き');
    assert.equal(name(CITY[0]!.id), '青凪市港見区 · 建築物 · LOD 1 · 2024年度');
    assert.equal(name('47900-fld_natl_sumimigawa_l2-lod1-latest'), '青凪市 · 洪水 澄見川 · LOD 1 · 最新');
    assert.equal(name('47900-fld_natl_sumimigawa_l2-maxlod4-latest'), '青凪市 · 洪水 澄見川 · 最新');
    assert.equal(
      name('47900-fld_natl_sumimigawa_l2-maxlod4-latest', 'en'),
      'Aonagi · River flooding Sumimigawa, worst case · newest',
    );
    assert.equal(name('47900-fld_natl_sumimigawa_l2-latest'), '青凪市 · 洪水 澄見川 · 最新', 'an old link');
    assert.equal(name('nothing known'), 'nothing known');
    assert.equal(name(CITY[0]!.id, 'en'), 'Aonagi 港見区 · Buildings · LOD 1 · 2024');
    assert.equal(name('47900-bldg-maxlod1-latest'), '青凪市 · 建築物 · LOD 1 · 最新');
    assert.equal(
      name('47900-bldg-lod2-notexture-2024'),
      '青凪市 · 建築物 · LOD 2 · 2024年度 · テクスチャなし',
    );
    // What the municipality has not.
    assert.equal(name('47900-brid-lod1-2024'), '青凪市 · 橋梁 · LOD 1 · 2024年度');
    assert.equal(name('47900-brid-maxlod0-2024'), '青凪市 · 橋梁 · 最高LOD · 2024年度');
    assert.equal(
      name('47900-fld_natl_x-lod1-2024'),
      `青凪市 · ${wordsOf('ja').type('fld')} · LOD 1 · 2024年度`,
    );
    assert.equal(name('99999-bldg-lod1-2024').split(' · ')[0], '99999');
  });

  test('looks first at the densest place', () => {
    const leaf = (west: number, width: number) => ({
      boundingVolume: { region: [west, 0, west + width, width, 0, 9] },
    });
    const root = { ...leaf(0, 1), children: [leaf(0, 0.3), leaf(0.5, 0.1), leaf(0.7, 0.2)] };
    assert.ok(Math.abs(focusOf(root)!.bounds.west - (0.5 * 180) / Math.PI) < 1e-9);
    // A composite's tiles are tilesets, which are to be looked into.
    const composite = {
      ...leaf(0, 1),
      children: [{ ...leaf(0.5, 0.1), content: { uri: 'a/tileset.json' } }],
    };
    assert.deepEqual([focusOf(root)!.uri, focusOf(composite)!.uri], [null, 'a/tileset.json']);
    assert.equal(focusOf({ boundingVolume: {} }), null);
    // A town of blocks, and one smaller block far away from everything
    const block = (west: number, south: number, size: number): TilesetNode => ({
      boundingVolume: { region: [west, south, west + size, south + size, 0, 10] },
    });
    const town = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => block(2.4 + i * 2e-5, 0.6 + j * 2e-5, 2e-5)));
    const whole = { boundingVolume: { region: [2.4, 0.6, 2.41, 0.61, -5, 300] } };
    const all = { ...whole, children: [block(2.409, 0.609, 1.5e-5), ...town] };
    const centre = focusOf(all)!;
    const middle = centre.bounds;
    assert.deepEqual([centre.low, centre.high], [0, 10], 'heights of the town, not of a hill elsewhere');
    const degrees = (radians: number) => (radians * 180) / Math.PI;
    assert.ok(
      Math.abs((middle.west + middle.east) / 2 - degrees(2.4 + 3e-5)) < 1e-6,
      'the middle of the town',
    );
    assert.ok(Math.abs((middle.south + middle.north) / 2 - degrees(0.6 + 3e-5)) < 1e-6);
    // A strip of few buildings beside a block of many, as at the edge of a mesh
    const strip = { boundingVolume: { region: [2.4, 0.60004, 2.40001, 0.600042, 0, 10] } };
    const edge = focusOf({ ...block(2.4, 0.6, 1e-4), children: [block(2.4, 0.6, 4e-5), strip] })!.bounds;
    assert.ok(edge.south < degrees(0.600001) && edge.north > degrees(0.600041), 'both are looked at');
    // Of tiles far from each other the smallest one, as its size is in metres.
    const tile = (west: number, south: number, wide: number, high: number): TilesetNode => ({
      boundingVolume: { region: [west, south, west + wide, south + high, 0, 10] },
    });
    const westOf = (...children: TilesetNode[]) => {
      const found = [children, children.toReversed()].map(
        (list) => focusOf({ ...whole, children: list })!.bounds.west,
      );
      assert.equal(found[0], found[1]);
      return found[0]!;
    };
    assert.equal(westOf(tile(1, 0.6, 1.1e-4, 1e-4), tile(2, 0, 1e-4, 1e-4)), degrees(1));
    assert.equal(westOf(tile(1, 0, 2e-4, 1e-4), tile(2, 0, 1.5e-4, 1.5e-4)), degrees(1));
    assert.equal(westOf(tile(1, 0.6, 1e-4, 1e-4), tile(2, 0, 1e-4, 2e-4)), degrees(1));
    const twice = ['a', 'b'].map((uri) => ({ ...tile(1, 0, 1e-4, 1e-4), content: { uri }, children: [] }));
    assert.equal(focusOf({ ...whole, children: twice })!.uri, 'a', 'the first of equals');
    // A pair, by how much denser another one has to be than either: its own density counts twice.
    const dense = (west: number, times: number) => tile(west, 0, 2e-5, 2e-5 / times);
    for (const [apart, times, expected] of [
      [4e-5, 1.4, 2],
      [4e-5, 1.2, 1],
      [1.2e-4, 0.9, 1],
    ] as const)
      assert.equal(
        Math.floor(
          focusOf({ ...whole, children: [dense(1, 1), dense(1 + apart, 1), dense(2, times)] })!.bounds.west,
        ),
        Math.floor(degrees(expected)),
        `${apart} ${times}`,
      );
    // As far as BESIDE in metres, at 60 degrees north
    for (const [east, north, isWithin] of [
      [7.8e-5, 0, true],
      [8.2e-5, 0, false],
      [0, 3.9e-5, true],
      [0, 4.1e-5, false],
    ] as const) {
      const south = Math.PI / 3;
      const children = [tile(1, south, 1e-5, 1e-5), tile(1 + east, south + north - 5e-6, 1e-5, 2e-5)];
      const { bounds } = focusOf({ ...whole, children })!;
      const isWhole = bounds.east > degrees(1.000015) || bounds.north > degrees(south + 1.6e-5);
      assert.equal(isWhole, isWithin, `${east} ${north}`);
    }
    // What lies beside it is looked at, too, unless it is wider than a town.
    for (const [wide, isWithin] of [
      [1.5e-4, true],
      [1.7e-4, false],
    ] as const) {
      const { bounds } = focusOf({
        ...whole,
        children: [tile(1, 0, 1e-5, 1e-5), tile(1 - wide / 2, 0, wide, 3e-5)],
      })!;
      assert.equal(bounds.west < degrees(1), isWithin, `${wide}`);
    }
  });
});

describe('colours', () => {
  test('find a property however it is spelled', () => {
    const structure = 'uro:BuildingDetailAttribute_uro:buildingStructureType';
    const names = [
      'gml_id',
      'bldg:measuredHeight',
      'bldg_measuredHeight',
      'bldg:usage',
      '_lod',
      '用途地域',
      structure,
    ];
    assert.deepEqual(propertiesFor('height', names), ['bldg:measuredHeight', 'bldg_measuredHeight']);
    assert.deepEqual(propertiesFor('use', names), ['bldg:usage']);
    assert.deepEqual(propertiesFor('structure', names), [structure]);
    assert.deepEqual(propertiesFor('uro:buildingStructureType', names), [structure]);
    // glTF and b3dm side by side
    const identifier = structure.replaceAll(':', '_');
    assert.deepEqual(propertiesFor('uro:buildingStructureType', [structure, identifier]), [
      structure,
      identifier,
    ]);
    assert.deepEqual(propertiesFor('lod', names), ['_lod']);
    assert.deepEqual(propertiesFor('用途地域', names), ['用途地域']);
    assert.deepEqual(propertiesFor('absent', names), []);
    assert.equal(shortName(structure), 'uro:buildingStructureType');
    assert.equal(shortName('bldg:usage'), 'bldg:usage');
    assert.deepEqual(['a_b:c', '_lod'].map(shortName), ['b:c', '_lod']);
    assert.equal(interfaceName([structure]), 'uro:buildingStructureType');
    assert.equal(interfaceName(['bldg_yearOfConstruction']), 'bldg:yearOfConstruction');
    assert.equal(interfaceName(['_zmax']), '');
  });

  test('are chosen by what people call them, and by no name for machines', () => {
    const names = new Set([
      'gml_id',
      'attributes',
      'bldg:usage',
      'bldg:measuredHeight',
      'bldg:storeysAboveGround',
      'bldg_storeysAboveGround',
      'city_name',
      'uro:BuildingDetailAttribute_uro:buildingRoofEdgeArea',
      'uro:someNewThing',
      'urf:class',
      'tran:class',
      'bldg:class',
    ]);
    const { attribute } = wordsOf('en');
    assert.deepEqual(
      colourMenu('', names, NO_TITLES, 'en', attribute).map(({ label }) => label),
      [
        'Class (Buildings)',
        'Class (Roads)',
        'Class (Urban planning)',
        'Municipality',
        'Roof area',
        'Some new thing',
        'Storeys above ground',
      ],
    );
    for (const { name, label } of colourMenu('', names, NO_TITLES, 'ja', wordsOf('ja').attribute)) {
      if (!/NewThing|urf/.test(name)) assert.match(label, /\p{Script=Han}|\p{Script=Katakana}/u);
    }
    assert.deepEqual(colourMenu('bldg:usage', new Set(), NO_TITLES, 'en', attribute), [
      { name: 'bldg:usage', label: 'Use' },
    ]);
    assert.deepEqual(colourMenu('height', new Set(), NO_TITLES, 'en', attribute), []);
    const menu = (...names: string[]) => colourMenu('', new Set(names), NO_TITLES, 'en', attribute);
    // Of one spelling the name with a colon counts, and of several such names the first.
    for (const other of ['gen_new_DM_thing', 'Gen_new_DM_thing', 'gen:new_DM_thing:'])
      assert.equal(menu(other, 'gen:new_DM_thing')[0]!.name, 'gen:new_DM_thing', other);
    assert.deepEqual(
      menu('gen:new_DM_thing', 'gen:new_DM-thing').map(({ name, label }) => [name, label]),
      [['gen:new_DM-thing', 'New DM-thing']],
    );
    assert.deepEqual(
      ['gen:my_tran_note', 'gen:__', 'my_tran_OtherNote'].map((name) => menu(name)[0]!.label),
      ['My tran note', 'gen:__', 'Other note'],
    );
    assert.deepEqual(
      menu('urf:newThing', 'tran:newThing').map(({ label }) => label),
      ['New thing (Roads)', 'New thing (Urban planning)'],
    );
  });

  test('offers names that people have for them in both languages, and no code beside its label', () => {
    // Of a published city, as tiles have them
    const titles = new Map([
      ['x_11cfaa4f', '2（都道府県管理区間）_L1（計画規模）_浸水ランク'],
      ['x_449f6281', '2（都道府県管理区間）_L1（計画規模）_浸水ランクコード'],
      ['x_d3372f03', '2（都道府県管理区間）_L2（想定最大規模）_浸水深'],
      ['uro_lod1HeightType', 'uro:lod1HeightType'],
      ['uro_lod1HeightType_code', 'uro:lod1HeightType_code'],
      ['uro_BuildingDetailAttribute_uro_orgUsage', 'uro:BuildingDetailAttribute_uro:orgUsage'],
      ['uro_BuildingDetailAttribute_uro_orgUsage_code', 'uro:BuildingDetailAttribute_uro:orgUsage_code'],
    ]);
    const names = new Set([
      ...titles.keys(),
      ...['meshcode', 'feature_type', 'city_code', 'gml_id', 'attributes', 'core_creationDate', 'x_0badcafe'],
      ...['_x', '_y', '_xmin', '_zmax', '_lod', 'uro_geometrySrcDescLod2', 'uro_geometrySrcDescLod2_code'],
      ...['uro_BuildingDetailAttribute_uro_urbanPlanType', 'bldg_usage_code', 'bldg_usage'],
    ]);
    const labels = (language: 'ja' | 'en') =>
      colourMenu('', names, titles, language, wordsOf(language).attribute).map(({ label }) => label);
    assert.deepEqual(labels('en'), [
      '2 (prefectural section), planned scale, depth class',
      '2 (prefectural section), worst case, depth',
      'Source of shapes, LOD 2',
      'Urban planning area',
      'Use, local classes',
      'What the height of LOD 1 is',
    ]);
    assert.equal(labels('ja').length, 6);
    for (const label of labels('ja')) {
      assert.match(label, /\p{Script=Han}/u);
      assert.doesNotMatch(label, /uro|_|[0-9a-f]{8}/);
    }
  });

  test('heights have the same classes whatever is loaded, with their unit', () => {
    const few = scaleFor('height', 'bldg:measuredHeight', [4]);
    const many = scaleFor('height', 'bldg:measuredHeight', [1, 2, 3, 250, 300]);
    assert.deepEqual(few.legend, many.legend);
    assert.deepEqual(
      few.legend.map(({ label }) => label),
      [
        '< 3 m',
        '3 – 6 m',
        '6 – 10 m',
        '10 – 15 m',
        '15 – 31 m',
        '31 – 60 m',
        '60 – 100 m',
        '100 – 200 m',
        '≥ 200 m',
        '',
      ],
    );
    assert.equal(few.legend[1]!.condition, 'bldg:measuredHeight>=3;bldg:measuredHeight<6');
    assert.equal(new Set(few.legend.map(({ colour }) => colour)).size, HEIGHT_BOUNDS.length + 2);
  });

  test('a feature is in the class whose condition it meets', () => {
    const value = fc.oneof(fc.integer({ min: -20, max: 600 }), fc.constantFrom(-9999, 9999, null, ''));
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1 }),
        fc.constantFrom('height', 'year', 'level'),
        (values, colouring) => {
          const scale = scaleFor(colouring, 'x', values);
          for (const one of values) {
            const { condition, kind } = scale.legend[scale.classOf(one)]!;
            const unknown = one === -9999 || one === 9999;
            // Data says of an unknown number that it is one, where a table has nothing.
            if (unknown && kind === 'missing') continue;
            const accepts = featureFilter(condition!, ['x']);
            assert.ok(condition === null || accepts!({ getProperty: () => one }), `${one} in ${condition}`);
          }
          assert.equal(
            countClasses(scale, values).reduce((a, b) => a + b),
            values.length,
          );
        },
      ),
    );
  });

  test('kinds beyond the most frequent share a colour', () => {
    const values = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: 12 - i }, () => `kind ${i}`),
    ).flat();
    const scale = scaleFor('use', 'bldg:usage', [...values, null, '']);
    assert.deepEqual(
      scale.legend.slice(-2).map(({ kind, colour }) => [kind, colour]),
      [
        ['other', OTHER],
        ['missing', MISSING],
      ],
    );
    assert.equal(scale.legend[scale.classOf('kind 11')]!.kind, 'other');
    assert.equal(scale.legend[scale.classOf(undefined)]!.kind, 'missing');
    assert.notEqual(scale.classOf('kind 0'), scale.classOf('kind 1'));
    assert.equal(numberOf(' '), null);
    assert.equal(numberOf('2.5'), 2.5);
  });

  test('as many kinds as there are colours need no other', () => {
    const kinds = KINDS.map((_, i) => `kind ${i}`);
    const legend = (values: readonly string[]) =>
      scaleFor('use', 'bldg:usage', values).legend.map(({ kind }) => kind);
    assert.deepEqual(legend(kinds), [...kinds.map(() => 'class'), 'missing']);
    assert.deepEqual(legend([...kinds, 'more']), [...kinds.map(() => 'class'), 'other', 'missing']);
    assert.deepEqual(legend([]), ['missing']);
  });

  test('other numbers have round bounds', () => {
    assert.deepEqual(roundBounds([7, 30, 68]), [0.2, 0.5, 1, 2, 5, 10, 20, 50]);
    assert.deepEqual([roundBounds([0]), roundBounds([-3]), roundBounds([])], [[], [], []]);
  });

  test('the outline is unlike every colour of a palette', () => {
    const lab = (css: string) => {
      const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(css.slice(at, at + 2), 16) / 255) as [
        number,
        number,
        number,
      ];
      return [r, g, b];
    };
    const away = (a: string, b: string) => Math.hypot(...lab(a).map((part, i) => part - lab(b)[i]!));
    for (const colour of [...RAMP, ...KINDS, OTHER, MISSING]) {
      assert.ok(away(SELECTED, colour) > 0.45, `${colour}: ${away(SELECTED, colour)}`);
    }
  });
});

test('clicks put conditions together, one class of a property at a time', () => {
  const wooden = toggleCondition('', 'uro:buildingStructureType', 'uro:buildingStructureType=木造・土蔵造');
  const old = toggleCondition(wooden, 'bldg:yearOfConstruction', 'bldg:yearOfConstruction<1981');
  assert.equal(old, 'uro:buildingStructureType=木造・土蔵造;bldg:yearOfConstruction<1981');
  assert.equal(conditionOn(old, 'bldg:yearOfConstruction'), 'bldg:yearOfConstruction<1981');
  assert.equal(withCondition(old, 'bldg:yearOfConstruction', ''), wooden);
  assert.equal(
    toggleCondition(old, 'uro:buildingStructureType', 'uro:buildingStructureType=木造・土蔵造'),
    'bldg:yearOfConstruction<1981',
  );
  const path = featuresPath(
    {
      place: { bounds: { west: 1, south: 2, east: 3, north: 4 } },
      type: 'bldg',
      city: '47900',
      where: old,
    },
    'csv',
  );
  const query = new URL(path, 'http://a.example').searchParams;
  assert.deepEqual(Object.fromEntries(query), {
    bbox: '1,2,3,4',
    type: 'bldg',
    city_code: '47900',
    where: old,
    attributes: 'v2',
    format: 'csv',
  });
});

test('conditions that cannot be understood hide nothing', () => {
  assert.equal(featureFilter('nonsense', ['x']), null);
  assert.equal(featureFilter('', ['x']), null);
});

test('the card says first what people ask, and floods as scenarios', () => {
  const facts = cardFacts({
    'gml:id': 'bldg_1',
    'gml:name': '青凪市役所',
    'bldg:measuredHeight': 24.2,
    'bldg:measuredHeight_uom': 'm',
    'bldg:storeysAboveGround': 6,
    'bldg:storeysBelowGround': 9999,
    'bldg:usage': ['官公庁施設'],
    'bldg:usage_code': ['421'],
    'bldg:yearOfConstruction': '0001',
    'bldg:address': ['沖縄県青凪市'],
    'bldg:roofType': '陸屋根',
    'uro:buildingDetailAttribute': [{ 'uro:buildingStructureType': '鉄骨造' }],
    'uro:bldgDisasterRiskAttribute': [
      { 'uro:description': '澄見川', 'uro:depth': 0.8, 'uro:rank': '0.5m以上3m未満', 'uro:scale': 'L1' },
      { 'uro:description': '葦辺川', 'uro:depth': 3.2, 'uro:rank': '3m以上5m未満' },
    ],
  });
  assert.deepEqual(
    [
      facts.name,
      facts.height,
      facts.storeysAbove,
      facts.storeysBelow,
      facts.use,
      facts.year,
      facts.structure,
    ],
    ['青凪市役所', 24.2, 6, null, '官公庁施設', '', '鉄骨造'],
  );
  assert.deepEqual(
    facts.scenarios.map(({ name, depth, scale }) => [name, depth, scale]),
    [
      ['葦辺川', 3.2, ''],
      ['澄見川', 0.8, 'L1'],
    ],
  );
  assert.deepEqual(Object.keys(facts.rest), ['bldg:roofType', 'uro:buildingDetailAttribute']);
  // A risk in a form that is not known stays among the rest.
  assert.deepEqual(Object.keys(cardFacts({ 'uro:bldgDisasterRiskAttribute': ['x'] }).rest), [
    'uro:bldgDisasterRiskAttribute',
  ]);
});

test('the hint asks for a click only when something is there, and names buildings only where there are some', () => {
  const shown = {
    type: 'bldg',
    isWaiting: false,
    isEmpty: false,
    loaded: 3,
    isNothing: false,
    isWanted: false,
  };
  assert.deepEqual(hintOf(shown), { three: 'clickBuilding' });
  for (const type of ['brid', 'tran', undefined]) {
    assert.deepEqual(hintOf({ ...shown, type }), { three: 'clickAny' });
  }
  assert.deepEqual(hintOf({ ...shown, isWaiting: true, loaded: 0 }), { page: 'modelLoading' });
  assert.deepEqual(hintOf({ ...shown, loaded: 0, isEmpty: true }), { three: 'emptyModel' });
  assert.equal(hintOf({ ...shown, loaded: 0 }), null);
  assert.deepEqual(hintOf({ ...shown, isNothing: true }), { page: 'nothingThere' });
  assert.deepEqual(hintOf({ ...shown, isWanted: true }), { three: 'notInView' });
});

test('tiles that failed are counted until they come', () => {
  const count = new TileCount();
  for (let i = 0; i < 40; i++) count.arrived(`tile ${i}`);
  assert.deepEqual(count.state, { loaded: 40, failed: 0, trouble: null });
  count.failed('a', 'Request has failed. Status Code: 404');
  count.failed('a', 'Request has failed. Status Code: 404');
  count.failed('b', 'Request has failed. Status Code: 404');
  count.failed('c', 'Invalid b3dm');
  assert.deepEqual(count.state, { loaded: 40, failed: 3, trouble: 'missing' });
  count.arrived('a');
  count.arrived('b');
  assert.deepEqual(count.state, { loaded: 42, failed: 1, trouble: 'broken' });
  count.clear();
  count.failed('d', 'Request has failed.');
  assert.deepEqual(count.state, { loaded: 0, failed: 1, trouble: 'offline' });
  const troubleOf = (...messages: string[]) => {
    const one = new TileCount();
    for (const [i, message] of messages.entries()) one.failed(`${i}`, message);
    return one.state.trouble;
  };
  const [offline, missing, broken] = [
    'Request has failed.',
    'Request has failed. Status Code: 410',
    'Invalid',
  ];
  assert.deepEqual(
    [offline, missing, broken].map((one) => troubleOf(one!)),
    ['offline', 'missing', 'broken'],
  );
  assert.deepEqual(
    [troubleOf(broken!, missing!), troubleOf(missing!, broken!, broken!)],
    ['missing', 'broken'],
  );
});

test('the code of a frame is as wide as its column, and names what it shows', () => {
  const code = frameOf('https://x.example/?view=3d&embed&where=a%3E1', 'Aonagi · "Buildings", 3D');
  assert.match(code, / src="https:\/\/x\.example\/\?view=3d&amp;embed&amp;where=a%3E1" /);
  assert.match(code, / title="Aonagi · &quot;Buildings&quot;, 3D" /);
  assert.match(code, /style="width:100%;aspect-ratio:16\/10;border:0"/);
  assert.match(code, / loading="lazy" /);
});

describe('messages of a page around', () => {
  test('command when they are whole and within bounds', () => {
    assert.deepEqual(readCommand({ protocol: PROTOCOL, type: 'fly', lng: 139.7, lat: 35.6, height: 500 }), {
      type: 'fly',
      lng: 139.7,
      lat: 35.6,
      height: 500,
      heading: 0,
      pitch: -45,
    });
    assert.deepEqual(readCommand({ type: 'pick', id: null }), { type: 'pick', id: null });
    assert.deepEqual(readCommand({ type: 'show', colour: 'height', sun: null }), {
      type: 'show',
      changes: { colour: 'height', sun: null },
    });
    assert.deepEqual(
      readCommand({ type: 'show', also: ['a', 'b'], lang: 'ja', theme: null, cut: 10, where: '' }),
      {
        type: 'show',
        changes: { also: ['a', 'b'], lang: 'ja', theme: null, cut: 10, where: '' },
      },
    );
  });

  test('are refused with what is wrong otherwise', () => {
    for (const data of [
      { type: 'fly', lng: 200, lat: 0, height: 1 },
      { type: 'fly', lng: '1', lat: 0, height: 1 },
      { type: 'fly', lng: Number.NaN, lat: 0, height: 1 },
      { type: 'pick' },
      { type: 'pick', id: 'x'.repeat(2_001) },
      { type: 'show', model: 5 },
      { type: 'show', lang: 'xx' },
      { type: 'show', sun: '12' },
      { type: 'show', sun: 25 },
      { type: 'show', also: 'a,b' },
      { type: 'show', also: ['a,b'] },
      { type: 'show', camera: [1, 2, 3, 4, 5] },
      { type: 'eval', code: '1' },
      {},
    ]) {
      assert.ok('reason' in readCommand(data), JSON.stringify(data).slice(0, 80));
    }
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.anything()), (data) => void readCommand(data)));
    const broken = {
      type: 'pick',
      get id(): string {
        throw new TypeError('no id');
      },
    };
    assert.throws(() => readCommand(broken), TypeError);
  });

  test('take numbers and texts up to their limits', () => {
    const usual = { type: 'fly', lng: 139, lat: 35, height: 100 };
    assert.deepEqual(readCommand(usual), { ...usual, heading: 0, pitch: -45 });
    for (const [name, low, high] of [
      ['lng', -180, 180],
      ['lat', -90, 90],
      ['height', -500, 10_000_000],
      ['heading', -360, 360],
      ['pitch', -90, 90],
    ] as const) {
      for (const value of [low, high]) {
        const found = readCommand({ ...usual, [name]: value });
        assert.deepEqual(found, { ...usual, heading: 0, pitch: -45, [name]: value });
      }
      for (const value of [low - 0.1, high + 0.1])
        assert.ok('reason' in readCommand({ ...usual, [name]: value }));
    }
    const id = 'x'.repeat(2_000);
    assert.deepEqual(readCommand({ type: 'pick', id }), { type: 'pick', id });
    assert.ok('changes' in readCommand({ type: 'show', colour: id }));
    assert.ok('reason' in readCommand({ type: 'show', colour: `${id}x` }));
  });

  test('set the parameters that the table of docs/embedding.md says', async () => {
    const text = await readFile(new URL('../docs/embedding.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)` \| .* \| (`show`|`fly`|`pick`|only the address) \|$/gm)];
    const inDocs = rows.map(([, name, message]) => [name, message]);
    const inCode = PARAMETERS.filter(({ name, message }) => message !== undefined || name === 'embed').map(
      ({ name, message }) => [name, message === undefined ? 'only the address' : `\`${message}\``],
    );
    assert.deepEqual(inDocs, inCode);
  });

  test('are ours by the protocol, and allowed by the origin', () => {
    assert.equal(isOurs({ protocol: PROTOCOL }), true);
    for (const data of [null, 'text', 5, {}, { protocol: 'other' }]) assert.equal(isOurs(data), false);
    assert.equal(isAllowed('https://a.example', ['https://a.example'], 'https://own.example'), true);
    assert.equal(isAllowed('https://b.example', ['https://a.example'], 'https://own.example'), false);
    assert.equal(isAllowed('https://own.example', [], 'https://own.example'), true);
    assert.equal(isAllowed('https://b.example', ['*'], 'https://own.example'), true);
    assert.equal(
      isAllowed('https://a.example.evil.example', ['https://a.example'], 'https://own.example'),
      false,
    );
  });
});

describe('the ground', () => {
  test('few tiles cover a box, and hold it', () => {
    const degrees = (min: number, max: number) =>
      fc.integer({ min: min * 1e6, max: max * 1e6 }).map((n) => n / 1e6);
    fc.assert(
      fc.property(
        degrees(123, 145),
        degrees(24, 45),
        degrees(0, 1),
        degrees(0, 1),
        (west, south, width, height) => {
          const bounds = { west, south, east: west + width, north: south + height };
          const tiles = tilesOver(bounds);
          assert.ok(tiles.length > 0 && tiles.length <= MOST_TILES);
          const boxes = tiles.map(boundsOfTile);
          assert.ok(Math.min(...boxes.map((box) => box.west)) <= bounds.west + 1e-9);
          assert.ok(Math.max(...boxes.map((box) => box.east)) >= bounds.east - 1e-9);
          assert.ok(Math.min(...boxes.map((box) => box.south)) <= bounds.south + 1e-9);
          assert.ok(Math.max(...boxes.map((box) => box.north)) >= bounds.north - 1e-9);
        },
      ),
    );
  });

  test('as fine tiles as there may be cover a box', () => {
    const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(
      fc.property(degrees(123, 145), degrees(24, 45), degrees(-5, 1), (west, south, power) => {
        const bounds = { west, south, east: west + 10 ** power, north: south + 10 ** power };
        for (let z = 17; z >= 8; z--) {
          const [first, last] = [
            spatialIdOf(west, bounds.north, null, z),
            spatialIdOf(bounds.east, south, null, z),
          ];
          const count = (last.x - first.x + 1) * (last.y - first.y + 1);
          if (count > 16) continue;
          const tiles = tilesOver(bounds);
          assert.deepEqual(
            [tiles.length, tiles[0], tiles.at(-1)],
            [count, { z, x: first.x, y: first.y }, { z, x: last.x, y: last.y }],
          );
          return;
        }
        assert.deepEqual(tilesOver(bounds), []);
      }),
    );
    const large = (z: number) => {
      const { west, south, east, north } = boundsAround(
        [0, 3].map((n) => boundsOfTile({ z, x: 200 + n, y: 90 + n })),
      );
      const [wide, high] = [(east - west) / 1e6, (north - south) / 1e6];
      return tilesOver({ west: west + wide, south: south + high, east: east - wide, north: north - high });
    };
    assert.deepEqual([large(8).length, large(7).length], [16, 0]);
    for (const [count, z] of [
      [16, 12],
      [17, 11],
    ] as const) {
      const { west, south, north } = boundsOfTile({ z: 12, x: 3_600, y: 1_600 });
      const east = boundsOfTile({ z: 12, x: 3_600 + count - 1, y: 1_600 }).west;
      const middle = (south + north) / 2;
      assert.equal(
        tilesOver({ west: west + 1e-6, south: middle, east: east + 1e-6, north: middle })[0]!.z,
        z,
      );
    }
  });

  test('around a place tiles are a square of four, as fine as they reach all that is wanted', () => {
    const [lng, lat] = [139.7634, 60.1234];
    for (const z of [15, 16, 17]) {
      const side = (40_075_017 * Math.cos((lat * Math.PI) / 180)) / 2 ** z;
      assert.equal(tilesAround([lng, lat], 2 * side * 0.999, 10)[0]!.z, z);
      assert.equal(tilesAround([lng, lat], 2 * side * 1.001, 10)[0]!.z, z - 1);
      const tiles = tilesAround([lng, lat], 2 * side * 0.999, 10);
      const { x, y } = spatialIdOf(lng, lat, null, z + 1);
      const [left, top] = [Math.ceil(x / 2) - 2, Math.ceil(y / 2) - 2];
      const expected = Array.from({ length: 16 }, (_, i) => ({
        z,
        x: left + (i % 4),
        y: top + Math.floor(i / 4),
      }));
      assert.deepEqual(tiles, expected);
    }
  });

  test('boxes are the same where all of their sides are, and meet where they touch', () => {
    const box = { west: 1, south: 2, east: 3, north: 4 };
    assert.ok(isSameBox(box, { ...box }));
    for (const side of ['west', 'south', 'east', 'north'] as const)
      assert.ok(!isSameBox(box, { ...box, [side]: box[side] + 0.5 }), side);
    const shift = (x: number, y: number) => ({ west: 1 + x, south: 2 + y, east: 3 + x, north: 4 + y });
    for (const [x, y] of [
      [2, 0],
      [-2, 0],
      [0, 2],
      [0, -2],
    ] as const) {
      assert.ok(meets(box, shift(x, y)), `${x} ${y}`);
      assert.ok(!meets(box, shift(x * 1.01, y * 1.01)));
    }
  });

  test('a coarser source gives the part of its tile', () => {
    assert.deepEqual(sourceTile({ z: 17, x: 13, y: 10 }, 15), {
      tile: { z: 15, x: 3, y: 2 },
      left: 0.25,
      top: 0.5,
      size: 0.25,
    });
    assert.deepEqual(sourceTile({ z: 14, x: 3, y: 2 }, 15), {
      tile: { z: 14, x: 3, y: 2 },
      left: 0,
      top: 0,
      size: 1,
    });
  });

  test('is finer around what is looked at, and reaches beyond the model as far as there is a map', () => {
    const [lng, lat] = [135.4013, 34.6532];
    const near = tilesAround([lng, lat], 300, 13);
    assert.equal(near.length, 16);
    assert.ok(near.every(({ z }) => z === 17));
    const metresOf = (degrees: number) => degrees * 111_320;
    const box = boundsAround(near.map(boundsOfTile));
    for (const [from, to] of [
      [box.west, lng],
      [lng, box.east],
    ] as const)
      assert.ok(metresOf((to - from) * Math.cos((lat * Math.PI) / 180)) > 300);
    assert.ok(metresOf(lat - box.south) > 300 && metresOf(box.north - lat) > 300);
    assert.equal(tilesAround([lng, lat], 900, 13)[0]!.z, 16);
    assert.deepEqual(tilesAround([lng, lat], 300, 17), [], 'the whole is as fine');
    assert.deepEqual(tilesAround([lng, lat], 30_000, 13), []);

    const model = { west: 135, south: 35, east: 135.1, north: 35.1 };
    const wide = groundBounds(model, [{ west: 134, south: 34, east: 135.12, north: 36 }]);
    assert.deepEqual(
      Object.values(wide).map((degrees) => Number(degrees.toFixed(6))),
      [134.94, 34.94, 135.12, 35.16],
    );
    assert.deepEqual(groundBounds(model, []), model);
  });

  test('fades at its border into land of the colours there, and where nothing covers it', () => {
    const tile = { z: 17, x: 114_850, y: 52_050 };
    const bounds = boundsOfTile(tile);
    // Half of the tile is in the map, to the west of its middle.
    const middle = (bounds.west + bounds.east) / 2;
    const sources = [{ type: 'luse', bounds: { ...bounds, east: middle } }];
    const border = borderOf(bounds, sources);
    assert.equal(border.extent.east, middle);
    assert.deepEqual(borderOf(bounds, [{ ...sources[0]!, type: 'tran' }]).extent, bounds, 'streets end');
    const afar = { west: 1, south: 1, east: 2, north: 2 };
    assert.deepEqual(borderOf(bounds, [{ type: 'luse', bounds: afar }]).extent, bounds);

    const drawing = (colour: readonly number[]) => {
      const pixels = () => new Uint8ClampedArray(PICTURE_SIZE ** 2 * 4);
      const colours = pixels();
      for (let at = 0; at < colours.length; at += 4) colours.set(colour, at);
      return { colours, shade: pixels() };
    };
    const blue = landAround([[tile, drawing([0, 0, 255, 255])]], border, 'light');
    assert.ok(blue[2] > 0.95 && blue[0] < 0.2, `${blue}`);
    const plain = rgbOf(PAPER.light.land);
    assert.deepEqual(landAround([[tile, drawing([0, 0, 255, 0])]], border, 'light'), plain);

    const bare = groundPicture(bounds, drawing([0, 0, 0, 0]), border, blue, 'light').arrayBufferView;
    const at = (row: number, column: number) => [
      ...bare.slice((row * PICTURE_SIZE + column) * 4, (row * PICTURE_SIZE + column) * 4 + 4),
    ];
    const bytes = (colour: readonly number[]) => [...colour.map((part) => Math.round(part * 255)), 255];
    assert.deepEqual(at(256, 128), bytes(plain), 'in the map');
    assert.deepEqual(at(256, 400), bytes(blue), 'beyond it');
    const covered = groundPicture(bounds, drawing([9, 8, 7, 255]), border, blue, 'light');
    assert.deepEqual([...covered.arrayBufferView.slice(0, 4)], [9, 8, 7, 255]);
  });

  test('a cellar makes no pit', () => {
    const samples = [10, 11, 9, 10, 10, -20].map((low, i) => ({ lng: 139 + i / 1e4, lat: 35, low }));
    const height = groundHeight(samples, 0)(139.0005, 35);
    assert.ok(height > 8.9 && height < 11.1, String(height));
    assert.equal(groundHeight([], 7)(139, 35), 7);
  });

  test('is that of the nearest feet, wherever they lie', () => {
    const from = (degrees: number) => fc.nat({ max: 20_000 }).map((millionths) => degrees + millionths / 1e6);
    const foot = fc.record({ lng: from(139), lat: from(35), low: fc.integer({ min: 0, max: 100 }) });
    fc.assert(
      fc.property(fc.array(foot, { minLength: 1, maxLength: 60 }), foot, (feet, { lng, lat }) => {
        // The slow way: all feet by their distance
        const shrink = Math.cos((feet[0]!.lat * Math.PI) / 180);
        const near = feet
          .map((one) => ({ ...one, far: ((one.lng - lng) * shrink) ** 2 + (one.lat - lat) ** 2 }))
          .sort((a, b) => a.far - b.far);
        // Feet that are as far as each other may count for one another.
        fc.pre(near.every(({ far }, i) => i === 0 || far - near[i - 1]!.far > 1e-15));
        const six = near.slice(0, 6).sort((a, b) => a.low - b.low);
        const counted = six.length >= 4 ? six.slice(1, -1) : six;
        const weights = counted.map(({ far }) => 1 / (far + 1e-9));
        const expected =
          counted.reduce((sum, { low }, i) => sum + low * weights[i]!, 0) /
          weights.reduce((a, b) => a + b, 0);
        assert.ok(Math.abs(groundHeight(feet, 0)(lng, lat) - expected) < 1e-6);
      }),
    );
    const row = [1, 2, 3, 50].map((low, i) => ({ lng: 139 + i / 1e4, lat: 35, low }));
    assert.equal(localGround(row, 139, 35), 3);
  });

  test('meets a sky that is brightest by day, warm at dusk, and dark by night and in the dark theme', () => {
    const brightness = (colour: readonly number[]) => colour.reduce((a, b) => a + b, 0);
    const at = (hour: number) => {
      const { colour, ambient } = sunlightAt(hour);
      return airOf('light', ambient, colour, 500);
    };
    const [day, dusk, night] = [at(50), at(3), at(-15)];
    assert.ok(brightness(day.horizon) > brightness(dusk.horizon));
    assert.ok(brightness(dusk.horizon) > 2 * brightness(night.horizon));
    assert.ok(dusk.horizon[0] > dusk.horizon[2] && day.horizon[0] <= day.horizon[2]);
    assert.ok(brightness(airOf('dark', 1, [1, 1, 1], 500).horizon) < brightness(day.horizon) / 2);
    // A city of 20 km is seen through from above, and near the ground fades as a small model does.
    assert.equal(sizeSeen(10_000, 5_000), 10_000);
    assert.ok(sizeSeen(10_000, 150) > 1_700 && sizeSeen(10_000, 150) < 2_800);
    assert.equal(sizeSeen(10_000, 150), sizeSeen(10_000, 152), 'a step changes no light');
    assert.equal(sizeSeen(500, 150), 500);
    for (let height = 200; height < 20_000; height += 170) {
      const steps = Math.log(sizeSeen(1e9, height) / (15 * height)) / Math.log(1.25);
      assert.ok(Math.abs(steps) < 0.5 + 1e-9, `${height}`);
    }
    assert.deepEqual(
      [sunlightAt(30).colour, sunlightAt(90).colour],
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
    );
    const [red, green, blue] = sunlightAt(0).colour;
    assert.ok(red === 1 && green < 1 && green > blue && blue > 0.3, 'red stays longest');
    // No wall of a plain model is black, nor is a roof burnt out.
    for (const part of day.bounce) assert.ok(part > 0.2);
    assert.equal(hexOf([1, 0, 0.5]), '#ff0080');
  });

  test('is drawn from the newest of each kind, land use lowest', () => {
    const mvt = (type_en: string, year: number) =>
      row({ spec: `47900-${type_en}-lod1-${year}`, type_en, year, format: 'MVT' });
    const rows = [
      mvt('bldg', 2024),
      mvt('tran', 2020),
      mvt('tran', 2024),
      mvt('urf', 2024),
      mvt('luse', 2024),
      CITY[0]!,
    ];
    assert.deepEqual(
      groundDatasets(rows).map(({ type_en, year }) => [type_en, year]),
      [
        ['luse', 2024],
        ['tran', 2024],
        ['bldg', 2024],
      ],
    );
    assert.equal(landColour({ luse_class: '水面' }, 'light'), PAPER.light.water);
    assert.equal(landColour({ area: 5 }, 'dark'), PAPER.dark.land);
  });
});

test('the sun is bright at noon, warm when low, gone at night', () => {
  // Half way up in the middle of each dawn: of the direct light, of the colour, of that of the sky.
  assert.equal(sunlightAt(5.5).direct.toFixed(9), (1.55 / 2).toFixed(9));
  assert.equal(sunlightAt(12.5).colour[2].toFixed(9), ((0.45 + 1) / 2).toFixed(9));
  assert.equal(sunlightAt(1.5).ambient.toFixed(9), (0.65).toFixed(9));
  const [noon, evening, night] = [60, 6, -15].map(sunlightAt);
  assert.deepEqual(noon!.colour, [1, 1, 1]);
  assert.ok(noon!.direct > evening!.direct && evening!.direct > 0 && night!.direct === 0);
  assert.ok(evening!.colour[0] > evening!.colour[2]);
  assert.ok(night!.ambient > 0.2 && night!.ambient < noon!.ambient);
  assert.equal(momentOf(16.25), '2024-09-22T16:15:00+09:00');
  assert.equal(momentOf(24), '2024-09-22T00:00:00+09:00');
});

test('words have the same places for values in both languages', () => {
  const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  for (const [key, text] of Object.entries(en)) {
    assert.deepEqual(places(ja[key as keyof typeof ja]), places(text), key);
  }
  assert.equal(fill('{a} of {b} {c}', { a: 1, b: 'x' }), '1 of x {c}');
});

test('software that draws says so by its name, in some browsers behind an extension', () => {
  const [RENDERER, UNMASKED_RENDERER_WEBGL] = [0x1f01, 0x9246] as const;
  const drawn = (name: string, behind?: string) =>
    drawsInSoftware({
      RENDERER,
      getParameter: (which: number) =>
        which === RENDERER ? name : which === UNMASKED_RENDERER_WEBGL && behind,
      getExtension: ((extension: string) =>
        extension === 'WEBGL_debug_renderer_info' && behind !== undefined
          ? { UNMASKED_RENDERER_WEBGL }
          : null) as never,
    });
  for (const name of [
    'llvmpipe, or similar',
    'ANGLE (Mesa, llvmpipe (LLVM 19.1.7 256 bits), OpenGL ES 3.2)',
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
    'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0)',
    'Apple Software Renderer',
  ]) {
    assert.deepEqual([drawn(name), drawn('WebKit WebGL', name)], [true, true], name);
  }
  for (const name of [
    'GeForce GTX 980, or similar',
    'Apple GPU',
    'ANGLE (Intel, Mesa Intel(R) UHD 620, OpenGL ES 3.2)',
  ])
    assert.deepEqual([drawn(name), drawn('WebKit WebGL', name)], [false, false], name);
  // Who hides its name is measured.
  assert.deepEqual([drawn('WebKit WebGL'), drawsInSoftware(null)], [false, false]);
});

test('the box of shadows and depth says no more than is drawn', () => {
  const stateOf = (...args: Parameters<typeof effectsState>) => {
    const { isChecked, label, note } = effectsState(...args);
    return [isChecked, en[label], note === null ? null : en[note]];
  };
  assert.deepEqual(stateOf('always', true, true, false), [true, 'Shadows and depth', null]);
  assert.deepEqual(stateOf('unknown', false, true, false), [false, 'Shadows and depth', null]);
  assert.deepEqual(stateOf('resting', true, true, false), [
    true,
    'Shadows and depth',
    'Drawn when the view rests.',
  ]);
  assert.match(stateOf('always', true, false, false).join(), /^true,Depth,Shadows come with an hour/);
  assert.match(stateOf('always', true, true, true).join(), /^true,Depth,Without shadows/);
  for (const isWanted of [true, false])
    assert.match(stateOf('never', isWanted, true, false).join(), /^false,.*too slow/);
});

describe('the card of water', () => {
  const attributes = {
    'gml:name': '澄見川水系澄見川洪水浸水想定区域図（計画規模）',
    'uro:floodingRiskAttribute': [
      {
        'uro:description': '澄見川水系澄見川',
        'uro:description_code': '1',
        'uro:rank': '0.5m未満',
        'uro:rank_code': '1',
        'uro:adminType': '国',
        'uro:scale': 'L1（計画規模）',
        'uro:duration': 12,
        'uro:duration_uom': 'hour',
      },
    ],
  };
  const facts = {
    source: '澄見川水系澄見川',
    rank: '0.5m未満',
    depth: null,
    scale: 'L1（計画規模）',
    admin: '国',
    duration: '12 hour',
  };

  test('has the facts of the attributes, of their text in a tile, and of columns', () => {
    assert.deepEqual(floodFacts(attributes), facts);
    const tile = { feature_type: 'wtr:WaterBody', attributes: JSON.stringify(attributes), uro_rank: 'other' };
    assert.deepEqual(floodFacts(tile), facts);
    assert.deepEqual(attributesOfTile({ attributes: '{broken' }), { attributes: '{broken' });
    const columns = { uro_description: '澄見川水系澄見川', uro_rank: '0.5m未満', 'uro:depth': 0.3 };
    assert.deepEqual(floodFacts(columns), {
      ...facts,
      depth: 0.3,
      scale: '',
      admin: '',
      duration: '',
    });
  });

  test('belongs to the area of its class, river and scenario', () => {
    assert.ok(isSameFlood(facts, floodFacts({ uro_rank: '0.5m未満', uro_scale: 'L1（計画規模）' })));
    for (const other of [{ rank: '3m以上5m未満' }, { source: '葦辺川' }, { scale: 'L2（想定最大規模）' }])
      assert.ok(!isSameFlood(facts, { ...facts, ...other }));
  });
});
