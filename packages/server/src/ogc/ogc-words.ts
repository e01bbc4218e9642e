/** What documents of the OGC API have in common: conformance classes, media types, links. */

/** Conformance classes that the service keeps, and no others. */
export const CONFORMS_TO = [
  'http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/html',
  'http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables-query-parameters',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/filter',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/features-filter',
  'http://www.opengis.net/spec/cql2/1.0/conf/cql2-text',
  'http://www.opengis.net/spec/cql2/1.0/conf/cql2-json',
  'http://www.opengis.net/spec/cql2/1.0/conf/basic-cql2',
  'http://www.opengis.net/spec/cql2/1.0/conf/advanced-comparison-operators',
  'http://www.opengis.net/spec/cql2/1.0/conf/basic-spatial-functions',
] as const;

/** How people and programs are answered, by the word of the parameter `f`. */
export const DOCUMENT_FORMATS = {
  json: 'application/json',
  html: 'text/html',
} as const;

/** Formats of features. */
export const ITEM_FORMATS = {
  geojson: 'application/geo+json',
  html: 'text/html',
  jsonfg: 'application/vnd.ogc.fg+json',
  flatgeobuf: 'application/flatgeobuf',
  cityjsonseq: 'application/city+json-seq',
} as const;
export type ItemFormat = keyof typeof ITEM_FORMATS;

export const OPENAPI_30 = 'application/vnd.oai.openapi+json;version=3.0';
export const SCHEMA_JSON = 'application/schema+json';
export const QUERYABLES_REL = 'http://www.opengis.net/def/rel/ogc/1.0/queryables';

export interface Link {
  readonly rel: string;
  readonly href: string;
  readonly type?: string;
  readonly title?: string;
}

/** The `Link` header of the links (RFC 8288). */
export function linkHeader(links: readonly Link[]): string {
  return links
    .map(({ rel, href, type }) => `<${href}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`)
    .join(', ');
}
