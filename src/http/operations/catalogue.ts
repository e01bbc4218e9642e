/** Operation 3: the catalogue. */
import type { RouteHandlerMethod } from 'fastify';
import { catalogueFor, parseCatalogueQuery } from '../../catalogue/snapshot/catalogue-filter.ts';
import { ARRAYS } from '../../catalogue/snapshot/snapshot.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { BBOX, CONDITIONAL, catalogueFilter, NO_CATALOGUE, NOT_MODIFIED } from '../describe/common.ts';
import { failure, flag, json, type Operation, queryList } from '../describe/operation.ts';

export const getCatalogue: Operation = {
  id: 'getCatalogue',
  method: 'get',
  path: '/datacatalog/citymodel-datasets',
  number: 3,
  tag: 'Catalogue',
  summary: 'The catalogue, whole or filtered',
  description:
    'All filters must hold. A filter applies to the arrays whose rows have its column, and leaves the others as they are. `/datacatalog/plateau-datasets` gives the same answer.',
  parameters: [
    catalogueFilter('pref_code', 'Keeps these prefectures.'),
    catalogueFilter(
      'city_code',
      'Keeps these municipalities and wards; a designated city with its wards.',
      ({ city }) => [city],
    ),
    catalogueFilter('type_en', 'Keeps these feature types.', ({ type }) => [type]),
    queryList('format', 'Keeps these formats.', { type: 'string', enum: ['3D Tiles', 'MVT'] }),
    catalogueFilter('lod', 'Keeps these LODs.'),
    catalogueFilter('year', 'Keeps these years of production.'),
    BBOX,
    queryList(
      'fields',
      'Keeps these arrays.',
      { type: 'string', enum: [...ARRAYS] },
      { example: () => ['datasets', 'citygml'] },
    ),
    flag('all_years', 'Lists every year of CityGML in place of the newest.'),
  ],
  answers: {
    200: json('The catalogue.', 'Catalogue', CONDITIONAL),
    304: NOT_MODIFIED,
    400: failure('A parameter has a value that is not accepted.'),
    503: NO_CATALOGUE,
  },
};

/** The whole catalogue, or the rows that the query asks for. */
export function serveCatalogue({ watch }: ServiceContext): RouteHandlerMethod {
  return (request, reply) => {
    const snapshot = watch.current();
    // Most callers ask for the whole catalogue, again and again.
    if (!request.url.includes('?')) return sendGenerated(request, reply, snapshot.document);
    const query = parseCatalogueQuery(request.query as Record<string, string | string[]>);
    return sendGenerated(request, reply, catalogueFor(snapshot, query));
  };
}
