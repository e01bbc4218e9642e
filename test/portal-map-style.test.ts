/** What holds of the style of the map whatever it shows: its sources, zooms, and how much layers hide. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LayerSpecification } from 'maplibre-gl';
import { COLOURINGS } from '../packages/portal/src/core/state.ts';
import { addBase, BASE_TYPES, type BaseParts, GROUND_ZOOM } from '../packages/portal/src/map/base-layers.ts';
import {
  BASE_ZOOM,
  DATA_SOURCES,
  FINE_ZOOM,
  GRID_ZOOM,
  type MapModel,
  MESH_ZOOM,
  meshOpacity,
  styleOf,
  TILE_PREFIX,
} from '../packages/portal/src/map/map-style.ts';
import { PALETTES } from '../packages/portal/src/map/palette.ts';
import { COAST_ZOOM } from '../packages/portal/src/map/shores.ts';
import type { TileJson } from '../packages/portal/src/map/tilejson.ts';

const EMPTY = { type: 'FeatureCollection', features: [] } as const;
const tileJson = (layer: string, fields: Record<string, string> = {}): TileJson => ({
  ...{ tiles: ['https://a.example/{z}/{x}/{y}.mvt'], minzoom: 10, maxzoom: 16 },
  ...{ bounds: [139, 35, 140, 36] as [number, number, number, number] },
  vector_layers: [{ id: layer, fields }],
});
const MODEL: MapModel = {
  ...{
    theme: 'light',
    by: COLOURINGS[0],
    language: 'ja',
    land: '/land.json',
    hasCoast: false,
    baseMap: null,
  },
  ...(Object.fromEntries(DATA_SOURCES.map((name) => [name, { ...EMPTY, features: [] }])) as Record<
    (typeof DATA_SOURCES)[number],
    never
  >),
  ...{ layers: [], base: [] },
};
const MODELS: MapModel[] = [
  MODEL,
  { ...MODEL, theme: 'dark', hasCoast: true },
  ...(['light', 'dark'] as const).map(
    (theme): MapModel => ({
      ...{ ...MODEL, theme, baseMap: { url: 'https://a.example/{z}/{x}/{y}.png', attribution: 'A' } },
      layers: [{ datasetId: 'd', position: 40, tileJson: tileJson('bldg') }],
      base: BASE_TYPES.map((type) => ({
        ...{ id: type, type },
        tileJson: tileJson(type === 'urf' ? 'UseDistrict' : type, { name: 'String' }),
      })),
    }),
  ),
];

const paintOf = (layer: LayerSpecification): Array<[string, unknown]> =>
  Object.entries({ ...('paint' in layer ? layer.paint : {}), ...('layout' in layer ? layer.layout : {}) });

/** The numbers that an expression may give. */
function outcomes(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (!Array.isArray(value)) return [];
  const [name, ...rest] = value as [string, ...unknown[]];
  if (name === 'interpolate') return rest.filter((_, i) => i >= 3 && i % 2 === 1).flatMap(outcomes);
  if (name === 'step') return rest.filter((_, i) => i % 2 === 1).flatMap(outcomes);
  if (name === 'case') return rest.filter((_, i) => i % 2 === 1 || i === rest.length - 1).flatMap(outcomes);
  return [];
}

/** Zooms at which an expression changes. */
function stops(value: unknown): number[] {
  if (!Array.isArray(value)) return [];
  const from = value[0] === 'interpolate' ? 3 : value[0] === 'step' ? 3 : value.length;
  return value.filter((_, i) => i >= from && (i - from) % 2 === 0) as number[];
}

describe('the style of the map', () => {
  test('draws only of sources that there are, each layer under a name of its own', () => {
    for (const model of MODELS) {
      const { sources, layers } = styleOf(model);
      assert.equal(new Set(layers.map(({ id }) => id)).size, layers.length);
      for (const layer of layers) if ('source' in layer) assert.ok(String(layer.source) in sources, layer.id);
      for (const name of DATA_SOURCES) assert.ok(name in sources, name);
    }
    const { layers } = styleOf(MODELS[2]!);
    const drawn = layers.filter(({ id }) => id.startsWith(TILE_PREFIX)).map(({ type }) => type);
    assert.deepEqual(drawn, ['fill', 'line', 'circle']);
  });

  test('hides nothing more than wholly, and changes at zooms in their order', () => {
    let opacities = 0;
    for (const model of MODELS) {
      for (const layer of styleOf(model).layers) {
        if (layer.minzoom !== undefined && layer.maxzoom !== undefined)
          assert.ok(layer.minzoom < layer.maxzoom, layer.id);
        for (const [name, value] of paintOf(layer)) {
          const zooms = stops(value);
          assert.ok(zooms.every((zoom, i) => zoom >= 4 && zoom <= 20 && (i === 0 || zoom > zooms[i - 1]!)));
          if (/-opacity$|brightness/.test(name)) {
            for (const part of outcomes(value)) {
              assert.ok(part >= 0 && part <= 1, `${layer.id} ${name} ${part}`);
              opacities++;
            }
          }
          if (/-width$|-radius$|-size$/.test(name)) {
            for (const part of outcomes(value))
              assert.ok(part > 0 && part <= 15, `${layer.id} ${name} ${part}`);
          }
          if (name === 'raster-saturation') assert.ok(Number(value) >= -1 && Number(value) < 0);
        }
      }
    }
    assert.ok(opacities > 30);
  });

  test('has a map of pictures where one is asked for, quieter in the dark', () => {
    const baseOf = (model: MapModel) => {
      const { sources, layers, version } = styleOf(model);
      const layer = layers.find(({ id }) => id === 'base');
      return { version, source: sources.base, paint: layer && new Map(paintOf(layer)) };
    };
    assert.deepEqual(baseOf(MODEL), { version: 8, source: undefined, paint: undefined });
    const [light, dark] = [baseOf(MODELS[2]!), baseOf(MODELS[3]!)];
    for (const { source } of [light, dark]) {
      const { url, attribution } = MODELS[2]!.baseMap!;
      // Pictures of the usual size; maps have few closer in than zoom 18.
      assert.deepEqual(source, { type: 'raster', tiles: [url], tileSize: 256, attribution, maxzoom: 18 });
    }
    assert.ok((dark.paint!.get('raster-opacity') as number) < (light.paint!.get('raster-opacity') as number));
    assert.deepEqual(
      [light, dark].map(({ paint }) => paint!.has('raster-brightness-max')),
      [false, true],
    );
  });

  test('has coarse land from afar alone, or at every zoom where there are no fine coasts', () => {
    for (const [hasCoast, until] of [
      [false, 24],
      [true, COAST_ZOOM],
    ] as const) {
      const layers = new Map(styleOf({ ...MODEL, hasCoast }).layers.map((layer) => [layer.id, layer]));
      for (const id of ['land', 'coast']) assert.equal(layers.get(id)!.maxzoom, until);
      for (const id of ['fine-land', 'fine-coast']) assert.equal(layers.get(id)!.minzoom, COAST_ZOOM);
    }
  });

  test('changes at zooms of which the page tells: circles, meshes, their grid, fine ones, the hosted map', () => {
    assert.deepEqual([MESH_ZOOM, GRID_ZOOM, FINE_ZOOM, BASE_ZOOM, COAST_ZOOM], [8, 9, 10.5, 13, 8]);
    const layers = new Map(styleOf(MODEL).layers.map((layer) => [layer.id, layer]));
    const zooms = ['pref-name', 'town-name', 'city-name'].map((id) => {
      const { minzoom, maxzoom } = layers.get(id)!;
      return [minzoom, maxzoom];
    });
    // Names of prefectures from where they have room to where those of towns are.
    assert.deepEqual(zooms, [
      [4.4, 8.5],
      [8, 14],
      [undefined, undefined],
    ]);
    const meshes = new Map(paintOf(layers.get('mesh-fill')!));
    assert.deepEqual(stops(meshes.get('fill-opacity')), [BASE_ZOOM, BASE_ZOOM + 1.5]);
    assert.equal(meshes.get('fill-antialias'), false, 'no seams between meshes');
  });

  test('hands over from circles of municipalities to meshes', () => {
    const layers = new Map(styleOf(MODEL).layers.map((layer) => [layer.id, layer]));
    const [circles, meshes, lines, edges] = ['city-point', 'mesh-fill', 'mesh-line', 'mesh-edge'].map(
      (id) => layers.get(id)!,
    );
    const paint = new Map(paintOf(circles!));
    for (const name of ['circle-opacity', 'circle-stroke-opacity']) {
      assert.deepEqual(outcomes(paint.get(name)), [1, 0]);
      assert.deepEqual(stops(paint.get(name)), [MESH_ZOOM, circles!.maxzoom!]);
    }
    assert.equal(meshes!.minzoom, MESH_ZOOM);
    assert.deepEqual([lines!.maxzoom, edges!.minzoom], [BASE_ZOOM, BASE_ZOOM]);
  });

  test('lets more of the map through meshes the closer it is, and most where layers are drawn', () => {
    const opacity = (model: MapModel) => {
      const layer = styleOf(model).layers.find(({ id }) => id === 'mesh-fill')!;
      return outcomes(new Map(paintOf(layer)).get('fill-opacity'));
    };
    const [far, near] = opacity(MODEL);
    assert.deepEqual([far, near], [meshOpacity(BASE_ZOOM, false), meshOpacity(BASE_ZOOM + 1.5, false)]);
    assert.ok(far! > near!);
    const between = [0, 0.5, 1, 1.4].map((zoom) => meshOpacity(BASE_ZOOM + zoom, false));
    assert.ok(between.every((one, i) => i === 0 || (one < between[i - 1]! && one > near!)));
    const [layered, ...more] = opacity(MODELS[2]!);
    assert.ok(more.length === 0 && layered! < near!);
  });

  test('draws the hosted map in the order of its types, names over it', () => {
    const { layers } = styleOf(MODELS[2]!);
    const fills = layers.filter(({ id, type }) => id.startsWith('base/') && type === 'fill');
    assert.deepEqual(
      fills.map(({ id }) => id.split('/')[1]),
      BASE_TYPES,
    );
    const places = new Map(layers.map(({ id }, i) => [id, i]));
    const at = (id: string) => places.get(id)!;
    // Plans and uses of land lie below the meshes, streets and houses over them, and names over all.
    assert.ok(at('base/luse/luse/fill') < at('mesh-fill') && at('mesh-fill') < at('base/tran/tran/fill'));
    for (const type of ['wtr', 'rwy', 'wwy']) {
      for (const kind of ['name', 'line-name']) assert.ok(at(`base/${type}/${type}/${kind}`) > at('finding'));
    }
    assert.equal(places.has('base/bldg/bldg/name'), false);
    const widths = ['tran', 'rwy', 'wwy', 'wtr'].map((type) => {
      const paint = new Map(paintOf(layers[at(`base/${type}/${type}/line`)]!));
      return [type, paint.get('line-width'), paint.has('line-dasharray')];
    });
    // Railways are drawn wider, ways of ships in dashes.
    const [wide, usual] = [widths[1]![1] as number, widths[0]![1] as number];
    assert.ok(wide > usual);
    assert.deepEqual(widths, [
      ['tran', usual, false],
      ['rwy', wide, false],
      ['wwy', usual, true],
      ['wtr', usual, false],
    ]);
    // Pieces of land lie side by side, and need no outline.
    const outlined = fills.filter((layer) => new Map(paintOf(layer)).has('fill-outline-color'));
    assert.deepEqual(
      outlined.map(({ id }) => id.split('/')[1]),
      ['squr', 'tran', 'trk', 'rwy', 'bldg'],
    );
    const zooms = fills.map((layer) => [layer.id.split('/')[1]!, layer.minzoom]);
    assert.deepEqual(
      zooms.filter(([, zoom]) => zoom !== GROUND_ZOOM),
      [
        ['squr', 13],
        ['tran', 12],
        ['trk', 14],
        ['bldg', 13.5],
      ],
    );
    assert.equal(GROUND_ZOOM, 11);
    const textOf = (type: string) =>
      new Map(paintOf(layers[at(`base/${type}/${type}/name`)]!)).get('text-color');
    const { base, quietText } = PALETTES.light;
    assert.deepEqual(['wtr', 'rwy', 'wwy'].map(textOf), [base.waterText, quietText, quietText]);
    const plan = {
      tiles: [],
      vector_layers: [
        { id: 'UseDistrict', fields: {} },
        { id: 'PortZone', fields: {} },
      ],
    };
    const parts: BaseParts = { ground: [], over: [], names: [] };
    addBase({ id: 'u', type: 'urf', tileJson: plan as never }, PALETTES.light, {}, parts, []);
    assert.deepEqual(
      parts.ground.map(({ id }) => id),
      ['base/u/UseDistrict/fill'],
    );
    for (const type of ['luse', 'urf', 'bldg']) assert.equal(places.has(`base/${type}/${type}/line`), false);
  });

  test('takes the colours of layers in turn', () => {
    const colourAt = (position: number) => {
      const model = { ...MODEL, layers: [{ datasetId: 'd', position, tileJson: tileJson('a') }] };
      const layer = styleOf(model).layers.find(({ id }) => id.startsWith(TILE_PREFIX))!;
      return new Map(paintOf(layer)).get('fill-color');
    };
    const colours = Array.from({ length: 30 }, (_, position) => colourAt(position));
    const count = new Set(colours).size;
    assert.ok(count > 2 && count < 30);
    for (const [position, colour] of colours.entries()) assert.equal(colour, colours[position % count]);
  });
});
