/** Operation 7: CityGML files by condition. */
import type { RouteHandlerMethod } from 'fastify';
import { flagParameter, listParameter } from '../../base/parameters.ts';
import { parseConditions } from '../../catalogue/search/conditions.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendShared } from '../answers/send-shared.ts';
import type { ServiceContext } from '../context.ts';

const PREFIX = '/datacatalog/citygml/';

/** `GET /datacatalog/citygml/{conditions}?types=&latest=`. */
export function serveFiles({ search, settings }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    // The path as it was sent: the conditions decode themselves, whatever mix of encodings they come in.
    // A slash at the end is passed over as in all other paths.
    const path = request.raw.url!.split('?', 1)[0]!.replace(/\/$/, '');
    const conditions = parseConditions(path.slice(PREFIX.length), { maxBounds: settings.MAX_BOUNDS });
    const query = request.query as Record<string, unknown>;
    const types = listParameter(query, 'types');
    const { json, packages, files } = await search.search(conditions, {
      types: types.length === 0 ? undefined : types,
      latest: flagParameter(query, 'latest'),
      signal: goneSignal(reply),
    });
    request.cost = { packages, files };
    reply.header('content-type', 'application/json; charset=utf-8');
    return sendShared(request, reply, json);
  };
}
