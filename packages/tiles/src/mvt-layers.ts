import { gunzipSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';

/** One layer of a vector tile. */
export interface MvtLayer {
  name: string;
  /** Units per tile edge. */
  extent: number;
  features: number;
  /** Keys of its features with the type of the first value seen. */
  fields: Map<string, FieldType>;
  /** Bounds of its features in tile units, `[x1, y1, x2, y2]`, y downwards; null when none has geometry. */
  box: [number, number, number, number] | null;
}

/** TileJSON 3.0.0, section 3.3.3: the word by which a field is described. */
export type FieldType = 'String' | 'Number' | 'Boolean';

/** The largest tile that is unpacked, bytes. */
const TILE_LIMIT = 64 * 1024 * 1024;
/** Features of a layer whose attributes and geometry are read. */
const FEATURE_LIMIT = 20_000;

/** True when the bytes begin as gzip does (RFC 1952, section 2.3.1). */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Reads the layers of a tile, gzipped or not (Vector Tile Specification 2.1, section 4). Throws on broken bytes. */
export function readMvtLayers(bytes: Uint8Array): MvtLayer[] {
  const plain = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: TILE_LIMIT }) : bytes;
  const tile = new VectorTile(new PbfReader(plain));
  return Object.values(tile.layers).map((layer) => {
    if (!(layer.extent > 0)) throw new Error(`layer ${layer.name} has an extent of ${layer.extent}`);
    const fields = new Map<string, FieldType>();
    let box: MvtLayer['box'] = null;
    for (let i = 0; i < Math.min(layer.length, FEATURE_LIMIT); i++) {
      const feature = layer.feature(i);
      for (const [key, value] of Object.entries(feature.properties)) {
        if (!fields.has(key)) fields.set(key, fieldType(value));
      }
      const [x1, y1, x2, y2] = feature.bbox() as [number, number, number, number];
      if (!(x1 <= x2 && y1 <= y2)) continue;
      box =
        box === null
          ? [x1, y1, x2, y2]
          : [Math.min(box[0], x1), Math.min(box[1], y1), Math.max(box[2], x2), Math.max(box[3], y2)];
    }
    return { name: layer.name, extent: layer.extent, features: layer.length, fields, box };
  });
}

function fieldType(value: unknown): FieldType {
  if (typeof value === 'number' || typeof value === 'bigint') return 'Number';
  return typeof value === 'boolean' ? 'Boolean' : 'String';
}
