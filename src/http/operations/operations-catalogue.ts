/** Operations 1 to 7 and the list of areas: what there is and where. */

import Type from 'typebox';
import { TYPE_CODE } from '../../catalogue/names/feature-types.ts';
import { LIST_PARAMETERS } from '../../catalogue/snapshot/catalogue-filter.ts';
import { ARRAYS } from '../../catalogue/snapshot/snapshot.ts';
import { exampleQueries } from '../../graphql/examples.ts';
import {
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

const CONDITIONAL = ['ETag', 'Cache-Control'] as const;

function listParameter(name: keyof typeof LIST_PARAMETERS, description: string, example?: string): Parameter {
  const { pattern, accepted } = LIST_PARAMETERS[name];
  const item = Type.String({ pattern: pattern.source });
  return queryList(
    name,
    `${description} Accepted are ${accepted}.`,
    item,
    example === undefined ? {} : { example: [example] },
  );
}

const bbox = query(
  'bbox',
  'Only what touches this box: `west,south,east,north` in degrees.',
  Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }),
  { list: true },
);

const graphqlExamples = Object.fromEntries(
  exampleQueries(SAMPLE.city).map(({ title, query: text, variables }, i) => [
    `example${i + 1}`,
    {
      summary: title,
      value: { query: text, ...(variables === '' ? {} : { variables: JSON.parse(variables) }) },
    },
  ]),
);

export const CATALOGUE_OPERATIONS: readonly Operation[] = [
  {
    id: 'getGraphql',
    method: 'get',
    path: '/datacatalog/graphql',
    number: 1,
    tag: 'GraphQL',
    summary: 'GraphiQL, or the answer to a query',
    description:
      'Browsers get GraphiQL, served by the service itself. With `query` and without `text/html` in `Accept`, answers the query with an entity tag, so that it can be asked for again at no cost.',
    parameters: [
      query('query', 'The query.', Type.String(), { example: '{ years }' }),
      query('variables', 'Values of its variables as JSON.', Type.String()),
      query('operationName', 'Which of several operations.', Type.String()),
    ],
    answers: {
      200: {
        description: 'GraphiQL, or the answer.',
        content: {
          'text/html': { schema: Type.String() },
          'application/json': { schema: ref('GraphqlResponse') },
        },
      },
      304: { description: 'The answer is the one that `If-None-Match` names.' },
      503: failure('The catalogue has not been read yet.', ['Retry-After']),
    },
  },
  {
    id: 'postGraphql',
    method: 'post',
    path: '/datacatalog/graphql',
    number: 2,
    tag: 'GraphQL',
    summary: 'The catalogue in GraphQL',
    description:
      'The schema is in `docs/schema.graphql` and answers introspection. Errors of syntax, validation and execution are answers with status 200 and `errors`; so is a query over a limit (`extensions.code` is `QUERY_TOO_LARGE`).',
    parameters: [],
    body: {
      required: true,
      content: {
        'application/json': { schema: ref('GraphqlRequest'), examples: graphqlExamples },
      },
    },
    answers: {
      200: json('The answer.', 'GraphqlResponse'),
      400: json('The body is no JSON, or has no query.', 'GraphqlRefusal'),
      413: failure('The body is larger than `MAX_BODY_BYTES`.'),
      503: failure('The catalogue has not been read yet.', ['Retry-After']),
    },
  },
  {
    id: 'getCatalogue',
    method: 'get',
    path: '/datacatalog/citymodel-datasets',
    number: 3,
    tag: 'Catalogue',
    summary: 'The catalogue, whole or filtered',
    description:
      'Filters can be combined. A filter applies to the arrays whose rows carry its column; other arrays stay as they are. Also answers at `/datacatalog/plateau-datasets`.',
    parameters: [
      listParameter('pref_code', 'Only these prefectures.'),
      listParameter(
        'city_code',
        'Only these municipalities and wards; a designated city with its wards.',
        SAMPLE.city,
      ),
      listParameter('type_en', 'Only these feature types.', 'bldg'),
      queryList('format', 'Only these formats.', Type.Enum(['3D Tiles', 'MVT'])),
      listParameter('lod', 'Only these LODs.'),
      listParameter('year', 'Only these years of production.'),
      bbox,
      queryList('fields', 'Only these arrays.', Type.Enum([...ARRAYS]), { example: ['datasets', 'citygml'] }),
      flag('all_years', 'Lists every year of CityGML, not only the newest.'),
    ],
    answers: {
      200: json('The catalogue.', 'Catalogue', CONDITIONAL),
      304: { description: 'The catalogue is the one that `If-None-Match` names.' },
      400: failure('A parameter has a value that is not accepted.'),
      503: failure('The catalogue has not been read yet.', ['Retry-After']),
    },
  },
  {
    id: 'getAreas',
    method: 'get',
    path: '/datacatalog/areas',
    number: null,
    tag: 'Catalogue',
    summary: 'Areas with what there is of each',
    description:
      'Prefectures, municipalities and wards that have anything, by code, with extent, feature types, formats and years.',
    parameters: [
      listParameter('pref_code', 'Only these prefectures and what lies in them.', '47'),
      listParameter('city_code', 'Only these municipalities and wards; a designated city with its wards.'),
      listParameter('type_en', 'Only areas that have one of these feature types.'),
      bbox,
    ],
    answers: {
      200: json('The areas.', 'Areas', CONDITIONAL),
      304: { description: 'The areas are those that `If-None-Match` names.' },
      400: failure('A parameter has a value that is not accepted.'),
      503: failure('The catalogue has not been read yet.', ['Retry-After']),
    },
  },
  {
    id: 'getTileset',
    method: 'get',
    path: '/datacatalog/3dtiles/{spec}/tileset.json',
    number: 4,
    tag: 'Catalogue',
    summary: 'One tileset over many municipalities',
    description: 'A 3D Tiles tileset that refers to those of the municipalities and wards.',
    parameters: [
      path(
        'spec',
        '`<area>-<type>-<lod>[-interior][-<texture>]-<year>`: area is `all`, 2 digits of a prefecture or 5 of a municipality or ward; lod is `lodN` or `maxlodN`; texture is `texture` or `notexture`; year is 4 digits or `latest`.',
        `${SAMPLE.city}-bldg-maxlod2-latest`,
        `^(all|\\d{2}|\\d{5})-${TYPE_CODE}(_[a-z0-9_-]+?)?(-(max)?lod\\d{1,2})?(-interior)?(-(texture|notexture))?-(\\d{4}|latest)$`,
      ),
      query('empty', '`ok`: a tileset without children instead of 404.', Type.Enum(['ok'])),
    ],
    answers: {
      200: json('The tileset.', 'Tileset', CONDITIONAL),
      304: { description: 'The tileset is the one that `If-None-Match` names.' },
      400: failure('The spec is malformed.'),
      404: failure('Nothing matches; `reason` names the nearest that exists.'),
      503: failure('The catalogue has not been read yet.', ['Retry-After']),
    },
  },
  {
    id: 'getTileJson',
    method: 'get',
    path: '/datacatalog/mvt/{spec}/tilejson.json',
    number: 5,
    tag: 'Catalogue',
    summary: 'TileJSON of vector tiles',
    description: 'TileJSON 3.0.0 of one municipality or ward and type.',
    parameters: [
      path(
        'spec',
        '`<code>-<type>[-lodN][-interior]-<year>`: code is 5 digits of a municipality or ward, or 2 of a prefecture; year is 4 digits or `latest`.',
        `${SAMPLE.city}-luse-latest`,
        `^(\\d{5}|\\d{2})-${TYPE_CODE}(_[a-z0-9_-]+?)?(-lod\\d{1,2})?(-interior)?-(\\d{4}|latest)$`,
      ),
    ],
    answers: {
      200: json('The TileJSON.', 'TileJson', CONDITIONAL),
      304: { description: 'The TileJSON is the one that `If-None-Match` names.' },
      400: failure('The spec is malformed.'),
      404: failure('Nothing matches; `reason` names the nearest that exists.'),
      503: failure('The catalogue has not been read yet.', ['Retry-After']),
    },
  },
  {
    id: 'getCityZip',
    method: 'get',
    path: '/datacatalog/citygml/{spec}/citygml.zip',
    number: 6,
    tag: 'CityGML',
    summary: "Redirects to a municipality's zip",
    description: "A lasting address of a municipality's CityGML.",
    parameters: [
      path(
        'spec',
        '`<code>-<year>`: code is 5 digits of a municipality or ward, or 2 of a prefecture; year is 4 digits or `latest`.',
        `${SAMPLE.city}-latest`,
        '^(\\d{2}|\\d{5})-(\\d{4}|latest)$',
      ),
    ],
    answers: {
      302: { description: 'To the zip.', headers: ['Location', 'ETag'] },
      304: { description: 'The zip is the one that `If-None-Match` names.' },
      400: failure('The spec is malformed.'),
      404: failure('Nothing matches; `reason` names the nearest that exists.'),
      503: failure('The catalogue has not been read yet.', ['Retry-After']),
    },
  },
  {
    id: 'findFiles',
    method: 'get',
    path: '/datacatalog/citygml/{conditions}',
    number: 7,
    tag: 'CityGML',
    summary: 'CityGML files by condition',
    description:
      'Conditions: `m:<mesh>,…` (in or around), `mm:<mesh>,…` (of exactly that size), `s:<spatial ID>,…`, `r:<lng>,<lat>` or `r:<lng1>,<lat1>,<lng2>,<lat2>`, `g:<place name>`, or `<municipality code>,…`. Commas, slashes and colons may be percent-encoded or not.',
    parameters: [
      path('conditions', 'The conditions.', `m:${SAMPLE.mesh}`),
      queryList('types', 'Only these feature types.', Type.String(), { example: ['bldg'] }),
      ...YEARS,
    ],
    answers: {
      200: json('The files.', 'FileListResult', CONDITIONAL),
      304: { description: 'The answer is the one that `If-None-Match` names.' },
      400: failure('The conditions are malformed, or too many.'),
      404: failure('There are no files there.'),
      503: failure('A store, or the outside geocoder, cannot answer now.', ['Retry-After']),
    },
  },
];
