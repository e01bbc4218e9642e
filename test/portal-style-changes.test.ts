/** A change of colours is told to the map by properties alone; anything else by a whole style. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StyleSpecification } from 'maplibre-gl';
import { COLOURINGS } from '../packages/portal/src/core/state.ts';
import { type MapModel, styleOf } from '../packages/portal/src/map/map-style.ts';
import { changesOf } from '../packages/portal/src/map/style-changes.ts';

const EMPTY = { type: 'FeatureCollection' as const, features: [] };
const TILES = {
  tiles: ['http://localhost/{z}/{x}/{y}.mvt'],
  minzoom: 8,
  maxzoom: 16,
  bounds: [139, 35, 140, 36] as [number, number, number, number],
  vector_layers: [{ id: 'bldg', fields: {} }],
};
const MODEL: MapModel = {
  theme: 'light',
  by: 'lod',
  language: 'en',
  land: 'http://localhost/land.json',
  hasCoast: false,
  coast: EMPTY,
  baseMap: null,
  cities: EMPTY,
  meshes: EMPTY,
  names: EMPTY,
  grid: EMPTY,
  outline: EMPTY,
  area: EMPTY,
  findings: EMPTY,
  changes: EMPTY,
  layers: [{ datasetId: 'a', tileJson: TILES, position: 0 }],
  base: [{ id: 'b', type: 'bldg', tileJson: TILES }],
};

/** `before` with the changes. */
function changed(before: StyleSpecification, after: StyleSpecification): StyleSpecification {
  const style = structuredClone(before);
  for (const { layer, kind, name, value } of changesOf(before, after)!) {
    const found = style.layers.find(({ id }) => id === layer)! as unknown as Record<
      string,
      Record<string, unknown>
    >;
    found[kind] = { ...found[kind], [name]: value };
    if (value === undefined) delete found[kind]![name];
  }
  return style;
}

test('other colours, themes and languages are properties of layers', () => {
  const before = styleOf(MODEL);
  for (const theme of ['light', 'dark'] as const) {
    for (const language of ['ja', 'en'] as const) {
      for (const by of COLOURINGS) {
        const after = styleOf({ ...MODEL, theme, language, by });
        assert.deepEqual(changed(before, after), after);
      }
    }
  }
  assert.deepEqual(changesOf(before, styleOf({ ...MODEL })), []);
  assert.ok(changesOf(before, styleOf({ ...MODEL, by: 'types' }))!.length > 0);
});

test('a property that goes is taken back', () => {
  const style = (paint: object): StyleSpecification => ({
    version: 8,
    sources: {},
    layers: [{ id: 'sea', type: 'background', paint }],
  });
  assert.deepEqual(changesOf(style({ 'background-opacity': 0.5 }), style({})), [
    { layer: 'sea', kind: 'paint', name: 'background-opacity', value: undefined },
  ]);
});

test('other data, layers, filters and sources are another style', () => {
  const before = styleOf(MODEL);
  assert.equal(changesOf(before, styleOf({ ...MODEL, layers: [] })), null);
  assert.equal(changesOf(before, styleOf({ ...MODEL, base: [] })), null);
  assert.equal(changesOf(before, styleOf({ ...MODEL, cities: structuredClone(EMPTY) })), null);
  assert.equal(changesOf(before, styleOf({ ...MODEL, land: 'http://localhost/other.json' })), null);
  const moved = styleOf({
    ...MODEL,
    layers: [{ ...MODEL.layers[0]!, tileJson: { ...TILES, maxzoom: 14 } }],
  });
  assert.equal(changesOf(before, moved), null);
  const { sources } = before;
  const renamed = Object.fromEntries(Object.entries(sources).map(([name, source]) => [`${name}2`, source]));
  assert.equal(changesOf(before, { ...before, sources: renamed }), null);
  const [tiles] = Object.keys(sources).filter((name) => sources[name]!.type === 'vector');
  for (const [one, other] of [
    [sources, { ...sources, [tiles!]: sources.cities! }],
    [{ ...sources, [tiles!]: sources.cities! }, sources],
  ])
    assert.equal(changesOf({ ...before, sources: one! }, { ...before, sources: other! }), null);
  const [first, ...others] = before.layers;
  assert.equal(changesOf(before, { ...before, layers: [{ ...first!, minzoom: 3 }, ...others] }), null);
});

test('the map names whose coasts and places it shows', () => {
  const credits = Object.values(styleOf(MODEL).sources).map((source) =>
    'attribution' in source ? source.attribution : '',
  );
  for (const owner of ['Natural Earth', 'OpenStreetMap contributors', 'GeoNames']) {
    assert.ok(
      credits.some((credit) => credit?.includes(owner)),
      owner,
    );
  }
});
