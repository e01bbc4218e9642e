/** Operations 8 to 13 and the assets: bytes, packs, attributes, features. */
import Type from 'typebox';
import { FORMATS } from '../../features/formats/formats.ts';
import {
  type Answer,
  type Content,
  failure,
  flag,
  json,
  type Operation,
  type Parameter,
  path,
  query,
  queryList,
  YEARS,
} from '../describe/operation.ts';
import { ref } from '../describe/schemas/common.ts';
import { SAMPLE } from '../describe/schemas/sample.ts';

/** Stands in examples for the URL of the sample city's file `SAMPLE.gml`; who writes the description knows it. */
export const GML_URL = '{gml}';

const gmlUrl = (required: boolean): Parameter =>
  query('url', 'A CityGML file, as the file search lists it.', Type.String({ format: 'uri' }), {
    required,
    example: GML_URL,
  });

const spatialIds = queryList(
  'sid',
  'Spatial IDs: `z/x/y` (any altitude), `z/f/x/y`, or tile hashes. Required unless `bbox` or `polygon` is given.',
  Type.String(),
  { example: [SAMPLE.spatialId] },
);

const region: Parameter[] = [
  spatialIds,
  query(
    'bbox',
    'A box, `west,south,east,north` or `west,south,low,east,north,high`; degrees and metres. With several of `sid`, `bbox` and `polygon` all must be met.',
    Type.Array(Type.Number(), { minItems: 4, maxItems: 6 }),
    { list: true },
  ),
  query(
    'polygon',
    'Corners, `lng,lat,lng,lat,…`, or WKT: `POLYGON((lng lat, …))`, `MULTIPOLYGON(…)`.',
    Type.String(),
  ),
];

const presentation: Parameter[] = [
  flag('skip_code_list_fetch', 'Leaves codes as they are, without their meaning from code lists.'),
  query('format', formatText(), Type.Enum(FORMATS.map(({ name }) => name))),
  flag(
    'flatten',
    'With `json` and `geojson`: lists are joined, attributes of objects are columns. `flatgeobuf` and `csv` are so always.',
  ),
  queryList('fields', 'Only these attributes, by their keys.', Type.String()),
];

const typeFilter = (required: boolean): Parameter =>
  queryList(
    'type',
    'Feature-type codes (`bldg`) and qualified element names (`bldg:Building`).',
    Type.String(),
    required ? { required, example: ['bldg'] } : {},
  );

/** Features as the format says; `json` is what the operation answers without one. */
function features(description: string, json: Content = { schema: Type.Array(ref('Feature')) }): Answer {
  const schemas: Record<string, Content> = {
    json,
    geojson: { schema: ref('FeatureCollection') },
  };
  return {
    description,
    content: Object.fromEntries(
      FORMATS.map(({ name, contentType }) => [
        contentType.split(';')[0]!,
        schemas[name] ?? { schema: Type.String() },
      ]),
    ),
    headers: ['Warning'],
  };
}

/** The formats in one sentence. */
function formatText(): string {
  return `What the answer looks like: ${FORMATS.map(({ name, summary }) => `\`${name}\`, ${summary}`).join('; ')}.`;
}

const COMMON: Record<string, Answer> = {
  500: failure('A fault of the service; it has been logged.'),
  503: failure('A store cannot answer now.', ['Retry-After']),
};

export const CITYGML_OPERATIONS: readonly Operation[] = [
  {
    id: 'postPack',
    method: 'post',
    path: '/citygml/pack',
    number: 8,
    tag: 'Packs',
    summary: 'Asks for a zip of CityGML files',
    description:
      'The same files are the same pack, whoever asks. Everything that the files refer to comes with them: textures, code lists, schemas.',
    parameters: [],
    body: {
      required: true,
      content: {
        'application/json': {
          schema: ref('PackRequest'),
          examples: {
            example1: { summary: 'Files by their URLs', value: { urls: [GML_URL] } },
            example2: {
              summary: 'Whatever the file search finds',
              value: { conditions: `m:${SAMPLE.mesh}`, types: ['bldg'], latest: true },
            },
          },
        },
      },
    },
    answers: {
      200: json('The pack is accepted, or there already.', 'PackAccepted'),
      400: failure('The body, or one of the URLs, is not accepted; `url` says which.'),
      404: failure('The conditions find no files.'),
      413: failure('The body is larger than `MAX_BODY_BYTES`.'),
      429: failure('More requests than are accepted.', ['Retry-After']),
      ...COMMON,
    },
  },
  {
    id: 'getPackStatus',
    method: 'get',
    path: '/citygml/pack/{id}/status',
    number: 9,
    tag: 'Packs',
    summary: 'How far a pack is',
    description: '`accepted` → `processing` → `succeeded` or `failed`.',
    parameters: [
      path('id', 'The pack id.', '{pack}', '^[0-9a-f]{64}$'),
      query(
        'wait',
        'Answers when the state changes, or after so many seconds.',
        Type.Number({ minimum: 0, maximum: 60 }),
      ),
    ],
    answers: {
      200: json('The state.', 'PackStatus'),
      304: { description: 'The state is the one that `If-None-Match` names.' },
      400: failure('`wait` is no number of seconds.'),
      404: failure('There is no such pack; it may have expired.'),
      ...COMMON,
    },
  },
  {
    id: 'getPackZip',
    method: 'get',
    path: '/citygml/pack/{id}.zip',
    number: 10,
    tag: 'Packs',
    summary: 'Redirects to the zip of a pack',
    description: 'The zip has `Content-Length`, an entity tag, and answers ranges.',
    parameters: [path('id', 'The pack id.', '{pack}', '^[0-9a-f]{64}$')],
    answers: {
      302: { description: 'To the zip.', headers: ['Location', 'ETag'] },
      304: { description: 'The zip is the one that `If-None-Match` names.' },
      400: json('The pack is not done.', 'PackNotDone'),
      404: failure('There is no such pack; it may have expired.'),
      ...COMMON,
    },
  },
  {
    id: 'getAttributes',
    method: 'get',
    path: '/citygml/attributes',
    number: 11,
    tag: 'Features',
    summary: 'Attributes of features by gml:id',
    description: 'In the order of the ids; ids that the file lacks are left out.',
    parameters: [
      gmlUrl(true),
      queryList('id', 'gml:ids.', Type.String(), { required: true, example: [SAMPLE.id] }),
      typeFilter(false),
      ...presentation,
    ],
    answers: {
      200: features('The features.'),
      304: { description: 'The answer is the one that `If-None-Match` names.' },
      400: failure('A parameter is missing or not accepted, or the URL names no hosted CityGML file.'),
      ...COMMON,
    },
  },
  {
    id: 'getFeatures',
    method: 'get',
    path: '/citygml/features',
    number: 12,
    tag: 'Features',
    summary: 'gml:ids of the features in a place',
    description:
      'Of one file, or of all hosted files: of each municipality and feature type the newest year that has the type. No match is an empty list.',
    parameters: [...region, gmlUrl(false), typeFilter(false), ...YEARS, ...presentation],
    answers: {
      200: features('The gml:ids, or with `format` the features themselves.', { schema: ref('FeatureIds') }),
      304: { description: 'The answer is the one that `If-None-Match` names.' },
      400: failure('A parameter is missing or not accepted, or the URL names no hosted CityGML file.'),
      ...COMMON,
    },
  },
  {
    id: 'getSpatialIdAttributes',
    method: 'get',
    path: '/citygml/spatialid_attributes',
    number: 13,
    tag: 'Features',
    summary: 'Attributes of the features in a place',
    description:
      'Of each municipality and feature type the newest year that has the type, each feature once.',
    parameters: [...region, typeFilter(true), ...YEARS, ...presentation],
    answers: {
      200: features('The features.'),
      304: { description: 'The answer is the one that `If-None-Match` names.' },
      400: failure('A parameter is missing or not accepted.'),
      404: failure(
        '`error` says what is missing: `not found` where no CityGML lies, `no citygml files for the given types`, or `no features found`.',
      ),
      ...COMMON,
    },
  },
];
