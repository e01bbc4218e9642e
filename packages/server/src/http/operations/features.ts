/** Operations 11, 12 and 13: attributes and gml:ids of features. */
import type { Caller } from '@citymodel/base';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { FeatureAnswer } from '../../features/answer.ts';
import { FORMAT_FACTS } from '../../features/formats/format-facts.ts';
import { keyPackageDocument } from '../answers/cache-keys.ts';
import { callerOf } from '../answers/client-gone.ts';
import { sendPieces } from '../answers/send-pieces.ts';
import type { ServiceContext } from '../context.ts';
import { catalogueValues, NOT_MODIFIED, STORE_FAILURES, YEARS } from '../describe/common.ts';
import { type Answer, type Content, failure, type Operation, ref, TEXT } from '../describe/operation.ts';
import { flag, list, type RawQuery, readQuery, text } from '../describe/query-parameters.ts';

const FORMATS = Object.values(FORMAT_FACTS);

const ALLOWANCE: Operation['allowance'] = { items: 'FEATURE_MAX_ITEMS', bytesRead: 'FEATURE_MAX_READ_MB' };

const gmlUrl = (required: boolean) =>
  text(
    'url',
    'A CityGML file, as the file search lists it.',
    { type: 'string', format: 'uri' },
    { required, example: ({ gml }) => gml },
  );

const REGION = {
  sid: list(
    'sid',
    'Spatial IDs: `z/x/y` (any altitude), `z/f/x/y`, or tile hashes. At least one of `sid`, `bbox` and `polygon` is ' +
      'required; features must meet all that are given.',
    TEXT,
    { example: ({ spatialId }) => [spatialId] },
  ),
  bbox: text(
    'bbox',
    'A box: `west,south,east,north` or `west,south,low,east,north,high` in degrees and metres.',
    { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 },
    { list: true },
  ),
  polygon: text(
    'polygon',
    'Corners, `lng,lat,lng,lat,…`, or WKT: `POLYGON((lng lat, …))`, `MULTIPOLYGON(…)`.',
    TEXT,
  ),
};

const PRESENTATION = {
  where: text(
    'where',
    'Conditions on attributes, separated by `;`, of which each must be met: a name, one of `=`, `<`, `<=`, `>`, ' +
      '`>=`, and a value; `|` separates values of which any will do. An empty value means that there is none. At ' +
      'most 10 conditions.',
    TEXT,
  ),
  rawCodes: flag('skip_code_list_fetch', 'Leaves codes as they are, without their meaning from code lists.'),
  format: text(
    'format',
    ['The format of the answer:', ...FORMATS.map(({ name, summary }) => `- \`${name}\`: ${summary}`)].join(
      '\n',
    ),
    { type: 'string', enum: FORMATS.map(({ name }) => name) },
  ),
  flatten: flag(
    'flatten',
    'Joins lists and makes columns of the attributes of objects, with `json` and `geojson`. `flatgeobuf`, ' +
      '`geoparquet` and `csv` always do so.',
  ),
  fields: list('fields', 'Keeps these attributes, by their keys.', TEXT),
  names: text(
    'attributes',
    '`v2` gives attributes of CityGML 3.0 the names that they have in CityGML 2.0 with i-UR 3; `where` and `fields` ' +
      'mean these names then. Not with `cityjsonseq`.',
    { type: 'string', enum: ['v2'] },
  ),
};

const typeFilter = (required: boolean) =>
  list(
    'type',
    'Feature-type codes (`bldg`) and qualified element names (`bldg:Building`).',
    TEXT,
    required ? { required, example: ({ type }) => [type] } : {},
  );

const CITIES = {
  cities: catalogueValues(
    'city_code',
    'Without `url`: looks at the files of these municipalities and wards only.',
  ),
};

/** The parameters of each operation. */
export const FEATURE_PARAMETERS = {
  attributes: {
    url: gmlUrl(true),
    id: list('id', 'gml:ids.', TEXT, { required: true, example: ({ id }) => [id] }),
    type: typeFilter(false),
    ...PRESENTATION,
  },
  features: { ...REGION, url: gmlUrl(false), type: typeFilter(false), ...CITIES, ...YEARS, ...PRESENTATION },
  spatialIdAttributes: { ...REGION, type: typeFilter(true), ...CITIES, ...YEARS, ...PRESENTATION },
};

/** Features as the format says; `json` is what the operation answers without one. */
function featuresAs(
  description: string,
  json: Content = { schema: { type: 'array', items: ref('Feature') } },
): Answer {
  const schemas: Record<string, Content> = { json, geojson: { schema: ref('FeatureCollection') } };
  return {
    description,
    content: Object.fromEntries(
      FORMATS.map(({ name, contentType }) => [contentType.split(';')[0]!, schemas[name] ?? { schema: TEXT }]),
    ),
    headers: ['ETag', 'Warning'],
  };
}

export const getAttributes: Operation = {
  id: 'getAttributes',
  method: 'get',
  path: '/citygml/attributes',
  number: 11,
  tag: 'Features',
  summary: 'Attributes of features by gml:id',
  description: 'The features come in the order of the ids. The answer leaves out ids that the file lacks.',
  parameters: Object.values(FEATURE_PARAMETERS.attributes),
  answers: {
    200: featuresAs('The features.'),
    304: NOT_MODIFIED,
    400: failure('A parameter is missing or not accepted, or the URL names no hosted CityGML file.'),
    ...STORE_FAILURES,
  },
  allowance: ALLOWANCE,
};

export const getFeatures: Operation = {
  id: 'getFeatures',
  method: 'get',
  path: '/citygml/features',
  number: 12,
  tag: 'Features',
  summary: 'gml:ids of the features in a place',
  description:
    'Searches one file, or all hosted files. It takes, for each municipality and feature type, the newest year that ' +
    'has the type. Without a match the list is empty.',
  parameters: Object.values(FEATURE_PARAMETERS.features),
  answers: {
    200: featuresAs('The gml:ids, or with `format` the features themselves.', { schema: ref('FeatureIds') }),
    304: NOT_MODIFIED,
    400: failure('A parameter is missing or not accepted, or the URL names no hosted CityGML file.'),
    ...STORE_FAILURES,
  },
  allowance: ALLOWANCE,
};

export const getSpatialIdAttributes: Operation = {
  id: 'getSpatialIdAttributes',
  method: 'get',
  path: '/citygml/spatialid_attributes',
  number: 13,
  tag: 'Features',
  summary: 'Attributes of the features in a place',
  description:
    'Takes, for each municipality and feature type, the newest year that has the type. Each feature comes once.',
  parameters: Object.values(FEATURE_PARAMETERS.spatialIdAttributes),
  answers: {
    200: featuresAs('The features.'),
    304: NOT_MODIFIED,
    400: failure('A parameter is missing or not accepted.'),
    404: failure(
      '`error` says what is missing: `not found` (no CityGML there), `no citygml files for the given types`, or `no ' +
        'features found`.',
    ),
    ...STORE_FAILURES,
  },
  allowance: ALLOWANCE,
};

export function serveAttributes({ features }: ServiceContext): RouteHandlerMethod {
  return answering((query, caller) =>
    features.attributes(readQuery(FEATURE_PARAMETERS.attributes, query), caller),
  );
}

export function serveFeatures({ features }: ServiceContext): RouteHandlerMethod {
  return answering((query, caller) =>
    features.features(readQuery(FEATURE_PARAMETERS.features, query), caller),
  );
}

export function serveSpatialIdAttributes({ features }: ServiceContext): RouteHandlerMethod {
  return answering((query, caller) =>
    features.spatialIdAttributes(readQuery(FEATURE_PARAMETERS.spatialIdAttributes, query), caller),
  );
}

function answering(
  ask: (query: RawQuery, caller: Caller) => Promise<FeatureAnswer>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    const answer = await ask(request.query as RawQuery, callerOf(reply));
    request.cost = answer.cost;
    if (answer.source !== null) keyPackageDocument(reply, answer.source);
    return sendPieces(request, reply, answer);
  };
}
