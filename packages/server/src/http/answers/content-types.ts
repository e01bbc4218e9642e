import { FILES_OF_OUTPUTS } from '@citymodel/base';

/** `Content-Type` of package members by the ending of their names. */
const TYPES = new Map<string, string>(
  Object.entries({
    ...Object.fromEntries(FILES_OF_OUTPUTS.map(([ending, { type }]) => [ending, type])),
    gml: 'application/gml+xml',
    xml: 'application/xml',
    xsd: 'application/xml',
    json: 'application/json',
    geojson: 'application/geo+json',
    czml: 'application/json',
    bin: 'application/octet-stream',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    tif: 'image/tiff',
    tiff: 'image/tiff',
    webp: 'image/webp',
    ktx2: 'image/ktx2',
    pdf: 'application/pdf',
    csv: 'text/csv; charset=utf-8',
    txt: 'text/plain; charset=utf-8',
    md: 'text/markdown; charset=utf-8',
    zip: 'application/zip',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
);

/** Endings of documents that a browser shows as a page, some with scripts. */
const PAGES = new Set(
  'gml xml xsd xsl xslt rdf kml svg svgz html htm xht xhtml shtml mht mhtml pdf swf js mjs'.split(' '),
);

/**
 * The registered type of the file, or `application/octet-stream`. HTML and scripts are never named as such: a package
 * is data.
 */
export function contentTypeOf(path: string): string {
  return TYPES.get(endingOf(path)) ?? 'application/octet-stream';
}

/** Whether a browser would show the file as a page; it is to be saved instead. */
export function isPage(path: string): boolean {
  return PAGES.has(endingOf(path));
}

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase();
}
