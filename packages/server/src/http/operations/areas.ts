/** `GET /datacatalog/areas`: prefectures, municipalities and wards, with what there is of each. */

import { quoted } from '@citymodel/base';
import type { RouteHandlerMethod } from 'fastify';
import { keyOf } from '../../base/filter.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import type { RowFilters } from '../../catalogue/rows/row-filter.ts';
import { listAreas } from '../../graphql/area-list.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { BBOX_FILTER, CONDITIONAL, catalogueFilter, NO_CATALOGUE, NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation } from '../describe/operation.ts';
import { list, type RawQuery, refuse } from '../describe/query-parameters.ts';
import { CATALOGUE_PARAMETERS, readFilters } from './catalogue.ts';
import { graphFor } from './graphql.ts';

const PARAMETERS = {
  prefCodes: catalogueFilter('pref_code', 'Keeps these prefectures and what lies in them.', ({ city }) => [
    city.slice(0, 2),
  ]),
  cityCodes: catalogueFilter(
    'city_code',
    'Keeps these municipalities and wards; a designated city with its wards.',
  ),
  types: catalogueFilter('type_en', 'Keeps areas that have one of these feature types.'),
  bbox: BBOX_FILTER,
};

export const getAreas: Operation = {
  id: 'getAreas',
  method: 'get',
  path: '/datacatalog/areas',
  number: null,
  tag: 'Catalogue',
  summary: 'Areas with what there is of each',
  description:
    'Prefectures, municipalities and wards that have data, by code. Each has its extent, feature types, formats and ' +
    'years. The server refuses filters that only the catalogue has.',
  parameters: Object.values(PARAMETERS),
  answers: {
    200: json('The areas.', 'Areas', CONDITIONAL),
    304: NOT_MODIFIED,
    400: failure('A parameter has a value that is not accepted.'),
    503: NO_CATALOGUE,
  },
};

/** `?pref_code=&city_code=&type_en=&bbox=`, as in the catalogue. */
export function serveAreas({ watch, urls }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const filters = readAreaQuery(request.query as RawQuery);
    const snapshot = watch.current();
    const graph = await graphFor(snapshot, urls);
    const document = snapshot.generated.get(keyOf('areas', { filters }), () =>
      GeneratedDocument.ofJson({ areas: listAreas(graph, filters) }),
    );
    return sendGenerated(request, reply, document);
  };
}

/** Throws ServiceError 400 also for what only the catalogue can filter by. */
export function readAreaQuery(query: RawQuery): RowFilters {
  const own = Object.values(PARAMETERS).map(({ name }) => name);
  for (const { name } of Object.values(CATALOGUE_PARAMETERS)) {
    const value = own.includes(name) ? '' : list(name, '', {}).read(query).join(',');
    if (value === '') continue;
    refuse(
      `${name} has ${quoted(value, 100)}; areas are filtered by ${own.slice(0, -1).join(', ')} and ${own.at(-1)} only.`,
    );
  }
  return readFilters(PARAMETERS, query);
}
