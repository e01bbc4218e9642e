import { type Bounds, boundsToArray } from '@citymodel/geo';
import { parseBoundedJson } from './bounded-json.ts';
import { isObject } from './read-json.ts';

/** A layer as TileJSON describes it (3.0.0, section 3.3). */
export interface VectorLayer {
  id: string;
  description?: string;
  minzoom?: number;
  maxzoom?: number;
  /** Name of each attribute, with its type or a description. */
  fields: Record<string, string>;
}

/** What a metadata document says of vector tiles; what it does not say, or says wrongly, is null. */
export interface MvtMetadata {
  name: string | null;
  description: string | null;
  attribution: string | null;
  minzoom: number | null;
  maxzoom: number | null;
  bounds: Bounds | null;
  /** Longitude and latitude in degrees, zoom. */
  center: [number, number, number] | null;
  layers: VectorLayer[] | null;
  /** `tms` counts y from the south; everything else from the north. */
  scheme: 'xyz' | 'tms';
}

/**
 * Reads the metadata table of MBTiles 1.3 (section "Metadata") written as JSON, where numbers may be strings, bounds
 * are text and `json` holds the layers as text; or TileJSON 2 and 3, where all of that is plain.
 */
export function parseMvtMetadata(json: Record<string, unknown>): MvtMetadata {
  const inner = typeof json.json === 'string' ? parseObject(json.json) : null;
  const layers = json.vector_layers ?? inner?.vector_layers;
  return {
    name: text(json.name),
    description: text(json.description),
    attribution: text(json.attribution),
    minzoom: zoom(json.minzoom),
    maxzoom: zoom(json.maxzoom),
    bounds: parseBounds(numbers(json.bounds, 4)),
    center: parseCenter(numbers(json.center, 3) ?? numbers(json.center, 2)),
    layers: Array.isArray(layers) ? layers.flatMap(parseLayer) : null,
    scheme: json.scheme === 'tms' ? 'tms' : 'xyz',
  };
}

function parseLayer(value: unknown): VectorLayer[] {
  if (!isObject(value) || typeof value.id !== 'string') return [];
  const fields: Record<string, string> = {};
  if (isObject(value.fields)) {
    for (const [name, type] of Object.entries(value.fields)) fields[name] = String(type);
  }
  const [minzoom, maxzoom, description] = [zoom(value.minzoom), zoom(value.maxzoom), text(value.description)];
  return [
    {
      id: value.id,
      ...(description === null ? {} : { description }),
      ...(minzoom === null ? {} : { minzoom }),
      ...(maxzoom === null ? {} : { maxzoom }),
      fields,
    },
  ];
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value = parseBoundedJson(Buffer.from(json, 'utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function zoom(value: unknown): number | null {
  const n = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof n === 'number' && Number.isInteger(n) && n >= 0 && n <= 30 ? n : null;
}

function numbers(value: unknown, count: number): number[] | null {
  const list =
    typeof value === 'string' ? value.split(',').map((s) => (s.trim() === '' ? NaN : Number(s))) : value;
  if (!Array.isArray(list) || list.length !== count) return null;
  return list.every((n) => typeof n === 'number' && Number.isFinite(n)) ? list : null;
}

function parseBounds(list: number[] | null): Bounds | null {
  if (list === null) return null;
  const [west, south, east, north] = list as [number, number, number, number];
  const valid = west >= -180 && west <= east && east <= 180 && south >= -90 && south <= north && north <= 90;
  return valid ? { west, south, east, north } : null;
}

function parseCenter(list: number[] | null): [number, number, number] | null {
  if (list === null) return null;
  const [lng, lat, z = 0] = list as [number, number, number?];
  return Math.abs(lng) <= 180 && Math.abs(lat) <= 90 ? [lng, lat, z] : null;
}

/** The middle of bounds, with a zoom at which they about fill a map of 512 pixels, kept within the zooms there are. */
export function centerOf(bounds: Bounds, minzoom: number, maxzoom: number): [number, number, number] {
  const [west, south, east, north] = boundsToArray(bounds);
  const width = Math.max(east - west, north - south, 1e-6);
  const fitting = Math.floor(Math.log2(360 / width));
  return [(west + east) / 2, (south + north) / 2, Math.min(maxzoom, Math.max(minzoom, fitting))];
}
