/** Two editions in the 3D view: which years can be compared, and how features of either look. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WATER_DEPTHS, waterDepthOf } from '../packages/base/src/water-depths.ts';
import type { Became, Difference } from '../packages/portal/src/changes/comparison.ts';
import { toggled } from '../packages/portal/src/changes/comparison.ts';
import type { ModelKind } from '../packages/portal/src/three/choice.ts';
import { readSpec } from '../packages/portal/src/three/choice.ts';
import { MISSING, type PropertySource, type Scale } from '../packages/portal/src/three/colouring.ts';
import { editionsOf, lookOf, olderYears, UNCHANGED } from '../packages/portal/src/three/editions.ts';
import { airOf, CUT_SURFACE, linear } from '../packages/portal/src/three/scene/air.ts';
import { Painter } from '../packages/portal/src/three/scene/paint.ts';

const kind = { key: 'bldg', type: 'bldg', sub: null, years: [2024, 2022, 2019] } as unknown as ModelKind;
const COLOURS = { new: '#1', gone: '#2', higher: '#3', lower: '#4', changed: '#5' };

const metres = (from: number, to: number) => ({ height: { from, to } });
const DIFFERENCES = [
  { change: 'added', id: 'n' },
  { change: 'removed', id: 'g' },
  { change: 'removed', id: null },
  { change: 'changed', id: 'h', fromId: 'h-before', geometry: metres(6, 9) },
  { change: 'changed', id: 'l', fromId: 'l', geometry: metres(9, 6) },
  { change: 'changed', id: 'c', fromId: 'c', geometry: null },
] as unknown as Difference[];

const lookOfIds = (look: ReturnType<typeof lookOf>, isOlder: boolean) =>
  ['n', 'g', 'h', 'h-before', 'l', 'c', 'same', null].map((id) => look.colourOf(id, isOlder));

test('a model is compared with years of its kind before its own', () => {
  const newest = readSpec('47950-bldg-maxlod4-latest')!;
  assert.deepEqual(olderYears(newest, kind), [2022, 2019]);
  assert.deepEqual(olderYears({ ...newest, year: 2022 }, kind), [2019]);
  assert.deepEqual(olderYears({ ...newest, year: 2019 }, kind), []);
  assert.deepEqual(
    olderYears(newest, { ...kind, sub: 'natl_kanogawa_l1' }),
    [],
    'a river is part of its type',
  );
  assert.deepEqual(editionsOf(newest, kind, 2022), {
    comparison: { area: '47950', type: 'bldg', from: '2022', to: '2024' },
    older: '47950-bldg-maxlod4-2022',
    from: 2022,
    to: 2024,
  });
  for (const year of [2024, 2020, 2030]) assert.equal(editionsOf(newest, kind, year), null);
});

test('both editions drawn as one: the newer in colours, and of the older what is gone', () => {
  const look = lookOf(DIFFERENCES, new Set(), COLOURS, false);
  assert.equal(look.isColoured, true);
  const same = undefined;
  assert.deepEqual(lookOfIds(look, false), ['#1', same, '#3', same, '#4', '#5', same, same]);
  assert.deepEqual(lookOfIds(look, true), [null, '#2', null, null, null, null, null, null]);
});

test('beside a border all of the older edition is drawn, by its own ids', () => {
  const look = lookOf(DIFFERENCES, new Set(), COLOURS, true);
  const same = undefined;
  assert.deepEqual(lookOfIds(look, true), [same, '#2', same, '#3', '#4', '#5', same, same]);
});

test('what the legend leaves out looks as if it were the same', () => {
  const hidden = toggled(toggled(new Set<Became>(), 'new'), 'gone');
  const look = lookOf(DIFFERENCES, hidden, COLOURS, false);
  assert.equal(look.colourOf('n', false), undefined);
  assert.equal(look.colourOf('g', true), null);
  assert.deepEqual([...toggled(hidden, 'new')], ['gone']);
});

test('without known differences the newer edition keeps its colours, and a border shows both', () => {
  assert.deepEqual(
    [false, true].map((hasBorder) => {
      const look = lookOf(null, new Set(), COLOURS, hasBorder);
      return [look.isColoured, look.colourOf('a', false), look.colourOf('a', true)];
    }),
    [
      [false, undefined, null],
      [false, undefined, undefined],
    ],
  );
});

test('water of two editions keeps the colours of its depths, and what has come has that of the legend', () => {
  const painter = new Painter();
  const shown = { url: 'a' } as never;
  painter.filtered = shown;
  const colourOf = (id: string | null, isWater: boolean) => {
    if (isWater) painter.water.add(shown);
    const properties: Record<string, unknown> = { gml_id: id, fld_rank: '3' };
    const feature = {
      show: true,
      color: { toCssHexString: () => 'none' },
      getPropertyIds: () => Object.keys(properties),
      getProperty: (name: string) => properties[name],
    };
    const content = { url: 'a', featuresLength: 1, getFeature: () => feature };
    painter.paint({ content, tileset: shown } as never);
    return feature.color.toCssHexString();
  };
  painter.look = lookOf(DIFFERENCES, new Set(), { ...COLOURS, new: '#112233' }, true);
  assert.equal(colourOf('same', false), UNCHANGED);
  assert.equal(colourOf('n', true), '#112233');
  const [, rgb] = WATER_DEPTHS[waterDepthOf('3')]!;
  const depth = `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  assert.equal(colourOf(null, true), depth);
  // While the service compares, too.
  painter.look = lookOf(null, new Set(), COLOURS, true);
  assert.equal(colourOf(null, true), depth);
});

describe('features of tiles', () => {
  /** A tile with a feature for each row of properties. */
  const tileOf = (tileset: object, ...rows: Array<Record<string, unknown>>) => {
    const features = rows.map((properties) => ({
      show: true,
      color: null as null | { toCssHexString(): string; alpha: number },
      getPropertyIds: () => Object.keys(properties),
      getProperty: (name: string) => properties[name],
    }));
    const content = { url: 'tile', featuresLength: rows.length, getFeature: (i: number) => features[i]! };
    return { features, tile: { content, tileset } as never, content };
  };
  const colours = ({ features }: ReturnType<typeof tileOf>) =>
    features.map(({ show, color }) => (show ? color!.toCssHexString() : null));
  const [model, beside] = [{ url: 'model' }, { url: 'beside' }] as unknown as [never, never];
  const WHITE = '#ffffff';
  const scale: Scale = {
    classOf: (value) => Number(value),
    legend: ['#101010', '#202020'].map((colour) => ({ label: '', kind: 'class', colour, condition: null })),
  };
  const colouring = {
    property: (source: PropertySource, tile: string) => (tile === 'tile' ? source.getProperty('n') : 0),
    scale,
  };
  const painterOf = () => {
    const painter = new Painter();
    painter.filtered = model;
    return painter;
  };

  test('have the colours of the legend in the model that it is about, and their own elsewhere', () => {
    const painter = painterOf();
    const [own, other] = [tileOf(model, { n: 0 }, { n: 1 }), tileOf(beside, { n: 0 })];
    const paint = () => [own, other].map(({ tile }) => painter.paint(tile));
    paint();
    assert.deepEqual([colours(own), colours(other)], [[WHITE, WHITE], [WHITE]]);
    painter.colouring = colouring;
    paint();
    assert.deepEqual([colours(own), colours(other)], [['#101010', '#202020'], [WHITE]]);
    // Once painted, a tile stays as it is.
    own.features[0]!.show = false;
    assert.deepEqual(paint(), [false, false]);
    assert.deepEqual(colours(own), [null, '#202020']);
    painter.colouring = null;
    paint();
    assert.deepEqual(colours(own), [WHITE, WHITE]);
  });

  test('are drawn as the filter says in the model, and as opaque as their layer', () => {
    const painter = painterOf();
    const [own, other] = [tileOf(model, { n: 0 }, { n: 1 }), tileOf(beside, { n: 0 })];
    const shown = () => {
      for (const { tile } of [own, other]) painter.paint(tile);
      return [own, other].map(({ features }) =>
        features.map(({ show, color }) => (show ? color!.alpha : null)),
      );
    };
    shown();
    own.features[0]!.show = false;
    painter.setOpacity(model, 1);
    assert.deepEqual(shown(), [[null, 1], [1]], 'what changes nothing paints nothing anew');
    painter.filter = (source) => source.getProperty('n') === 1;
    assert.deepEqual(shown(), [[null, 1], [1]]);
    painter.setOpacity(beside, 0.5);
    assert.deepEqual(shown(), [[null, 1], [0.5]]);
    painter.filter = null;
    painter.setOpacity(model, 0);
    assert.deepEqual(shown(), [[null, null], [0.5]]);
    for (const layer of [model, beside]) painter.setOpacity(layer, 1);
    assert.deepEqual(shown(), [[1, 1], [1]]);
    // What changes nothing paints nothing anew.
    own.features[0]!.show = false;
    painter.setOpacity(model, 1);
    assert.deepEqual(shown(), [[null, 1], [1]]);
    painter.setOpacity(model, 0.5);
    assert.deepEqual(shown(), [[0.5, 0.5], [1]]);
    own.features[0]!.show = false;
    painter.setOpacity(model, 0.5);
    assert.deepEqual(shown(), [[null, 0.5], [1]]);
  });

  test('of two editions look by what became of them, those of a third model as ever', () => {
    const painter = painterOf();
    painter.older = beside;
    painter.colouring = colouring;
    const third = { url: 'third' };
    const tiles = [model, beside, third].map((tileset) => tileOf(tileset, { gml_id: 'n' }, { gml_id: 'g' }));
    const seen = () => {
      for (const { tile } of tiles) painter.paint(tile);
      return tiles.map(colours);
    };
    const look = (border: boolean, differences: typeof DIFFERENCES | null = DIFFERENCES) => {
      painter.look = lookOf(differences, new Set(), { ...COLOURS, new: '#112233', gone: '#445566' }, border);
      return seen();
    };
    assert.deepEqual(look(false), [
      ['#112233', UNCHANGED],
      [null, '#445566'],
      [WHITE, WHITE],
    ]);
    assert.deepEqual(look(true), [
      ['#112233', UNCHANGED],
      [UNCHANGED, '#445566'],
      [WHITE, WHITE],
    ]);
    assert.deepEqual(look(true, null), [
      [WHITE, WHITE],
      [WHITE, WHITE],
      [WHITE, WHITE],
    ]);
    painter.filter = (source) => source.getProperty('gml_id') === 'n';
    assert.deepEqual(look(true), [
      ['#112233', null],
      [UNCHANGED, null],
      [WHITE, WHITE],
    ]);
  });

  test('of water have the colour of their depth, by a column or what the tile holds as text', () => {
    const painter = painterOf();
    painter.water.add(beside);
    const risk = JSON.stringify({ 'uro:RiverFloodingRiskAttribute': [{ 'uro:rank': '3' }] });
    const water = tileOf(
      beside,
      ...[
        { fld_rank: '3' },
        { 'uro:rankOrg': '3' },
        { attributes: risk },
        { rank_note: '3' },
        { fld_rank: null },
      ],
    );
    painter.paint(water.tile);
    const [, rgb] = WATER_DEPTHS[waterDepthOf('3')]!;
    const depth = `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    assert.deepEqual(colours(water), [depth, depth, depth, MISSING, MISSING]);
  });

  test('are selected by their id, in tiles that are there and in those that come', () => {
    const painter = painterOf();
    const [first, second, third] = [['a', 'b', 'a'], ['b'], ['a']].map((ids) =>
      tileOf(model, ...ids.map((gml_id) => ({ gml_id }))),
    ) as [ReturnType<typeof tileOf>, ReturnType<typeof tileOf>, ReturnType<typeof tileOf>];
    const tiles = [first.tile, second.tile];
    const { selected } = painter;
    assert.deepEqual([selected, painter.select(null, tiles)], [[], false]);
    assert.equal(painter.select('a', tiles), true);
    assert.equal(painter.select('a', tiles), false);
    assert.deepEqual(painter.selected, [first.features[0], first.features[2]]);
    assert.deepEqual(
      [first, second, third].map(({ tile }) => painter.paint(tile)),
      [false, false, true],
    );
    assert.deepEqual(painter.selected, [first.features[0], first.features[2], third.features[0]]);
    painter.forget(first.content);
    assert.deepEqual(painter.selected, [third.features[0]]);
    painter.select('b', tiles);
    assert.deepEqual(painter.selected, [first.features[1], second.features[0]]);
    painter.select(null, tiles);
    assert.deepEqual(painter.selected, []);
  });

  test('take a shader by whether they are coloured and buildings, and show their inside where they are cut', () => {
    const painter = painterOf();
    interface Prepared {
      colorBlendMode: number;
      customShader: { fragmentShaderText: string; uniforms: Record<string, { value: unknown }> };
      backFaceCulling: boolean;
    }
    const looks = (tileset: never, isBuilding: boolean) => {
      painter.prepare(tileset, isBuilding);
      const { colorBlendMode, customShader, backFaceCulling } = tileset as unknown as Prepared;
      const { u_plain, u_cut } = customShader.uniforms;
      const isLegend = customShader.fragmentShaderText.includes('czm_srgbToLinear');
      return [colorBlendMode, isLegend, u_plain!.value, u_cut!.value, backFaceCulling];
    };
    const [HIGHLIGHT, REPLACE] = [0, 1];
    const all = () =>
      [model, beside].flatMap((one) => [true, false].map((isBuilding) => looks(one, isBuilding)));
    const plain = [
      [HIGHLIGHT, false, 1, 0, true],
      [HIGHLIGHT, false, 0, 0, true],
    ];
    const coloured = [
      [REPLACE, true, 0, 0, true],
      [REPLACE, true, 0, 0, true],
    ];
    assert.deepEqual(all(), [...plain, ...plain]);
    painter.colouring = colouring;
    assert.deepEqual(all(), [...coloured, ...plain]);
    painter.water.add(beside);
    assert.deepEqual(all(), [...coloured, ...coloured]);
    painter.isCut = true;
    const cut = [
      [REPLACE, true, 0, 1, false],
      [REPLACE, true, 0, 0, true],
    ];
    assert.deepEqual(all(), [...cut, ...cut]);
    painter.isCut = false;
    assert.deepEqual(all(), [...coloured, ...coloured]);
    // Editions have the colours of what became of them, or their own until that is known.
    const two = painterOf();
    two.colouring = colouring;
    const modeOf = (differences: typeof DIFFERENCES | null, tileset: never) => {
      two.look = lookOf(differences, new Set(), COLOURS, true);
      two.prepare(tileset, true);
      return (tileset as Prepared).colorBlendMode;
    };
    assert.deepEqual([modeOf(null, model), modeOf(DIFFERENCES, model)], [HIGHLIGHT, REPLACE]);
    assert.deepEqual([modeOf(DIFFERENCES, beside), modeOf(null, beside)], [HIGHLIGHT, HIGHLIGHT]);
    two.older = beside;
    assert.equal(modeOf(DIFFERENCES, beside), REPLACE);
  });

  test('are lit as the air is, each colour by itself', () => {
    const painter = painterOf();
    const air = airOf('light', 0.5, [1, 0.8, 0.6], 1_000);
    const vector = (x: number, y: number, z: number) => ({
      x,
      y,
      z,
      clone: (into: object) => Object.assign(into, { x, y, z }),
    });
    const light = { air, up: vector(1, 2, 3), sun: vector(4, 5, 6), sunlight: [0.1, 0.2, 0.3], ambient: 0.5 };
    painter.light = light as never;
    painter.prepare(model, true);
    const { uniforms } = (
      model as { customShader: { uniforms: Record<string, { value: Record<string, number> }> } }
    ).customShader;
    const found = Object.fromEntries(
      Object.entries(uniforms).map(([name, { value }]) => [
        name,
        ['x', 'y', 'z'].flatMap((axis) => value[axis] ?? []),
      ]),
    );
    const half = (colour: readonly number[]) => colour.map((part) => part / 2);
    assert.deepEqual(found, {
      ...{ u_up: [1, 2, 3], u_sun: [4, 5, 6], u_sunlight: [0.1, 0.2, 0.3] },
      ...{ u_sky: half(air.sky), u_ground: half(air.bounce) },
      ...{ u_roof: [...linear(air.roof)], u_wall: [...linear(air.wall)], u_haze: [...linear(air.horizon)] },
      ...{ u_reach: [air.hazeFrom, air.hazeTo], u_cap: [...linear(CUT_SURFACE)], u_cut: [], u_plain: [] },
    });
  });
});
