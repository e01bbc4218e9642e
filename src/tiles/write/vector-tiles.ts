/** MVT packages: one layer cut into tiles of zoom 8 to 16, and the `metadata.json` that describes them. */
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Feature, FeatureCollection, Polygon } from 'geojson';
import GeoJSONVT from 'geojson-vt';
import type { Bounds } from '../../geo/bounds.ts';
import { cleanPolygons } from './clean-rings.ts';

export interface LayerFeature {
  /** Polygons of one feature in degrees; each ring without its closing point, the outside first. */
  polygons: ReadonlyArray<ReadonlyArray<ReadonlyArray<readonly [lng: number, lat: number]>>>;
  /** The same keys for every feature of a layer. */
  properties: Record<string, string | number>;
}

export interface VectorTile {
  z: number;
  x: number;
  y: number;
  bytes: Uint8Array;
}

export interface VectorTileset {
  /** As `metadata.json` has it. */
  metadata: VectorMetadata;
  bounds: Bounds;
  tiles: VectorTile[];
}

/** The metadata document of MBTiles 1.3, section 3, with the layers as JSON text under `json`. */
export interface VectorMetadata {
  name: string;
  description: string;
  version: number;
  minzoom: number;
  maxzoom: number;
  center: string;
  bounds: string;
  type: 'overlay';
  format: 'pbf';
  json: string;
}

export const MIN_ZOOM = 8;
export const MAX_ZOOM = 16;
/** Units along a tile's side (MVT 2.1, section 4.1). */
const EXTENT = 4096;

/** Cuts the features of one layer into tiles, uncompressed; tiles without features are left out. */
export function cutVectorTiles(
  name: string,
  layer: string,
  features: readonly LayerFeature[],
): VectorTileset {
  const bounds = boundsOf(features);
  const collection: FeatureCollection = { type: 'FeatureCollection', features: features.flatMap(toGeoJson) };
  const index = new GeoJSONVT(collection, {
    maxZoom: MAX_ZOOM,
    indexMaxZoom: MAX_ZOOM,
    indexMaxPoints: 0,
    extent: EXTENT,
    buffer: 64,
    tolerance: 0.5,
  });
  const tiles: VectorTile[] = [];
  for (let z = MIN_ZOOM; z <= MAX_ZOOM; z++) {
    const [west, north] = tileAt(bounds.west, bounds.north, z);
    const [east, south] = tileAt(bounds.east, bounds.south, z);
    for (let x = west; x <= east; x++) {
      for (let y = north; y <= south; y++) {
        const tile = index.getTile(z, x, y);
        if (tile === null) continue;
        tile.features = cleanPolygons(tile.features);
        if (tile.features.length === 0) continue;
        // The two packages describe the same structure by types of their own.
        const layers = { [layer]: tile } as unknown as Parameters<typeof fromGeojsonVt>[0];
        tiles.push({ z, x, y, bytes: fromGeojsonVt(layers, { version: 2, extent: EXTENT }) });
      }
    }
  }
  // Small polygons vanish at the lowest zooms.
  const minzoom = tiles[0]!.z;
  return { metadata: metadataOf(name, layer, features, bounds, minzoom), bounds, tiles };
}

function metadataOf(
  name: string,
  layer: string,
  features: readonly LayerFeature[],
  b: Bounds,
  minzoom: number,
): VectorMetadata {
  const first = features[0]!.properties;
  const fields = Object.fromEntries(
    Object.entries(first).map(([key, value]) => [key, typeof value === 'number' ? 'Number' : 'String']),
  );
  const attributes = Object.keys(first).map((attribute) => {
    const values = [...new Set(features.map(({ properties }) => properties[attribute]!))];
    const type = typeof values[0];
    return { attribute, count: values.length, type, values: values.length > 20 ? [] : values };
  });
  const json = {
    vector_layers: [{ id: layer, description: '', minzoom, maxzoom: MAX_ZOOM, fields }],
    tilestats: {
      layerCount: 1,
      layers: [
        { layer, count: features.length, geometry: 'Polygon', attributeCount: attributes.length, attributes },
      ],
    },
  };
  const degrees = (...values: number[]) => values.map((value) => value.toFixed(7)).join(',');
  return {
    name,
    description: '',
    version: 2,
    minzoom,
    maxzoom: MAX_ZOOM,
    center: `${degrees((b.west + b.east) / 2, (b.south + b.north) / 2)},0`,
    bounds: degrees(b.west, b.south, b.east, b.north),
    type: 'overlay',
    format: 'pbf',
    json: JSON.stringify(json, null, 2),
  };
}

function toGeoJson({ polygons, properties }: LayerFeature): Feature[] {
  return polygons.map((rings) => {
    const coordinates = rings.map((ring) => [...ring, ring[0]!].map(([lng, lat]) => [lng, lat]));
    const geometry: Polygon = { type: 'Polygon', coordinates };
    return { type: 'Feature', geometry, properties };
  });
}

function boundsOf(features: readonly LayerFeature[]): Bounds {
  const bounds = { west: 180, south: 90, east: -180, north: -90 };
  for (const { polygons } of features) {
    for (const [lng, lat] of polygons.flat(2)) {
      bounds.west = Math.min(bounds.west, lng);
      bounds.east = Math.max(bounds.east, lng);
      bounds.south = Math.min(bounds.south, lat);
      bounds.north = Math.max(bounds.north, lat);
    }
  }
  return bounds;
}

/** Column and row of the XYZ tile that holds a point in degrees. */
function tileAt(lng: number, lat: number, z: number): [x: number, y: number] {
  const radians = (lat * Math.PI) / 180;
  const x = (lng + 180) / 360;
  const y = (1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2;
  return [Math.floor(x * 2 ** z), Math.floor(y * 2 ** z)];
}
