/** What is kept of the features of a file in memory, and where they and their pieces lie. */

import type { Extent } from '@citymodel/geo';
import type { FeatureHead } from './pack-head.ts';

/** Where a body lies, and how large it is. */
export interface BodyFacts {
  /** Degrees. */
  west: number;
  south: number;
  east: number;
  north: number;
  /** Ellipsoidal heights, metres. */
  low: number;
  high: number;
  /** Heights as the data has them, metres. */
  bottom: number;
  top: number;
  /** Positions in it, and polygons. */
  positions: number;
  polygons: number;
  /** Of its polygons, square metres. */
  area: number;
}

/** Where a feature lies. */
export type WholeFacts = Omit<BodyFacts, 'low' | 'high' | 'positions' | 'polygons' | 'area'>;

/** What is kept of a feature in memory. */
export interface FeatureFacts {
  /** In the record file. */
  record: number;
  /** Of the feature that it is, or is a part of, among those of the file. */
  number: number;
  id: string;
  /** Qualified name of its element. */
  type: string;
  /** Code of its gml:name; null when it has none. */
  nameCode: string | null;
  /** 5 digits of the municipality that it is in. */
  cityCode: string;
  /** Bytes of its attributes in a table. */
  textBytes: number;
  /** Of these, bytes of the column `attributes`. */
  jsonBytes: number;
  /** By level of detail, 0 to 4. */
  bodies: Array<BodyFacts | null>;
  /** True when its body at `INTERIOR_LOD` is its inside alone, which packages of their own show. */
  hasInterior: boolean;
  /** Of a feature that is in several records, all of it by level of detail; null for one that is in one. */
  whole: ReadonlyArray<WholeFacts | null> | null;
  /** The next level of detail that the feature has, in other records; Infinity for none. */
  nextLod: number;
}

/** Where all pieces of a feature lie, by level of detail. */
export function wholeOf(pieces: readonly FeatureFacts[]): Array<WholeFacts | null> {
  return Array.from({ length: 5 }, (_, lod) => {
    const bodies = pieces.flatMap((piece) => piece.bodies[lod] ?? []);
    if (bodies.length === 0) return null;
    const least = (name: keyof WholeFacts) =>
      bodies.reduce((value, body) => Math.min(value, body[name]), Infinity);
    const most = (name: keyof WholeFacts) =>
      bodies.reduce((value, body) => Math.max(value, body[name]), -Infinity);
    return {
      west: least('west'),
      south: least('south'),
      east: most('east'),
      north: most('north'),
      bottom: least('bottom'),
      top: most('top'),
    };
  });
}

/** An extent that holds positions (longitude, latitude, height), too. */
export function widened(extent: Extent | null, positions: Float64Array): Extent | null {
  let wide = extent;
  for (let i = 0; i < positions.length; i += 3) {
    const lng = positions[i]!;
    const lat = positions[i + 1]!;
    const alt = positions[i + 2]!;
    wide ??= { west: lng, south: lat, east: lng, north: lat, minAlt: alt, maxAlt: alt };
    wide.west = Math.min(wide.west, lng);
    wide.south = Math.min(wide.south, lat);
    wide.east = Math.max(wide.east, lng);
    wide.north = Math.max(wide.north, lat);
    wide.minAlt = Math.min(wide.minAlt, alt);
    wide.maxAlt = Math.max(wide.maxAlt, alt);
  }
  return wide;
}

/** What the attributes of a feature say that is kept in memory. */
export function headFacts({
  id,
  type,
  columns,
}: FeatureHead): Omit<FeatureFacts, 'record' | 'number' | 'bodies' | 'hasInterior' | 'whole' | 'nextLod'> {
  let [city, nameCode, textBytes, jsonBytes]: [string, string | null, number, number] = ['', null, 0, 0];
  for (const { name, value } of columns) {
    // A table has the offset of each text.
    const size = typeof value === 'string' ? Buffer.byteLength(value) + 4 : 8;
    textBytes += size;
    if (name === 'attributes') jsonBytes = size;
    else if (name === 'city_code') city = String(value);
    else if (name === 'gml:name_code') nameCode = String(value);
  }
  return { id, type, nameCode, cityCode: city, textBytes, jsonBytes };
}
