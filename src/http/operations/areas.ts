/** `GET /datacatalog/areas`: prefectures, municipalities and wards, with what there is of each. */
import type { RouteHandlerMethod } from 'fastify';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { parseCatalogueQuery } from '../../catalogue/snapshot/catalogue-filter.ts';
import { listAreas } from '../../graphql/area-list.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { graphFor } from './graphql.ts';

/** `?pref_code=&city_code=&type_en=&bbox=`, as in the catalogue. */
export function serveAreas({ watch, urls }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const query = parseCatalogueQuery(request.query as Record<string, string | string[]>);
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
