/** The request of operation 12 that gives the features of a place as data, and how much that will be. */

import { typesOfNature } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import { FORMAT_FACTS, type FormatName } from 'citymodel-server/shared';
import { type Area, areaBounds, areaRings, formatArea, type Position } from './area.ts';

/** Formats that are offered as files. */
export type TableFormat = {
  [K in FormatName]: (typeof FORMAT_FACTS)[K]['download'] extends null ? never : K;
}[FormatName];

/** Their names for people; the order is that of links. */
export const FORMAT_NAMES: Record<TableFormat, string> = {
  geojson: FORMAT_FACTS.geojson.download.label,
  csv: FORMAT_FACTS.csv.download.label,
  flatgeobuf: FORMAT_FACTS.flatgeobuf.download.label,
  geoparquet: FORMAT_FACTS.geoparquet.download.label,
};

export const TABLE_FORMATS = Object.keys(FORMAT_NAMES) as readonly TableFormat[];

/** Formats whose answers have a size that is known before. GeoParquet depends on how much features have in common. */
export const SIZED_FORMATS = ['geojson', 'csv', 'flatgeobuf'] as const satisfies readonly TableFormat[];
export type SizedFormat = (typeof SIZED_FORMATS)[number];

/** A box, rings of which any may be met, or a GML file. */
export type FeaturePlace =
  | { bounds: Bounds }
  | { rings: ReadonlyArray<readonly Position[]> }
  | { url: string };

export interface FeatureQuery {
  place: FeaturePlace;
  /** Feature-type code, e.g. `bldg`. */
  type: string;
  /** Code of a municipality or ward; null for all. */
  city?: string | null;
  /** Null: the newest. */
  year?: number | null;
  everyYear?: boolean;
  where?: string;
}

/** Path and query below the service's address. */
export function featuresPath(
  { place, type, city = null, year = null, everyYear = false, where = '' }: FeatureQuery,
  format: TableFormat,
): string {
  const query = new URLSearchParams({ ...placeParameters(place), type });
  if (city !== null) query.set('city_code', city);
  if (year !== null) query.set('year', String(year));
  if (everyYear) query.set('all_years', 'true');
  if (where !== '') {
    // Conditions come from tiles and records, whose columns have the names of CityGML 2.0 whatever the data is.
    query.set('where', where);
    query.set('attributes', 'v2');
  }
  query.set('format', format);
  if (FORMAT_FACTS[format].flatten === 'optional') query.set('flatten', 'true');
  // Commas, colons, slashes and brackets may stand in a query as they are.
  return `/citygml/features?${query.toString().replace(/%(2C|3A|2F|28|29)/g, decodeURIComponent)}`;
}

/** Name of the file that is downloaded. */
export function featuresFile(name: string, format: TableFormat): string {
  return `${name}.${FORMAT_FACTS[format].download.ending}`;
}

/**
 * Several areas as one place. `boxesOf` tells the boxes of a named place, or that around the data of a municipality;
 * none where that is unknown.
 */
export function placeOfAreas(
  areas: readonly Area[],
  boxesOf: (condition: string) => readonly Bounds[],
): FeaturePlace | null {
  const known = areas.map((area): Area[] =>
    area.kind === 'city' || area.kind === 'place'
      ? boxesOf(formatArea(area)).map((bounds) => ({ kind: 'box', bounds }))
      : [area],
  );
  if (known.length === 0 || known.some((parts) => parts.length === 0)) return null;
  const parts = known.flat();
  const first = parts[0]!;
  const isBox = first.kind === 'box' || (first.kind === 'meshes' && first.codes.length === 1);
  if (parts.length === 1 && isBox) return { bounds: areaBounds(first)! };
  return { rings: parts.flatMap(areaRings) };
}

/** Characters of a request that servers and proxies take without being asked to. */
export const LONGEST_PATH = 8_000;

/** About how many bytes an answer has in each format. */
export type TableBytes = Record<SizedFormat, number>;

/** Features of one type, municipality and year, as the service counts them. */
export interface CountedFeatures {
  type: string;
  year: number;
  features: number;
  /** Bytes of their GML files. */
  bytes: number;
  maxLod: number;
}

/** About how large an answer will be; null where nobody knows. Of several parts, the sum of theirs. */
export function tableBytes(counted: CountedFeatures): TableBytes | null {
  const { type, features, bytes, maxLod } = counted;
  // Outlines are nearly all that such files hold; a higher LOD makes files larger, and no answer.
  const isOutline = OUTLINES.has(type) || (type === 'tran' && maxLod <= 1);
  const one = bytesOfOne(counted);
  if (one === null) return null;
  const [geojson, csv, flatgeobuf] = one;
  // The outlines of floods add to their attributes.
  const flooded = FLOODS.has(type) ? bytes : 0;
  // The names of the columns, which come first, weigh about as much as a feature.
  return {
    geojson: isOutline ? bytes * 0.7 : features * geojson + flooded * 0.02,
    csv: (features + 1) * csv,
    flatgeobuf: isOutline ? bytes * 0.4 : (features + 1) * flatgeobuf + flooded * 0.012,
  };
}

const OUTLINES: ReadonlySet<string> = new Set(['luse', 'urf', 'lsld', 'area']);
const FLOODS: ReadonlySet<string> = new Set(typesOfNature('flood'));
/** Of features with more GML the service leaves out the outline (FEATURE_GEOMETRY_MB, as it comes). */
const LARGEST_OUTLINED = 3_000_000;

/**
 * Bytes of a feature as GeoJSON, CSV and FlatGeobuf, in the middle of real packages. From 2023 on, specifications ask
 * for more attributes. Null for types that differ more than twofold, or were measured once and are like no other.
 *
 * Of 48 types of 25 packages 36 have such figures: 0.69 to 1.5 times the answers; buildings 0.74 to 1.26, floods 0.69
 * to 1.13. Three tiny excerpts are larger: a building, a road, and three district plans have up to 3.6 times as much.
 */
function bytesOfOne({
  type,
  year,
  features,
  bytes,
}: CountedFeatures): [geojson: number, csv: number, flatgeobuf: number] | null {
  const isNew = year >= 2023;
  if (OUTLINES.has(type)) return [0, isNew ? 380 : 290, 0];
  if (FLOODS.has(type)) return [1_000, isNew ? 470 : 330, 600];
  if (type === 'dem') return bytes > features * LARGEST_OUTLINED ? [600, 240, 320] : null;
  if (type === 'bldg') return isNew ? [3_400, 760, 1_220] : [2_080, 470, 830];
  if (type === 'tran') return [2_000, isNew ? 430 : 200, 770];
  if (type === 'trk' || type === 'rwy') return [1_500, isNew ? 340 : 210, 690];
  if (type === 'brid') return [2_400, 500, 1_200];
  if (type === 'wwy') return [2_600, isNew ? 600 : 220, 1_300];
  if (type === 'frn') return [3_100, isNew ? 1_000 : 300, 1_600];
  return null;
}

/** A size as it is shown: nobody knows it better. */
export function roughly(bytes: number): number {
  return Number(bytes.toPrecision(2));
}

/**
 * True where the service will probably refuse: features of formats whose columns come first wait for the last one, and
 * take less room than in the answer.
 *
 * @param bytes what answers have; features wait for GeoParquet as they do for FlatGeobuf
 * @param mostBytes what may wait, FEATURE_TABLE_MB and FEATURE_SPOOL_MB
 */
export function isTooLarge(bytes: TableBytes, format: TableFormat, mostBytes: number): boolean {
  return FORMAT_FACTS[format].waits && bytes[format === 'geoparquet' ? 'flatgeobuf' : format] > mostBytes;
}

/** About the bytes of an answer; null where nobody knows. */
export function sizeOf(bytes: TableBytes | null, format: TableFormat): number | null {
  const sized = SIZED_FORMATS.find((one) => one === format);
  return bytes === null || sized === undefined ? null : bytes[sized];
}

function placeParameters(place: FeaturePlace): Record<string, string> {
  // Spatial ID 0/0/0/0 is everything that a file has, also what lies nowhere.
  if ('url' in place) return { url: place.url, sid: '0/0/0/0' };
  if ('bounds' in place) {
    const { west, south, east, north } = place.bounds;
    return { bbox: [west, south, east, north].map(rounded).join(',') };
  }
  const [first, ...others] = place.rings.map(
    (ring) => `(${ring.map((position) => position.map(rounded).join(' ')).join(',')})`,
  );
  return {
    polygon:
      others.length === 0
        ? `POLYGON(${first})`
        : `MULTIPOLYGON(${[first, ...others].map((ring) => `(${ring})`).join(',')})`,
  };
}

function rounded(degrees: number): number {
  return Number(degrees.toFixed(6));
}
