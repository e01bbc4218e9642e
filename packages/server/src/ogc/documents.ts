/** Documents of the OGC API beside features: landing page, collections, conformance. */
import { boundsToArray } from '@citymodel/geo';
import { yearsInterval } from '../stac/stac-words.ts';
import type { OgcCollection, OgcCollections } from './collections.ts';
import { CRS_LIST, CRS84_URI, STORAGE_URI } from './crs.ts';
import {
  DOCUMENT_FORMATS,
  ITEM_FORMATS,
  type Link,
  OPENAPI_30,
  QUERYABLES_REL,
  SCHEMA_JSON,
} from './ogc-words.ts';

/** Collections of one document; a country has some thousands. */
export const MAX_COLLECTIONS = 1_000;

const GREGORIAN = 'http://www.opengis.net/def/uom/ISO-8601/0/Gregorian';
const { json: JSON_TYPE, html: HTML_TYPE } = DOCUMENT_FORMATS;

export interface LandingPage {
  readonly title: string;
  readonly description: string;
  readonly links: readonly Link[];
}

/** `root` is the address of the landing page, `publicUrl` that of the service. */
export function landingPage(root: string, publicUrl: string): LandingPage {
  return {
    title: '3D city models',
    description:
      'Features of 3D city models. A collection is a feature type of the whole country, such as bldg, or of a ' +
      'municipality, such as 27100-bldg. Each has the newest edition of every municipality.',
    links: [
      ...selfLinks(root),
      { rel: 'service-desc', href: `${root}/api`, type: OPENAPI_30, title: 'OpenAPI' },
      { rel: 'service-doc', href: `${publicUrl}/docs`, type: HTML_TYPE, title: 'Description' },
      { rel: 'conformance', href: `${root}/conformance`, type: JSON_TYPE, title: 'Conformance classes' },
      { rel: 'data', href: `${root}/collections`, type: JSON_TYPE, title: 'Collections' },
      { rel: 'related', href: `${publicUrl}/stac`, type: JSON_TYPE, title: 'Catalogue of packages (STAC)' },
    ],
  };
}

/** The document itself, and the same for people. */
function selfLinks(href: string, type: string = JSON_TYPE): Link[] {
  const mark = href.includes('?') ? '&' : '?';
  return [
    { rel: 'self', href, type },
    { rel: 'alternate', href: `${href}${mark}f=html`, type: HTML_TYPE, title: 'For people' },
  ];
}

/** A collection (Part 1, section 7.14; Part 2, section 6.2). `isListed`: beside others, whose systems are the same. */
export function collectionDocument(collection: OgcCollection, root: string, isListed: boolean) {
  const { id, type, area, title, bounds, years, rows } = collection;
  const self = `${root}/collections/${id}`;
  const licenses = [...new Set(rows.map(({ license }) => license).filter((license) => license !== null))];
  const items = Object.entries(ITEM_FORMATS).map(
    ([f, mediaType]): Link => ({
      rel: 'items',
      href: `${self}/items?f=${f}`,
      type: mediaType,
    }),
  );
  return {
    id,
    title: title.ja,
    description:
      `${title.en}, type ${type}${area === null ? ' of all municipalities' : ''}, edition ` +
      `${years.length === 1 ? years[0] : `${years[0]} to ${years.at(-1)}`}.` +
      (licenses.length === 0 ? '' : ` Licence: ${licenses.slice(0, 3).join('; ').slice(0, 300)}`),
    itemType: 'feature',
    extent: {
      ...(bounds === null ? {} : { spatial: { bbox: [boundsToArray(bounds)], crs: CRS84_URI } }),
      temporal: { interval: [yearsInterval(years)!], trs: GREGORIAN },
    },
    crs: isListed ? ['#/crs'] : CRS_LIST.map(({ uri }) => uri),
    storageCrs: STORAGE_URI,
    links: [
      ...selfLinks(self),
      ...items,
      { rel: QUERYABLES_REL, href: `${self}/queryables`, type: SCHEMA_JSON, title: 'Queryables' },
      { rel: 'parent', href: `${root}/collections`, type: JSON_TYPE },
    ],
  };
}

/** A page of collections, from behind the one that `after` names. */
export function collectionsDocument(
  collections: OgcCollections,
  { limit, after, root }: { limit: number; after: string | undefined; root: string },
) {
  const ids = [...collections.keys()];
  const from = after === undefined ? 0 : ids.indexOf(after) + 1;
  if (after !== undefined && from === 0)
    throw new RangeError('after names no collection; begin with the first page.');
  const some = ids.slice(from, from + limit);
  const address = (last: string | undefined) => {
    const words = { limit: String(limit), ...(last === undefined ? {} : { after: last }) };
    const isWhole = last === undefined && limit === MAX_COLLECTIONS;
    return `${root}/collections${isWhole ? '' : `?${new URLSearchParams(words)}`}`;
  };
  return {
    links: [
      ...selfLinks(address(after)),
      ...(from + some.length < ids.length
        ? [{ rel: 'next', href: address(some.at(-1)!), type: JSON_TYPE }]
        : []),
    ],
    crs: CRS_LIST.map(({ uri }) => uri),
    numberMatched: ids.length,
    numberReturned: some.length,
    collections: some.map((id) => collectionDocument(collections.get(id)!, root, true)),
  };
}
