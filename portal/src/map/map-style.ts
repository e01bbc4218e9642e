/** The whole style of the map as a function of what it shows. */
import type { FeatureCollection } from 'geojson';
import type { LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl';
import type { Theme } from '../core/state.ts';
import { PALETTES } from './palette.ts';

export interface TileJson {
  tiles: string[];
  minzoom: number;
  maxzoom: number;
  bounds: [number, number, number, number];
  vector_layers: Array<{ id: string; fields: Record<string, string> }>;
  attribution?: string;
}

/** A dataset that is drawn. */
export interface DrawnLayer {
  datasetId: string;
  tileJson: TileJson;
  /** Place in the list of layers, which gives the colour. */
  position: number;
}

export interface MapModel {
  theme: Theme;
  baseMap: { url: string; attribution: string } | null;
  cities: FeatureCollection;
  meshes: FeatureCollection;
  grid: FeatureCollection;
  outline: FeatureCollection;
  area: FeatureCollection;
  layers: DrawnLayer[];
}

/** Sources whose data the map exchanges as people move and click. */
export const DATA_SOURCES = ['cities', 'meshes', 'grid', 'outline', 'area'] as const;
export type DataSource = (typeof DATA_SOURCES)[number];

/** From this zoom on meshes take the colour over from municipalities. */
export const MESH_ZOOM = 11;

const FONT = ['Hiragino Sans', 'Noto Sans CJK JP', 'Noto Sans JP', 'Yu Gothic', 'sans-serif'];

/** Layers of the vector tiles of a dataset begin with this. */
export const TILE_PREFIX = 'tiles/';

export function styleOf(model: MapModel): StyleSpecification {
  const palette = PALETTES[model.theme];
  const sources: Record<string, SourceSpecification> = {};
  for (const name of DATA_SOURCES) sources[name] = { type: 'geojson', data: model[name] };
  const byClass = ['to-color', ['at', ['get', 'class'], ['literal', palette.ramp]]] as never;
  const layers: LayerSpecification[] = [
    { id: 'ground', type: 'background', paint: { 'background-color': palette.ground } },
  ];
  if (model.baseMap !== null) {
    const { url, attribution } = model.baseMap;
    sources.base = { type: 'raster', tiles: [url], tileSize: 256, attribution, maxzoom: 18 };
    layers.push({
      id: 'base',
      type: 'raster',
      source: 'base',
      paint:
        model.theme === 'dark'
          ? { 'raster-opacity': 0.5, 'raster-brightness-max': 0.55, 'raster-saturation': -0.8 }
          : { 'raster-opacity': 0.75, 'raster-saturation': -0.6 },
    });
  }
  layers.push(
    {
      id: 'grid',
      type: 'line',
      source: 'grid',
      filter: ['==', ['geometry-type'], 'LineString'],
      paint: { 'line-color': palette.grid, 'line-width': 1 },
    },
    {
      id: 'city-fill',
      type: 'fill',
      source: 'cities',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: {
        'fill-color': byClass,
        'fill-opacity': ['interpolate', ['linear'], ['zoom'], MESH_ZOOM - 1, 0.55, MESH_ZOOM + 0.5, 0.05],
      },
    },
    {
      id: 'mesh-fill',
      type: 'fill',
      source: 'meshes',
      minzoom: MESH_ZOOM,
      filter: ['>=', ['get', 'digits'], 8],
      paint: { 'fill-color': byClass, 'fill-opacity': model.layers.length > 0 ? 0.15 : 0.55 },
    },
    {
      id: 'mesh-line',
      type: 'line',
      source: 'meshes',
      minzoom: MESH_ZOOM,
      paint: { 'line-color': palette.halo, 'line-width': 1 },
    },
    {
      id: 'city-line',
      type: 'line',
      source: 'cities',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'line-color': palette.ramp[4], 'line-width': 1, 'line-opacity': 0.75 },
    },
    {
      id: 'city-point',
      type: 'circle',
      source: 'cities',
      maxzoom: 10,
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': byClass,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 4, 3, 9, 5],
        'circle-stroke-color': palette.ramp[4],
        'circle-stroke-width': 1,
        'circle-opacity': ['interpolate', ['linear'], ['zoom'], 8.5, 1, 10, 0],
        'circle-stroke-opacity': ['interpolate', ['linear'], ['zoom'], 8.5, 1, 10, 0],
      },
    },
  );
  for (const layer of model.layers) addTiles(layer, palette.layers, sources, layers);
  layers.push(
    {
      id: 'grid-code',
      type: 'symbol',
      source: 'grid',
      filter: ['==', ['geometry-type'], 'Point'],
      layout: {
        'text-field': ['get', 'code'],
        'text-font': FONT,
        'text-size': 10,
        'text-anchor': 'bottom-left',
        'text-offset': [0.4, -0.3],
        'text-padding': 12,
      },
      paint: { 'text-color': palette.gridText, 'text-halo-color': palette.halo, 'text-halo-width': 1 },
    },
    {
      id: 'area-fill',
      type: 'fill',
      source: 'area',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': palette.area, 'fill-opacity': 0.16 },
    },
    {
      id: 'area-line',
      type: 'line',
      source: 'area',
      paint: { 'line-color': palette.area, 'line-width': 2 },
    },
    {
      id: 'outline',
      type: 'line',
      source: 'outline',
      paint: { 'line-color': palette.pick, 'line-width': 2.5 },
    },
    {
      id: 'city-name',
      type: 'symbol',
      source: 'cities',
      filter: ['==', ['geometry-type'], 'Point'],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': ['interpolate', ['linear'], ['zoom'], 5, 11, 12, 15],
        'text-anchor': 'bottom',
        'text-offset': [0, -0.7],
      },
      paint: { 'text-color': palette.text, 'text-halo-color': palette.halo, 'text-halo-width': 1.6 },
    },
  );
  return { version: 8, sources, layers };
}

/** Areas, lines and points of every layer in a dataset's tiles. */
function addTiles(
  { datasetId, tileJson, position }: DrawnLayer,
  colours: readonly string[],
  sources: Record<string, SourceSpecification>,
  layers: LayerSpecification[],
): void {
  const source = TILE_PREFIX + datasetId;
  const { tiles, minzoom, maxzoom, bounds, attribution = '' } = tileJson;
  sources[source] = { type: 'vector', tiles, minzoom, maxzoom, bounds, attribution };
  const colour = colours[position % colours.length]!;
  for (const { id } of tileJson.vector_layers) {
    const common = { source, 'source-layer': id };
    layers.push(
      {
        ...common,
        id: `${source}/${id}/fill`,
        type: 'fill',
        filter: ['==', ['geometry-type'], 'Polygon'],
        paint: { 'fill-color': colour, 'fill-opacity': 0.45 },
      },
      {
        ...common,
        id: `${source}/${id}/line`,
        type: 'line',
        filter: ['!=', ['geometry-type'], 'Point'],
        paint: { 'line-color': colour, 'line-width': 1.2 },
      },
      {
        ...common,
        id: `${source}/${id}/point`,
        type: 'circle',
        filter: ['==', ['geometry-type'], 'Point'],
        paint: { 'circle-color': colour, 'circle-radius': 4 },
      },
    );
  }
}
