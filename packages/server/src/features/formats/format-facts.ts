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
}

export const FORMAT_FACTS = {
  json: {
    name: 'json',
    contentType: 'application/json; charset=utf-8',
    summary: 'the attributes of each feature as an object',
  },
  geojson: {
    name: 'geojson',
    contentType: 'application/geo+json; charset=utf-8',
    summary: 'a FeatureCollection of footprints (RFC 7946)',
  },
  cityjsonseq: {
    name: 'cityjsonseq',
    contentType: 'application/city+json-seq; charset=utf-8',
    summary: 'a CityJSON 2.0 text sequence with all geometry',
  },
  flatgeobuf: {
    name: 'flatgeobuf',
    contentType: 'application/flatgeobuf',
    summary: 'a FlatGeobuf file of footprints, attributes as columns',
  },
  csv: {
    name: 'csv',
    contentType: 'text/csv; charset=utf-8; header=present',
    summary: 'a table without geometry, attributes as columns (RFC 4180)',
  },
} as const satisfies Record<string, FormatFacts>;
