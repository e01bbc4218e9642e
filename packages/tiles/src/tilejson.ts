import { type Bounds, boundsToArray } from '@citymodel/geo';
import { centerOf, type VectorLayer } from './mvt-metadata.ts';

/** TileJSON 3.0.0 (github.com/mapbox/tilejson-spec, 3.0.0, section 3), as far as this service writes it. */
export interface TileJson {
  tilejson: '3.0.0';
  name: string;
  description?: string;
  attribution?: string;
  scheme: 'xyz';
  /** URL templates with `{z}`, `{x}`, `{y}`. */
  tiles: string[];
  minzoom: number;
  maxzoom: number;
  /** West, south, east, north in degrees. */
  bounds: [number, number, number, number];
  /** Longitude and latitude in degrees, zoom. */
  center: [number, number, number];
  vector_layers: VectorLayer[];
}

export interface TileJsonSource {
  /** Absolute URL template of the tiles. */
  template: string;
  name: string;
  description?: string | null;
  attribution?: string | null;
  vectorLayers: VectorLayer[];
  minzoom: number;
  maxzoom: number;
  bounds: Bounds;
  /** Where a map should begin; computed from the bounds when absent. */
  center?: [number, number, number] | null;
}

/**
 * Describes one set of vector tiles. Layers lose zooms that their tiles do not have. Throws a RangeError for a
 * template without `{z}`, `{x}` and `{y}`.
 */
export function buildTileJson(source: TileJsonSource): TileJson {
  const { minzoom, maxzoom, bounds } = source;
  if (!['{z}', '{x}', '{y}'].every((part) => source.template.includes(part))) {
    throw new RangeError(`the tile template ${source.template} lacks one of {z}, {x}, {y}`);
  }
  const clamp = (zoom: number) => Math.min(maxzoom, Math.max(minzoom, zoom));
  return {
    tilejson: '3.0.0',
    name: source.name,
    ...(source.description ? { description: source.description } : {}),
    ...(source.attribution ? { attribution: source.attribution } : {}),
    scheme: 'xyz',
    tiles: [source.template],
    minzoom,
    maxzoom,
    bounds: boundsToArray(bounds),
    center: source.center ?? centerOf(bounds, minzoom, maxzoom),
    vector_layers: source.vectorLayers.map((layer) => ({
      ...layer,
      ...(layer.minzoom === undefined ? {} : { minzoom: clamp(layer.minzoom) }),
      ...(layer.maxzoom === undefined ? {} : { maxzoom: clamp(layer.maxzoom) }),
    })),
  };
}
