/**
 * What callers are told of each format, the default first. It is separate from the formats, because the description of
 * the interface needs it, and the code of the formats takes long to load.
 */
export interface FormatFacts {
  /** Value of the parameter `format`. */
  readonly name: string;
  /** `Content-Type` of the answer. */
  readonly contentType: string;
  /** What the answer is, for the description of the interface; a phrase without a full stop. */
  readonly summary: string;
  /** True when features are read with their geometry; without it they are read faster. */
  readonly needsGeometry: boolean;
  /** True when operation 12 answers with gml:ids in place of features. */
  readonly listsIds: boolean;
  /** What `flatten` means here: a choice, always so, or not possible. */
  readonly flatten: 'optional' | 'always' | 'never';
  /** True when features wait until the last one is read, because the head of an answer has all columns. */
  readonly waits: boolean;
  /** The file that the portal offers: its name for people, and the ending of the file; null for none. */
  readonly download: { readonly label: string; readonly ending: string } | null;
}

export const FORMAT_FACTS = {
  json: {
    name: 'json',
    contentType: 'application/json; charset=utf-8',
    summary: 'the attributes of each feature as an object',
    needsGeometry: false,
    listsIds: true,
    flatten: 'optional',
    waits: false,
    download: null,
  },
  geojson: {
    name: 'geojson',
    contentType: 'application/geo+json; charset=utf-8',
    summary: 'a FeatureCollection of footprints (RFC 7946)',
    needsGeometry: true,
    listsIds: false,
    flatten: 'optional',
    waits: false,
    download: { label: 'GeoJSON', ending: 'geojson' },
  },
  cityjsonseq: {
    name: 'cityjsonseq',
    contentType: 'application/city+json-seq; charset=utf-8',
    summary: 'a CityJSON 2.0 text sequence with all geometry',
    needsGeometry: true,
    listsIds: false,
    flatten: 'never',
    waits: false,
    download: null,
  },
  flatgeobuf: {
    name: 'flatgeobuf',
    contentType: 'application/flatgeobuf',
    summary: 'a FlatGeobuf file of footprints, attributes as columns',
    needsGeometry: true,
    listsIds: false,
    flatten: 'always',
    waits: true,
    download: { label: 'FlatGeobuf', ending: 'fgb' },
  },
  geoparquet: {
    name: 'geoparquet',
    contentType: 'application/vnd.apache.parquet',
    summary: 'a GeoParquet 1.1 file of footprints, attributes as columns',
    needsGeometry: true,
    listsIds: false,
    flatten: 'always',
    waits: true,
    download: { label: 'GeoParquet', ending: 'parquet' },
  },
  csv: {
    name: 'csv',
    contentType: 'text/csv; charset=utf-8; header=present',
    summary: 'a table without geometry, attributes as columns (RFC 4180)',
    needsGeometry: false,
    listsIds: false,
    flatten: 'always',
    waits: true,
    download: { label: 'CSV', ending: 'csv' },
  },
} as const satisfies Record<string, FormatFacts>;

/** Value of the parameter `format`. */
export type FormatName = keyof typeof FORMAT_FACTS;
