/** The whole style of the map as a function of what it shows. */
import type { FeatureCollection } from 'geojson';
import type { LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl';
import type { Colouring, Language, Theme } from '../core/state.ts';
import { addBase, type BaseLayer, type BaseParts } from './base-layers.ts';
import { changeLayers } from './change-layers.ts';
import { classColours, PALETTES } from './palette.ts';
import { COAST_ZOOM } from './shores.ts';
import { counted } from './tile-tally.ts';
import type { TileJson } from './tilejson.ts';

/** A dataset that is drawn. */
export interface DrawnLayer {
  datasetId: string;
  tileJson: TileJson;
  /** Place in the list of layers, which gives the colour. */
  position: number;
}

export interface MapModel {
  theme: Theme;
  by: Colouring;
  language: Language;
  /** Land as it is drawn from afar, or its address; nothing where nobody has been far away. */
  land: FeatureCollection | string;
  /** Whether there are fine coasts, which take the place of this land where people look closely. */
  hasCoast: boolean;
  /** The fine coasts around the view. */
  coast: FeatureCollection;
  baseMap: { url: string; attribution: string } | null;
  cities: FeatureCollection;
  meshes: FeatureCollection;
  names: FeatureCollection;
  grid: FeatureCollection;
  outline: FeatureCollection;
  area: FeatureCollection;
  findings: FeatureCollection;
  changes: FeatureCollection;
  layers: DrawnLayer[];
  /** Hosted tiles that are drawn as a map below everything. */
  base: BaseLayer[];
}

/** Sources whose data the map exchanges as people move and click. */
export const DATA_SOURCES = [
  'land',
  'coast',
  'cities',
  'meshes',
  'names',
  'grid',
  'outline',
  'area',
  'findings',
  'changes',
] as const;
export type DataSource = (typeof DATA_SOURCES)[number];

/** From this zoom on meshes take the colour over from the circles of municipalities. */
export const MESH_ZOOM = 8;
/** From this zoom on meshes are 3rd meshes. */
export const FINE_ZOOM = 10.5;
/** From this zoom on the mesh grid is drawn: mesh codes are for those who look closely. */
export const GRID_ZOOM = 9;
/** From this zoom on the hosted data is drawn as a map. */
export const BASE_ZOOM = 13;

/** The last zoom of a layer that is drawn at all of them: MapLibre leaves an end as it is where a new style names none. */
const CLOSEST = 24;

/** How much of what is below the meshes hide, 0 to 1, by zoom. */
export function meshOpacity(zoom: number, hasLayers: boolean): number {
  if (hasLayers) return 0.15;
  return zoom <= BASE_ZOOM ? 0.55 : Math.max(0.2, 0.55 - 0.24 * (zoom - BASE_ZOOM));
}

/** Whose places of municipalities the names stand at. */
const PLACES_CREDIT =
  '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap contributors</a>, <a ' +
  'href="https://www.geonames.org/">GeoNames</a>';

const FONT = ['Hiragino Sans', 'Noto Sans CJK JP', 'Noto Sans JP', 'Yu Gothic', 'sans-serif'];

/** Layers of the vector tiles of a dataset begin with this. */
export const TILE_PREFIX = 'tiles/';

export function styleOf(model: MapModel): StyleSpecification {
  const palette = PALETTES[model.theme];
  const colours = classColours(palette, model.by);
  const sources: Record<string, SourceSpecification> = {};
  for (const name of DATA_SOURCES) sources[name] = { type: 'geojson', data: model[name] };
  sources.land = { type: 'geojson', data: model.land, attribution: 'Natural Earth' };
  sources.names = { type: 'geojson', data: model.names, attribution: PLACES_CREDIT };
  sources.cities = { type: 'geojson', data: model.cities, promoteId: 'code' };
  sources.coast = { type: 'geojson', data: model.coast, attribution: 'GSHHG' };
  const hasLayers = model.layers.length > 0;
  const maxzoom = model.hasCoast ? COAST_ZOOM : CLOSEST;
  const layers: LayerSpecification[] = [
    { id: 'sea', type: 'background', paint: { 'background-color': palette.sea } },
    {
      id: 'land',
      type: 'fill',
      source: 'land',
      maxzoom,
      paint: { 'fill-color': palette.land },
    },
    {
      id: 'coast',
      type: 'line',
      source: 'land',
      maxzoom,
      paint: { 'line-color': palette.coast, 'line-width': 0.8 },
    },
    {
      id: 'fine-land',
      type: 'fill',
      source: 'coast',
      minzoom: COAST_ZOOM,
      paint: { 'fill-color': ['case', ['get', 'isLake'], palette.sea, palette.land] as never },
    },
    {
      id: 'fine-coast',
      type: 'line',
      source: 'coast',
      minzoom: COAST_ZOOM,
      paint: { 'line-color': palette.coast, 'line-width': 1 },
    },
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
  const base: BaseParts = { ground: [], over: [], names: [] };
  for (const layer of model.base) addBase(layer, palette, sources, base, FONT);
  const meshColour = ['to-color', ['at', ['get', 'class'], ['literal', colours]]] as never;
  layers.push(
    ...base.ground,
    {
      id: 'grid',
      type: 'line',
      source: 'grid',
      minzoom: GRID_ZOOM,
      filter: ['==', ['geometry-type'], 'LineString'],
      paint: { 'line-color': palette.grid, 'line-width': 1 },
    },
    {
      id: 'mesh-fill',
      type: 'fill',
      source: 'meshes',
      minzoom: MESH_ZOOM,
      paint: {
        'fill-color': meshColour,
        'fill-antialias': false,
        'fill-opacity': hasLayers
          ? meshOpacity(0, true)
          : [
              'interpolate',
              ['linear'],
              ['zoom'],
              BASE_ZOOM,
              meshOpacity(BASE_ZOOM, false),
              BASE_ZOOM + 1.5,
              meshOpacity(BASE_ZOOM + 1.5, false),
            ],
      },
    },
    {
      id: 'mesh-line',
      type: 'line',
      source: 'meshes',
      minzoom: MESH_ZOOM,
      maxzoom: BASE_ZOOM,
      paint: { 'line-color': palette.halo, 'line-width': 0.8 },
    },
    // Streets over the colours, and beside streets the edge of a mesh says what its faint colour is.
    ...base.over,
    {
      id: 'mesh-edge',
      type: 'line',
      source: 'meshes',
      minzoom: BASE_ZOOM,
      paint: { 'line-color': meshColour, 'line-width': 2, 'line-offset': 2, 'line-opacity': 0.8 },
    },
    {
      // What is known of municipalities with tiles alone is a box, and no more is claimed.
      id: 'extent',
      type: 'line',
      source: 'cities',
      minzoom: MESH_ZOOM,
      filter: ['all', ['==', ['geometry-type'], 'Polygon'], ['get', 'boxed']],
      paint: { 'line-color': palette.quietText, 'line-width': 1, 'line-dasharray': [3, 3] },
    },
    {
      id: 'city-point',
      type: 'circle',
      source: 'cities',
      maxzoom: MESH_ZOOM + 1,
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': ['to-color', ['feature-state', 'colour'], 'transparent'],
        'circle-radius': [
          'interpolate',
          ['linear'],
          ['zoom'],
          4,
          ['+', 2.5, ['*', 5, ['get', 'size']]],
          9,
          ['+', 5, ['*', 12, ['get', 'size']]],
        ],
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 1,
        'circle-opacity': ['interpolate', ['linear'], ['zoom'], MESH_ZOOM, 1, MESH_ZOOM + 1, 0],
        'circle-stroke-opacity': ['interpolate', ['linear'], ['zoom'], MESH_ZOOM, 1, MESH_ZOOM + 1, 0],
      },
    },
  );
  for (const layer of model.layers) addTiles(layer, palette.layers, sources, layers);
  layers.push(...changeLayers(palette));
  layers.push(
    {
      id: 'grid-code',
      type: 'symbol',
      source: 'grid',
      minzoom: GRID_ZOOM,
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
      id: 'area-corner',
      type: 'circle',
      source: 'area',
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': palette.halo,
        'circle-radius': 7,
        'circle-stroke-color': palette.area,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'outline',
      type: 'line',
      source: 'outline',
      paint: { 'line-color': palette.pick, 'line-width': 2.5 },
    },
    {
      id: 'finding',
      type: 'circle',
      source: 'findings',
      paint: {
        'circle-color': palette.pick,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 9, 3.5, 16, 8],
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 1.5,
      },
    },
    ...base.names,
    {
      id: 'pref-name',
      type: 'symbol',
      source: 'names',
      minzoom: 4.4,
      maxzoom: 8.5,
      filter: ['==', ['get', 'kind'], 'prefecture'],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': ['interpolate', ['linear'], ['zoom'], 5, 10, 8, 15],
        'text-letter-spacing': 0.12,
        'text-padding': 6,
      },
      paint: { 'text-color': palette.quietText, 'text-halo-color': palette.land, 'text-halo-width': 1.4 },
    },
    {
      id: 'town-name',
      type: 'symbol',
      source: 'names',
      minzoom: 8,
      maxzoom: 14,
      filter: ['==', ['get', 'kind'], 'town'],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': 11,
        'text-padding': 10,
      },
      paint: { 'text-color': palette.quietText, 'text-halo-color': palette.halo, 'text-halo-width': 1.4 },
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
        'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
        'text-radial-offset': 0.6,
        'symbol-sort-key': ['-', ['get', 'size']],
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
  sources[source] = { type: 'vector', tiles: counted(tiles), minzoom, maxzoom, bounds, attribution };
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
