/**
 * What documents of the SpatioTemporal Asset Catalog have in common: versions, extensions, media types, links (STAC
 * 1.1.0).
 */

import type { FeatureType } from '@citymodel/base';

export const STAC_VERSION = '1.1.0';

/** Schemas of the extensions that documents may have, by what is taken from them. */
export const EXTENSIONS = {
  file: 'https://stac-extensions.github.io/file/v2.1.0/schema.json',
  webMapLinks: 'https://stac-extensions.github.io/web-map-links/v1.3.0/schema.json',
  version: 'https://stac-extensions.github.io/version/v1.2.0/schema.json',
  city3d: 'https://cityjson.github.io/stac-city3d/v0.2.0/schema.json',
} as const;

export const MEDIA = {
  json: 'application/json',
  geojson: 'application/geo+json',
  zip: 'application/zip',
  parquet: 'application/vnd.apache.parquet',
  html: 'text/html',
} as const;

/** Conformance classes of STAC API 1.0.0 and OGC API – Features, Part 1 that the service keeps. */
export const CONFORMS_TO = [
  'https://api.stacspec.org/v1.0.0/core',
  'https://api.stacspec.org/v1.0.0/collections',
  'https://api.stacspec.org/v1.0.0/ogcapi-features',
  'https://api.stacspec.org/v1.0.0/item-search',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30',
] as const;

export interface Link {
  readonly rel: string;
  readonly href: string;
  readonly type?: string;
  readonly title?: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: object;
  readonly merge?: boolean;
}

/** Where the documents lie, as links in one of them say it. */
export interface Places {
  readonly root: string;
  collection(id: string): string;
  item(collection: string, id: string): string;
  /** Address of the document itself, null where it is not known, as in files that may be put anywhere. */
  readonly self: string | null;
}

/** City objects of the extension for city models by feature type; types of Japan's own stand with `+`. */
const CITY_OBJECTS: Readonly<Record<FeatureType, readonly string[] | null>> = {
  bldg: ['Building'],
  ubld: ['Building'],
  tran: ['Road'],
  trk: ['Road'],
  rwy: ['Railway'],
  squr: ['TransportSquare'],
  wwy: ['Waterway'],
  luse: ['LandUse'],
  fld: ['WaterBody'],
  tnm: ['WaterBody'],
  htd: ['WaterBody'],
  ifld: ['WaterBody'],
  rfld: ['WaterBody'],
  wtr: ['WaterBody'],
  dem: ['TINRelief'],
  brid: ['Bridge'],
  tun: ['Tunnel'],
  cons: ['OtherConstruction'],
  frn: ['CityFurniture'],
  veg: ['PlantCover', 'SolitaryVegetationObject'],
  gen: ['GenericCityObject'],
  lsld: null,
  urf: null,
  area: null,
  unf: null,
};

/** `city3d:co_types` of feature types, each once. */
export function cityObjectsOf(types: readonly string[]): string[] {
  return [
    ...new Set(
      types.flatMap((type) => {
        const known = Object.hasOwn(CITY_OBJECTS, type) ? CITY_OBJECTS[type as FeatureType] : null;
        return known ?? [`+${type}`];
      }),
    ),
  ].sort();
}

/**
 * The licence as STAC writes it: an SPDX identifier where the text is one of the Creative Commons, else `other`
 * (STAC 1.1.0, common metadata, licensing).
 */
export function spdxOf(license: string | null): string {
  const found = /\bCC[ -]?(BY(?:-(?:SA|NC|ND))*|0)[ -](\d\.\d)\b/i.exec(license ?? '');
  return found === null ? 'other' : `CC${found[1] === '0' ? '' : '-'}${found[1]!.toUpperCase()}-${found[2]}`;
}

/**
 * First and last second of the years that packages are of: fiscal years, which begin on the first of April in Japan's
 * time. `null` for none.
 */
export function yearsInterval(years: readonly number[]): [string, string] | null {
  if (years.length === 0) return null;
  const least = years.reduce((a, b) => Math.min(a, b));
  const most = years.reduce((a, b) => Math.max(a, b));
  return [time(fiscalYearStart(least)), time(fiscalYearStart(most + 1) - 1_000)];
}

/** Milliseconds since 1970 of midnight in Japan, nine hours before that of UTC. */
export function fiscalYearStart(year: number): number {
  return Date.UTC(year, 3, 1) - 9 * 3_600_000;
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/**
 * Who made packages, as names of them say: the municipality, its prefecture, or the word for somebody else that stands
 * in the name. Each once, in the order of the packages.
 */
export function producersOf(rows: ReadonlyArray<{ provider: string; city: string; pref: string }>): string[] {
  const nameOf = ({ provider, city, pref }: (typeof rows)[number]) =>
    provider === 'city' ? city : provider === 'pref' ? pref : provider;
  return [...new Set(rows.map(nameOf))];
}
