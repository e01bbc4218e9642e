/**
 * The hosted vector tiles as a map: zones, land use, water, ways and footprints of buildings, quiet below everything
 * else, with the names of waters and lines.
 */
import type { LayerSpecification, SourceSpecification } from 'maplibre-gl';
import type { DatasetRow } from '../core/catalogue.ts';
import type { Palette } from './palette.ts';
import { counted } from './tile-tally.ts';
import type { TileJson } from './tilejson.ts';

/** What is drawn, from the lowest up. */
export const BASE_TYPES = ['urf', 'luse', 'wtr', 'squr', 'tran', 'trk', 'rwy', 'wwy', 'bldg'] as const;
export type BaseType = (typeof BASE_TYPES)[number];
/** Types that lie below the colours of the meshes; the others lie over them, so that streets stay in sight. */
const GROUND: readonly BaseType[] = ['urf', 'luse'];
/** Of plans of a city only zones of use cover it. */
const ZONES = 'UseDistrict';
/** Zooms from which types are drawn: footprints and paths are small. */
const FROM_ZOOM: Partial<Record<BaseType, number>> = { tran: 12, squr: 13, trk: 14, bldg: 13.5 };
/** Zoom from which all others are drawn. */
export const GROUND_ZOOM = 11;

/** Sources of these tiles begin with this. */
export const BASE_PREFIX = 'base/';
/** Datasets that are drawn at most: some of each of a few municipalities. */
const MOST = 20;

export interface BaseLayer {
  id: string;
  type: BaseType;
  tileJson: TileJson;
}

/**
 * Of each municipality (or ward) and type the newest year, and in it the lowest LOD, which has areas; from the lowest
 * type up.
 */
export function newestOf(rows: readonly DatasetRow[]): DatasetRow[] {
  const best = new Map<string, DatasetRow>();
  for (const row of rows) {
    if (!row.composite_url || (row.type_en === 'urf' && !row.layers?.includes(ZONES))) continue;
    const key = `${row.ward_code ?? row.city_code}/${row.type_en}`;
    const known = best.get(key);
    if (known === undefined || row.year > known.year || (row.year === known.year && row.lod < known.lod)) {
      best.set(key, row);
    }
  }
  const order = (row: DatasetRow) => BASE_TYPES.indexOf(row.type_en as BaseType);
  return [...best.values()].sort((a, b) => order(a) - order(b)).slice(0, MOST);
}

/** Layers of one dataset: below the meshes, over them, and names, which lie over everything. */
export interface BaseParts {
  ground: LayerSpecification[];
  over: LayerSpecification[];
  names: LayerSpecification[];
}

/** Adds source and layers of one dataset. */
export function addBase(
  { id, type, tileJson }: BaseLayer,
  { base, quietText, halo }: Palette,
  sources: Record<string, SourceSpecification>,
  parts: BaseParts,
  font: string[],
): void {
  const source = BASE_PREFIX + id;
  const { tiles, minzoom, maxzoom, bounds, attribution = '' } = tileJson;
  sources[source] = { type: 'vector', tiles: counted(tiles), minzoom, maxzoom, bounds, attribution };
  const look = {
    urf: { fill: zoneColour(base), edge: null, line: null },
    luse: { fill: zoneColour(base), edge: null, line: null },
    wtr: { fill: base.water, edge: null, line: base.water },
    squr: { fill: base.road, edge: base.roadEdge, line: base.roadEdge },
    tran: { fill: base.road, edge: base.roadEdge, line: base.roadEdge },
    trk: { fill: base.road, edge: base.roadEdge, line: base.roadEdge },
    rwy: { fill: base.railBed, edge: base.rail, line: base.rail },
    wwy: { fill: 'transparent', edge: null, line: base.ferry },
    bldg: { fill: base.building, edge: base.buildingEdge, line: null },
  }[type];
  const layers = GROUND.includes(type) ? parts.ground : parts.over;
  for (const layer of tileJson.vector_layers) {
    if (type === 'urf' && layer.id !== ZONES) continue;
    const common = { source, 'source-layer': layer.id, minzoom: FROM_ZOOM[type] ?? GROUND_ZOOM };
    layers.push({
      ...common,
      id: `${source}/${layer.id}/fill`,
      type: 'fill',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: {
        'fill-color': look.fill as never,
        ...(look.edge === null ? {} : { 'fill-outline-color': look.edge }),
      },
    });
    if (look.line !== null) {
      layers.push({
        ...common,
        id: `${source}/${layer.id}/line`,
        type: 'line',
        filter: ['==', ['geometry-type'], 'LineString'],
        paint: {
          'line-color': look.line,
          'line-width': type === 'rwy' ? 2.2 : 1.5,
          ...(type === 'wwy' ? { 'line-dasharray': [4, 3] } : {}),
        },
      });
    }
    const named = NAMED.includes(type) ? NAMES.find((field) => field in layer.fields) : undefined;
    if (named === undefined) continue;
    const text = {
      'text-field': ['case', ['in', ['get', named], ['literal', NO_NAMES]], '', ['get', named]] as never,
      'text-font': font,
      'text-size': 11,
      'text-padding': 24,
    };
    const paint = {
      'text-color': type === 'wtr' ? base.waterText : quietText,
      'text-halo-color': halo,
      'text-halo-width': 1.2,
    };
    parts.names.push(
      {
        ...common,
        id: `${source}/${layer.id}/name`,
        type: 'symbol',
        filter: ['!=', ['geometry-type'], 'LineString'],
        layout: text,
        paint,
      },
      {
        ...common,
        id: `${source}/${layer.id}/line-name`,
        type: 'symbol',
        filter: ['==', ['geometry-type'], 'LineString'],
        layout: { ...text, 'symbol-placement': 'line', 'symbol-spacing': 400 },
        paint,
      },
    );
  }
}

/** Types whose features have names that help to find one's way. */
const NAMED: readonly BaseType[] = ['wtr', 'rwy', 'wwy'];
/** What data has where a name is not known. */
const NO_NAMES = ['Null', 'null', 'NULL', '-', '不明'];
/** Columns of names, as ours and published tiles call them. */
const NAMES = ['gml_name', 'gml:name', 'name'] as const;
/** Columns of what land is used for, or planned for. */
const USES = ['luse_class', 'luse:class', 'class', 'urf_function', 'urf:function', 'function'] as const;

/** Colour of land by the words of its use: green, water, shops, works; anything else is plain. */
function zoneColour({ zones, water, luse }: Palette['base']): unknown[] {
  const use = ['to-string', ['coalesce', ...USES.map((field) => ['get', field])]];
  const has = (...words: string[]) => ['any', ...words.map((word) => ['in', word, ['var', 'use']])];
  return [
    'let',
    'use',
    use,
    [
      'case',
      has('水面', '河川', '海浜'),
      water,
      has('田', '畑', '農'),
      zones.fields,
      has('山林', '緑', '公園', '荒地', '森', 'その他自然地', 'その他の自然地', '公共空地'),
      zones.green,
      has('商業'),
      zones.shops,
      has('工業'),
      zones.works,
      has('道路', '交通', '鉄道'),
      zones.ways,
      has('住宅', '住居', '併用'),
      zones.homes,
      luse,
    ],
  ];
}
