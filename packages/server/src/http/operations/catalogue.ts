/** Operation 3: the catalogue. */
import type { RouteHandlerMethod } from 'fastify';
import { Filters } from '../../base/filter.ts';
import type { RowFilter, RowFilters } from '../../catalogue/rows/row-filter.ts';
import { type CatalogueQuery, catalogueFor, fieldsOf } from '../../catalogue/snapshot/catalogue-filter.ts';
import { ARRAYS } from '../../catalogue/snapshot/snapshot.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import {
  BBOX_FILTER,
  CONDITIONAL,
  catalogueFilter,
  FORMAT,
  NO_CATALOGUE,
  NOT_MODIFIED,
} from '../describe/common.ts';
import { failure, json, type Operation } from '../describe/operation.ts';
import { flag, list, type QueryParameter, type RawQuery, readQuery } from '../describe/query-parameters.ts';

const FIELDS = list(
  'fields',
  'Keeps these arrays.',
  { type: 'string', enum: [...ARRAYS] },
  { example: () => ['datasets', 'citygml'] },
);

/** The filters, all of which look at rows. */
export const CATALOGUE_FILTERS = {
  prefCodes: catalogueFilter('pref_code', 'Keeps these prefectures.'),
  cityCodes: catalogueFilter(
    'city_code',
    'Keeps these municipalities and wards; a designated city with its wards.',
    ({ city }) => [city],
  ),
  types: catalogueFilter('type_en', 'Keeps these feature types.', ({ type }) => [type]),
  formats: FORMAT,
  lods: catalogueFilter('lod', 'Keeps these LODs.'),
  years: catalogueFilter('year', 'Keeps these years of production.'),
  bbox: BBOX_FILTER,
} satisfies Record<string, QueryParameter<RowFilter | null>>;

export const MAP_SYMBOLS = flag(
  'map_symbols',
  'Lists vector tiles of map symbols inside of features, too (`…_dm_annotations`).',
);

const SHAPE = {
  fields: { ...FIELDS, read: (query: RawQuery) => fieldsOf(FIELDS.read(query)) },
  allYears: flag('all_years', 'Lists every year of CityGML in place of the newest.'),
  mapSymbols: MAP_SYMBOLS,
};

export const CATALOGUE_PARAMETERS = { ...CATALOGUE_FILTERS, ...SHAPE };

/** What a request asks of the catalogue. Throws ServiceError 400 `invalid parameter`. */
export function readCatalogueQuery(query: unknown): CatalogueQuery {
  return { filters: readFilters(CATALOGUE_FILTERS, query), ...readQuery(SHAPE, query) };
}

/** The filters that a request names. Throws ServiceError 400 `invalid parameter`. */
export function readFilters(
  parameters: Record<string, QueryParameter<RowFilter | null>>,
  query: unknown,
): RowFilters {
  return new Filters(Object.values(readQuery(parameters, query)));
}

export const getCatalogue: Operation = {
  id: 'getCatalogue',
  method: 'get',
  path: '/datacatalog/citymodel-datasets',
  number: 3,
  tag: 'Catalogue',
  summary: 'The catalogue, whole or filtered',
  description:
    'All filters must hold. A filter applies to the arrays whose rows have its column, and leaves the others as ' +
    'they are. `/datacatalog/plateau-datasets` gives the same answer.',
  parameters: Object.values(CATALOGUE_PARAMETERS),
  answers: {
    200: json('The catalogue.', 'Catalogue', CONDITIONAL),
    304: NOT_MODIFIED,
    400: failure('A parameter has a value that is not accepted.'),
    503: NO_CATALOGUE,
  },
};

/** The whole catalogue, or the rows that the query asks for. */
export function serveCatalogue({ watch }: ServiceContext): RouteHandlerMethod {
  // Most callers ask for the whole catalogue, again and again.
  const whole = readCatalogueQuery({});
  return (request, reply) => {
    const query = request.url.includes('?') ? readCatalogueQuery(request.query) : whole;
    return sendGenerated(request, reply, catalogueFor(watch.current(), query));
  };
}
