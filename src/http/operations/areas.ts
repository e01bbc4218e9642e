/** `GET /datacatalog/areas`: prefectures, municipalities and wards, with what there is of each. */
import type { RouteHandlerMethod } from 'fastify';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { parseAreaQuery } from '../../catalogue/snapshot/catalogue-filter.ts';
import { listAreas } from '../../graphql/area-list.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { BBOX, CONDITIONAL, catalogueFilter, NO_CATALOGUE, NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation } from '../describe/operation.ts';
import { graphFor } from './graphql.ts';

export const getAreas: Operation = {
  id: 'getAreas',
  method: 'get',
  path: '/datacatalog/areas',
  number: null,
  tag: 'Catalogue',
  summary: 'Areas with what there is of each',
  description:
    'Prefectures, municipalities and wards that have data, by code. Each has its extent, feature types, formats and years. The server refuses filters that only the catalogue has.',
  parameters: [
    catalogueFilter('pref_code', 'Keeps these prefectures and what lies in them.', ({ city }) => [
      city.slice(0, 2),
    ]),
    catalogueFilter('city_code', 'Keeps these municipalities and wards; a designated city with its wards.'),
    catalogueFilter('type_en', 'Keeps areas that have one of these feature types.'),
    BBOX,
  ],
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
    const query = parseAreaQuery(request.query as Record<string, string | string[]>);
    const snapshot = watch.current();
    const graph = await graphFor(snapshot, urls);
    const { prefCodes, cityCodes, types, bbox } = query;
    const key = `areas/${JSON.stringify([prefCodes, cityCodes, types, bbox])}`;
    const document = snapshot.generated.get(key, () =>
      GeneratedDocument.ofJson({ areas: listAreas(graph, query) }),
    );
    return sendGenerated(request, reply, document);
  };
}
