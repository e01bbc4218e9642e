/**
 * The hosted vector tiles as a map: land use, water, roads and footprints of buildings, quiet below everything else.
 */
import type { LayerSpecification, SourceSpecification } from 'maplibre-gl';
import type { DatasetRow } from '../core/catalogue.ts';
import type { Palette } from './palette.ts';
import { counted } from './tile-tally.ts';
import type { TileJson } from './tilejson.ts';

/** What is drawn, from the lowest up. */
export const BASE_TYPES = ['luse', 'wtr', 'tran', 'bldg'] as const;
export type BaseType = (typeof BASE_TYPES)[number];

/** Sources of these tiles begin with this. */
export const BASE_PREFIX = 'base/';
/** Datasets that are drawn at most: four of each of a few municipalities. */
const MOST = 12;

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
    if (!row.composite_url) continue;
    const key = `${row.ward_code ?? row.city_code}/${row.type_en}`;
    const known = best.get(key);
    if (known === undefined || row.year > known.year || (row.year === known.year && row.lod < known.lod)) {
      best.set(key, row);
    }
  }
  const order = (row: DatasetRow) => BASE_TYPES.indexOf(row.type_en as BaseType);
  return [...best.values()].sort((a, b) => order(a) - order(b)).slice(0, MOST);
}

/** Adds the layers of one dataset. */
export function addBase(
  { id, type, tileJson }: BaseLayer,
  { base }: Palette,
  sources: Record<string, SourceSpecification>,
  layers: LayerSpecification[],
): void {
  const source = BASE_PREFIX + id;
  const { tiles, minzoom, maxzoom, bounds, attribution = '' } = tileJson;
  sources[source] = { type: 'vector', tiles: counted(tiles), minzoom, maxzoom, bounds, attribution };
  const fill = { luse: base.luse, wtr: base.water, tran: base.road, bldg: base.building }[type];
  const edge = { luse: null, wtr: null, tran: base.roadEdge, bldg: base.buildingEdge }[type];
  for (const layer of tileJson.vector_layers) {
    const common = { source, 'source-layer': layer.id, minzoom: type === 'bldg' ? 14 : 12 };
    layers.push({
      ...common,
      id: `${source}/${layer.id}/fill`,
      type: 'fill',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': fill, ...(edge === null ? {} : { 'fill-outline-color': edge }) },
    });
    if (type === 'tran' || type === 'wtr') {
      layers.push({
        ...common,
        id: `${source}/${layer.id}/line`,
        type: 'line',
        filter: ['==', ['geometry-type'], 'LineString'],
        paint: { 'line-color': edge ?? fill, 'line-width': 1.5 },
      });
    }
  }
}
