/** Which model, scale and facts the portal's 3D view chooses, and the names on its map. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Places } from '../packages/portal/src/core/gazetteer.ts';
import { namesData } from '../packages/portal/src/map/map-data.ts';
import { cardFacts, measure, textOf } from '../packages/portal/src/three/card-facts.ts';
import { findCities, firstCity, kindsOf, specOfRow } from '../packages/portal/src/three/choice.ts';
import {
  countClasses,
  KINDS,
  RAMP,
  roundBounds,
  scaleFor,
  YEAR_BOUNDS,
} from '../packages/portal/src/three/colouring.ts';
import { hexOf, linear, rgbOf } from '../packages/portal/src/three/scene/air.ts';
import { areaTable } from '../packages/portal/tables.ts';
import { city, row } from './support/portal-rows.ts';

describe('models of a municipality', () => {
  const model = (spec: string, year: number) =>
    row({ id: spec, year, composite_url: `http://a.example/3dtiles/${spec}-${year}/tileset.json` });

  test('are buildings first, then others by name, LODs upwards and years downwards', () => {
    const kinds = kindsOf([
      model('47900-area-lod1', 2020),
      model('47900-bldg-lod3', 2020),
      model('47900-bldg-lod1', 2024),
      model('47900-bldg-lod2', 2022),
      model('47900-veg-lod1', 2020),
    ]);
    assert.deepEqual(
      kinds.map(({ key, lods, years }) => [key, lods, years]),
      [
        ['bldg', [1, 2, 3], [2024, 2022, 2020]],
        ['area', [1], [2020]],
        ['veg', [1], [2020]],
      ],
    );
    assert.equal(specOfRow(row({ composite_url: null })), null);
    const isChoice = (...specs: string[]) =>
      kindsOf(specs.map((spec) => model(`47900-bldg-lod2${spec}`, 2024)))[0]!.texture;
    assert.equal(isChoice('-texture', '-notexture'), true);
    for (const specs of [['', '-texture'], ['-notexture'], ['']])
      assert.equal(isChoice(...specs), false, `${specs}`);
    assert.deepEqual(kindsOf([{ ...model('47900-bldg-lod1', 2024), format: 'MVT' }]), []);
  });

  test('are those of the nearest municipality, as far as the map shows at its zoom', () => {
    const cities = [city({ code: '47900', bbox: [129, 25, 130, 26] }), city({ code: '13101', bbox: null })];
    const at = (lng: number, zoom: number) => firstCity(cities, { pick: null, at: [lng, 25.5, zoom] })?.code;
    const fallback = firstCity([...cities].reverse(), { pick: null, at: null })!.code;
    // What is found without the map is the first of equals.
    assert.equal(fallback, '13101');
    const first = (lng: number, zoom: number) =>
      firstCity([...cities].reverse(), { pick: null, at: [lng, 25.5, zoom] })?.code;
    for (const zoom of [9, 10, 12]) {
      const reach = 360 / 2 ** zoom;
      assert.equal(first(130 + reach, zoom), '47900', `${zoom}`);
      assert.equal(first(130 + reach * 1.001, zoom), '13101', `${zoom}`);
    }
    assert.equal(first(129.5, 8.9), '13101');
    const picked = (pick: string) => firstCity([...cities].reverse(), { pick, at: null })!.code;
    assert.deepEqual(['47912', '47900', '47812'].map(picked), ['47900', '47900', '13101']);
    assert.equal(at(129.5, 9), '47900');
  });

  test('are without a map the newest textured buildings', () => {
    const of = (code: string, changes: Parameters<typeof city>[0]) => city({ code, ...changes });
    const ascending = [
      of('1', { types: ['tran'], textured: false, years: [], max_lod: null }),
      of('2', { types: ['tran'], textured: false, years: [2020], max_lod: 1 }),
      of('3', { types: ['tran'], textured: false, years: [2020], max_lod: 3 }),
      of('4', { types: ['tran'], textured: false, years: [2025], max_lod: 0 }),
      of('5', { types: ['tran'], textured: true, years: [2019], max_lod: 0 }),
      of('6', { types: ['bldg'], textured: false, years: [2018], max_lod: 0 }),
      of('7', { types: ['bldg'], textured: true, years: [2017], max_lod: 0 }),
    ];
    const [known, unknown] = [1, null].map((max_lod) => of(`${max_lod}`, { years: [2020], max_lod }));
    for (const order of [
      [known!, unknown!],
      [unknown!, known!],
    ])
      assert.equal(firstCity(order, { pick: null, at: null }), known);
    for (let count = 1; count <= ascending.length; count++) {
      const some = ascending.slice(0, count);
      for (const order of [some, some.toReversed()])
        assert.equal(firstCity(order, { pick: null, at: null })!.code, `${count}`);
    }
  });

  test('are found by any word, those first that begin with the text', () => {
    const cities = [
      city({ code: '14100', name: '横浜市', romaji: 'yokohama-shi', kana: 'よこはまし', pref: '神奈川県' }),
      city({ code: '46216', name: '浜市', romaji: 'hama-shi', kana: 'はまし', pref: '県' }),
    ];
    const found = (text: string) => findCities(cities, text).map(({ code }) => code);
    for (const text of ['浜', 'hama', 'はま', ' HAMA '])
      assert.deepEqual(found(text), ['46216', '14100'], text);
    assert.deepEqual(found('神奈川 hama'), ['14100']);
  });
});

describe('facts of a building', () => {
  test('have its deepest waters first, those without a depth last', () => {
    const risk = (description: string, depth: number | null) => ({
      ...{ 'uro:description': description, 'uro:rank': 'r' },
      ...(depth === null ? {} : { 'uro:depth': depth }),
    });
    const risks = [risk('a', null), risk('b', 0.4), risk('c', 3), risk('d', 0.9)];
    for (const [i, j] of [0, 1, 2, 3].flatMap((one) => [0, 1, 2, 3].map((two) => [one, two] as const))) {
      const order = [...risks];
      [order[i], order[j]] = [order[j]!, order[i]!];
      const { scenarios } = cardFacts({ 'uro:RiverFloodingRiskAttribute': order });
      assert.equal(scenarios.map(({ name }) => name).join(''), 'cdba', `${i} ${j}`);
    }
  });

  test('have a width from a hand to two kilometres', () => {
    const wide = (metres: number) => {
      const box = { min: { lng: 139, lat: 35 }, max: { lng: 139, lat: 35 + metres / 111_320 } };
      return cardFacts({ _bbox: box }).width;
    };
    const across = { min: { lng: 139, lat: 60 }, max: { lng: 139.001, lat: 60 } };
    assert.ok(Math.abs(cardFacts({ _bbox: across }).width! - 55.66) < 1e-6, 'a degree is half as long there');
    for (const metres of [0.3, 12, 1_999]) assert.ok(Math.abs(wide(metres)! - metres) < 1e-3, `${metres}`);
    for (const metres of [-1, 0, 2_001]) assert.equal(wide(metres), null);
  });

  test('have scenarios as far as these say where water comes from and how deep it is', () => {
    const name = { 'uro:description': 'a' };
    const of = (value: unknown, key = 'uro:RiverFloodingRiskAttribute') => {
      const { scenarios, rest } = cardFacts({ [key]: value });
      return [scenarios.length, Object.keys(rest).length];
    };
    for (const known of [{ 'uro:depth': 1 }, { 'urc:rank': 'r' }, { 'uro:rankOrg': 'r' }])
      assert.deepEqual(of({ ...name, ...known }), [1, 0]);
    // What is in another form is shown with the rest.
    for (const value of [
      name,
      { 'uro:rank': 'r' },
      'text',
      null,
      [name],
      [{ ...name, 'uro:depth': 1 }, null],
    ])
      assert.deepEqual(of(value), [0, 1], JSON.stringify(value));
    assert.deepEqual(of({ ...name, 'uro:depth': 1 }, 'uro:Other'), [0, 1]);
  });

  test('have a year of four digits where one is known, and a sloping roof on low wooden houses', () => {
    const yearOf = (value: unknown) => cardFacts({ 'bldg:yearOfConstruction': value }).year;
    for (const [value, year] of [
      ['1998-04-01', '1998'],
      [2001, '2001'],
      ['0001', ''],
      [9999, ''],
      [-9999, ''],
      [undefined, ''],
    ] as const)
      assert.equal(yearOf(value), year);
    const wood = { 'uro:buildingStructureType': '木造' };
    const storeys = [undefined, 1, 3, 4].map((count) => ({ ...wood, 'bldg:storeysAboveGround': count }));
    assert.deepEqual(
      storeys.map((attributes) => cardFacts(attributes).isPitched),
      [true, true, true, false],
    );
  });

  test('are looked for three objects deep, lists not counted', () => {
    const structure = { 'uro:buildingStructureType': '木造' };
    const within = (levels: number, wrap: (value: unknown) => unknown): unknown =>
      levels === 0 ? structure : wrap(within(levels - 1, wrap));
    for (const wrap of [(value: unknown) => ({ a: value }), (value: unknown) => ({ a: [[value]] })]) {
      const found = [0, 1, 2, 3].map((levels) => cardFacts(within(levels, wrap) as never).structure);
      assert.deepEqual(found, ['木造', '木造', '木造', '']);
    }
  });

  test('are numbers also where the data has texts, and none where it says unknown', () => {
    for (const [value, expected] of [
      [5, 5],
      ['5', 5],
      [[' 7.5 ', 8], 7.5],
      [0, 0],
      ['', null],
      ['  ', null],
      ['x', null],
      [-9999, null],
      ['9999', null],
      [null, null],
      [true, null],
    ] as const)
      assert.equal(measure(value), expected, JSON.stringify(value));
    assert.equal(textOf(['a', 1, null, { b: 2 }, true, 'c']), 'a、1、c');
    assert.equal(textOf(undefined), '');
  });
});

describe('a scale of colours', () => {
  test('has decades of years, and classes of numbers where these are many', () => {
    assert.deepEqual(
      YEAR_BOUNDS,
      Array.from({ length: 8 }, (_, n) => 1951 + 10 * n),
    );
    const isNumeric = (values: readonly unknown[]) =>
      scaleFor('x', 'x', values).legend.some(({ label }) => label.startsWith('< '));
    const numbers = Array.from({ length: KINDS.length + 1 }, (_, n) => n + 1);
    assert.equal(isNumeric(numbers), true);
    assert.equal(isNumeric(numbers.slice(1)), false, 'few numbers are kinds');
    assert.equal(isNumeric([...numbers, 'x']), false);
    assert.equal(isNumeric([...numbers.map(String), null, -9999]), true);
    assert.equal(isNumeric(numbers.map((number) => -number)), false);
    assert.equal(isNumeric([]), false);
  });

  test('goes from the first colour to the last, whatever its bounds, with conditions where a name is known', () => {
    const numbers = Array.from({ length: 10 }, (_, n) => 0.6 + n / 10);
    for (const scale of [scaleFor('x', 'uro:x', numbers), scaleFor('height', 'uro:h', [])]) {
      const classes = scale.legend.slice(0, -1).map(({ colour }) => RAMP.indexOf(colour));
      assert.deepEqual([classes[0], classes.at(-1)], [0, RAMP.length - 1]);
      assert.ok(classes.every((at, i) => i === 0 || at > classes[i - 1]!));
      const bounds = scale.legend.flatMap(
        ({ condition }) => /<(.*)/.exec(condition!)?.slice(1).map(Number) ?? [],
      );
      for (const [i, bound] of bounds.entries())
        assert.deepEqual([scale.classOf(bound - 1e-6), scale.classOf(bound)], [i, i + 1]);
      assert.equal(scale.classOf(null), bounds.length + 1);
    }
    for (const [colouring, first] of [
      ['year', '< 1951'],
      ['bldg:yearOfConstruction', '< 1951'],
      ['height', '< 3 m'],
      ['bldg:measuredHeight', '< 3 m'],
    ] as const)
      assert.equal(scaleFor(colouring, 'x', []).legend[0]!.label, first);
    assert.ok(scaleFor('height', '', []).legend.every(({ condition }) => condition === null));
  });

  test('has round bounds below the highest number', () => {
    assert.deepEqual([roundBounds([]), roundBounds([0]), roundBounds([-5])], [[], [], []]);
    assert.deepEqual(roundBounds([7, 100]), [0.2, 0.5, 1, 2, 5, 10, 20, 50]);
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (highest) => {
        const bounds = roundBounds([highest]);
        assert.ok(bounds.length >= 6 && bounds.length <= 8);
        for (const [i, bound] of bounds.entries()) {
          assert.match(bound.toExponential(), /^[125]e/);
          assert.ok(bound < highest && (i === 0 || bound > bounds[i - 1]!));
        }
        assert.ok(bounds.at(-1)! * 2.5 >= highest);
      }),
    );
  });

  test('has kinds by how many there are, then by name, with conditions where these can be written', () => {
    const values = ['b10', 'b9', 'c', 'c', 'a;b', 'a;b', 'a;b', 'd|e', '', null];
    const scale = scaleFor('usage', 'bldg:usage', values);
    assert.deepEqual(
      scale.legend.map(({ kind, label, condition }) => [kind, label, condition]),
      [
        ['class', 'a;b', null],
        ['class', 'c', 'bldg:usage=c'],
        ['class', 'b9', 'bldg:usage=b9'],
        ['class', 'b10', 'bldg:usage=b10'],
        ['class', 'd|e', null],
        ['missing', '', 'bldg:usage='],
      ],
    );
    assert.deepEqual(countClasses(scale, values), [3, 2, 1, 1, 1, 2]);
    for (const { condition } of scaleFor('usage', '', values).legend) assert.equal(condition, null);
    const many = Array.from({ length: KINDS.length + 1 }, (_, n) => `k${n}`);
    assert.equal(scaleFor('x', 'x', many).legend.at(-2)!.kind, 'other');
    assert.equal(scaleFor('x', 'x', many.slice(1)).legend.at(-2)!.kind, 'class');
  });
});

test('colours are read and written in hexadecimal digits, each part by itself', () => {
  assert.deepEqual(rgbOf('#0a10ff'), [10 / 255, 16 / 255, 1]);
  for (const text of ['#000000', '#0a10ff', '#fedcba']) assert.equal(hexOf(rgbOf(text)), text);
  const [red, green, blue] = linear([0.2, 0.5, 0.9]);
  for (const [found, part] of [
    [red, 0.2],
    [green, 0.5],
    [blue, 0.9],
  ] as const)
    assert.ok(Math.abs(found - part ** 2.2) < 1e-12);
});

test('names on the map are those of prefectures, and of municipalities without data', () => {
  const table = areaTable();
  const prefectures = [
    { code: '14', name: '神奈川県', romaji: 'kanagawa-ken' },
    { code: '99', name: '無', romaji: null },
  ];
  const summary = { cities: [city({ code: '14201' })] } as never;
  const of = (places: Places | null) =>
    namesData(summary, places, prefectures, 'ja').features.map(({ properties }) => properties!);
  assert.deepEqual(of(null), [{ kind: 'prefecture', name: '神奈川県' }]);
  const towns = of(new Places(table, [])).filter(({ kind }) => kind === 'town');
  const names = new Set(towns.map(({ name }) => name));
  assert.ok(towns.length > 1_500 && names.has('鎌倉市') && !names.has('横須賀市'));
});
