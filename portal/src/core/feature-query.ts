/** The request of operation 12 that gives the features of a place as data, and how much that will be. */
import type { Bounds } from '../../../src/geo/bounds.ts';
import { type Area, areaBounds, areaRings, formatArea, type Position } from './area.ts';

export const TABLE_FORMATS = ['geojson', 'csv', 'flatgeobuf'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

export const FORMAT_NAMES: Record<TableFormat, string> = {
  geojson: 'GeoJSON',
  csv: 'CSV',
  flatgeobuf: 'FlatGeobuf',
};

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
  if (where !== '') query.set('where', where);
  query.set('format', format);
  if (format === 'geojson') query.set('flatten', 'true');
  // Commas, colons, slashes and brackets may stand in a query as they are.
  return `/citygml/features?${query.toString().replace(/%(2C|3A|2F|28|29)/g, decodeURIComponent)}`;
}

/** Name of the file that is downloaded. */
export function featuresFile(name: string, format: TableFormat): string {
  return `${name}.${{ geojson: 'geojson', csv: 'csv', flatgeobuf: 'fgb' }[format]}`;
}

/** Several areas as one place. Of a municipality or a named place, `boundsOf` tells the box around its data; null where that is unknown. */
export function placeOfAreas(
  areas: readonly Area[],
  boundsOf: (condition: string) => Bounds | null,
): FeaturePlace | null {
  const known = areas.map((area): Area | null => {
    if (area.kind !== 'city' && area.kind !== 'place') return area;
    const bounds = boundsOf(formatArea(area));
    return bounds === null ? null : { kind: 'box', bounds };
  });
  if (known.length === 0 || known.some((area) => area === null)) return null;
  const [first] = known;
  const isBox = first!.kind === 'box' || (first!.kind === 'meshes' && first!.codes.length === 1);
  if (known.length === 1 && isBox) return { bounds: areaBounds(first!)! };
  return { rings: known.flatMap((area) => areaRings(area!)) };
}

/** Characters of a request that servers and proxies take without being asked to. */
export const LONGEST_PATH = 8_000;

/**
 * Bytes of a feature in an answer, about: the middle of buildings, roads, land use, zones and floods. Those of the sample city, Osaka
 * and Numazu are up to 2.5 times as large or small.
 */
const FEATURE_BYTES: Record<TableFormat, number> = { geojson: 2_000, csv: 450, flatgeobuf: 1_000 };

/** About how large an answer will be, bytes. */
export function estimatedBytes(features: number, format: TableFormat): number {
  return Number((features * FEATURE_BYTES[format]).toPrecision(1));
}

/**
 * True where the service will probably refuse: formats whose columns come first are kept in memory until the last feature, as text of
 * two bytes a character.
 *
 * @param mostBytes what it keeps, FEATURE_TABLE_MB
 */
export function isTooLarge(features: number, format: TableFormat, mostBytes: number): boolean {
  return format !== 'geojson' && estimatedBytes(features, format) * 2 > mostBytes;
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
