/** What the operations of the OGC API declare: `/ogc` (OGC API – Features, Parts 1 to 3). */
import { MAX_COLLECTIONS } from '../../ogc/documents.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../ogc/item-request.ts';
import { DOCUMENT_FORMATS, ITEM_FORMATS } from '../../ogc/ogc-words.ts';
import { CONDITIONAL, NO_CATALOGUE, NOT_MODIFIED, STORE_FAILURES } from '../describe/common.ts';
import {
  type Answer,
  failure,
  type JsonObject,
  type Operation,
  path,
  query,
  ref,
  TEXT,
} from '../describe/operation.ts';

const LANG = query('lang', 'Language of pages for people; else that of the browser.', {
  type: 'string',
  enum: ['ja', 'en'],
});
const formatParameter = (names: readonly string[]) =>
  query('f', 'Format of the answer; else the header `Accept` decides.', { type: 'string', enum: [...names] });
const F = formatParameter(Object.keys(DOCUMENT_FORMATS));
const ITEM_F = formatParameter(['json', ...Object.keys(ITEM_FORMATS)]);
const COLLECTION = path(
  'collectionId',
  'A feature type, alone or behind the code of a municipality.',
  ({ city, type }) => `${city}-${type}`,
);
const URI: JsonObject = { type: 'string', format: 'uri' };
/** As Parts 1, 2 and 3 define their parameters: style `form`, not exploded, also of a single value. */
const DEFINED = { list: true };
const CRS = query('crs', 'System of the coordinates, one of those of the collection.', URI, DEFINED);
const limit = (most: number, otherwise: number) =>
  query(
    'limit',
    `How many at most; ${most} are sent of a larger number.`,
    { type: 'integer', minimum: 1, maximum: most, default: otherwise },
    DEFINED,
  );
/** Any property is a parameter of its own (OpenAPI 3, style `form` of an object). */
const PROPERTIES = query(
  'properties',
  'Values of properties, each a parameter by its name: `bldg:usage=住宅`.',
  {
    type: 'object',
    additionalProperties: TEXT,
  },
);
const ATTRIBUTES = query(
  'attributes',
  '`v2` gives properties of CityGML 3.0 the names that they have in CityGML 2.0 with i-UR 3, in the answer and in ' +
    'conditions.',
  { type: 'string', enum: ['v2'] },
);
const AFTER = query('after', 'Where the page goes on, from the link `next`.', TEXT);

/** A document in JSON of a named schema, or as a page. */
function document(description: string, schema: string): Answer {
  return {
    description,
    content: {
      'application/json': { schema: ref(schema) },
      'text/html': { schema: TEXT },
    },
    headers: CONDITIONAL,
  };
}

function items(description: string, schema: string): Answer {
  const content = Object.values(ITEM_FORMATS).map((type) => [
    type,
    { schema: type === ITEM_FORMATS.geojson ? ref(schema) : TEXT },
  ]);
  return {
    description,
    content: Object.fromEntries(content),
    headers: ['ETag', 'Warning', 'Link', 'Content-Crs'],
  };
}

const NOT_ACCEPTED = failure('A parameter is not known, or has a value that is not accepted.');
const NOT_FOUND = failure('There is no such collection or feature.');
const BESIDE = { 304: NOT_MODIFIED, 400: NOT_ACCEPTED, 503: NO_CATALOGUE };
const common = { method: 'get', number: null, tag: 'OGC API' } as const;
const ALLOWANCE: Operation['allowance'] = { items: 'FEATURE_MAX_ITEMS', bytesRead: 'FEATURE_MAX_READ_MB' };

export const getOgc: Operation = {
  ...common,
  id: 'getOgc',
  path: '/ogc',
  summary: 'The landing page of the OGC API',
  description: 'Links to everything else.',
  parameters: [F, LANG],
  answers: { 200: document('The landing page.', 'OgcLanding'), ...BESIDE },
};

export const getOgcConformance: Operation = {
  ...common,
  id: 'getOgcConformance',
  path: '/ogc/conformance',
  summary: 'What of the standards the OGC API keeps',
  description: 'Conformance classes.',
  parameters: [F, LANG],
  answers: { 200: document('The classes.', 'OgcConformance'), ...BESIDE },
};

export const getOgcApi: Operation = {
  ...common,
  id: 'getOgcApi',
  path: '/ogc/api',
  summary: 'This description in OpenAPI 3.0, for clients of the OGC API',
  description: 'The same as `/openapi-3.0.json`.',
  parameters: [],
  answers: {
    200: {
      description: 'The description.',
      content: {
        'application/vnd.oai.openapi+json': {
          schema: { type: 'object', additionalProperties: true },
        },
      },
      headers: CONDITIONAL,
    },
    304: NOT_MODIFIED,
  },
};

export const getOgcCollections: Operation = {
  ...common,
  id: 'getOgcCollections',
  path: '/ogc/collections',
  summary: 'Collections of features',
  description:
    'Each feature type of the whole country, then each of a municipality. More than a page has follow at `next`.',
  parameters: [limit(MAX_COLLECTIONS, MAX_COLLECTIONS), AFTER, F, LANG],
  answers: { 200: document('The collections.', 'OgcCollections'), ...BESIDE },
};

export const getOgcCollection: Operation = {
  ...common,
  id: 'getOgcCollection',
  path: '/ogc/collections/{collectionId}',
  summary: 'A collection of features',
  description: 'Extent, years and coordinate systems.',
  parameters: [COLLECTION, F, LANG],
  answers: { 200: document('The collection.', 'OgcCollection'), ...BESIDE, 404: NOT_FOUND },
};

export const getOgcQueryables: Operation = {
  ...common,
  id: 'getOgcQueryables',
  path: '/ogc/collections/{collectionId}/queryables',
  summary: 'Properties that a collection can be searched by',
  description:
    'A JSON schema of the properties that its first features have. Others that the data has work too.',
  parameters: [COLLECTION, ATTRIBUTES, F, LANG],
  answers: {
    200: {
      description: 'The schema.',
      content: {
        'application/schema+json': { schema: { type: 'object', additionalProperties: true } },
        'text/html': { schema: TEXT },
      },
      headers: CONDITIONAL,
    },
    ...BESIDE,
    ...STORE_FAILURES,
    404: NOT_FOUND,
  },
};

export const getOgcItems: Operation = {
  ...common,
  id: 'getOgcItems',
  path: '/ogc/collections/{collectionId}/items',
  summary: 'Features of a collection',
  description: 'A page of features, of each municipality in its newest edition.',
  parameters: [
    COLLECTION,
    limit(MAX_LIMIT, DEFAULT_LIMIT),
    AFTER,
    query(
      'bbox',
      'Keeps features whose footprint meets this box: two corners in the order of the axes of `bbox-crs`, with ' +
        'heights or without.',
      { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 },
      DEFINED,
    ),
    query('bbox-crs', 'System of `bbox`; without it longitude and latitude.', URI, DEFINED),
    query(
      'datetime',
      'Keeps features of editions of this time: an instant, or two with `/` between.',
      TEXT,
      DEFINED,
    ),
    query(
      'filter',
      'Keeps features that this expression of CQL2 is true of, such as `"bldg:measuredHeight" >= 31`.',
      TEXT,
      DEFINED,
    ),
    query(
      'filter-lang',
      'Language of `filter`.',
      { type: 'string', enum: ['cql2-text', 'cql2-json'], default: 'cql2-text' },
      DEFINED,
    ),
    query('filter-crs', 'System of positions in `filter`; without it longitude and latitude.', URI, DEFINED),
    PROPERTIES,
    ATTRIBUTES,
    CRS,
    ITEM_F,
    LANG,
  ],
  answers: { 200: items('The page.', 'OgcItems'), ...BESIDE, ...STORE_FAILURES, 404: NOT_FOUND },
  allowance: ALLOWANCE,
};

export const getOgcItem: Operation = {
  ...common,
  id: 'getOgcItem',
  path: '/ogc/collections/{collectionId}/items/{featureId}',
  summary: 'A feature',
  description: 'The first of the collection that has the gml:id.',
  parameters: [COLLECTION, path('featureId', 'gml:id.', ({ id }) => id), ATTRIBUTES, CRS, ITEM_F, LANG],
  answers: { 200: items('The feature.', 'OgcItem'), ...BESIDE, ...STORE_FAILURES, 404: NOT_FOUND },
  allowance: ALLOWANCE,
};

export const OGC_OPERATIONS: readonly Operation[] = [
  getOgc,
  getOgcConformance,
  getOgcApi,
  getOgcCollections,
  getOgcCollection,
  getOgcQueryables,
  getOgcItems,
  getOgcItem,
];
