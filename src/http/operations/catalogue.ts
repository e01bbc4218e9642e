/** Operations 3 to 6: the catalogue, composite tilesets, TileJSON, redirects to city zips. */
import type { FastifyRequest, RouteHandlerMethod } from 'fastify';
import { cityZipFor } from '../../catalogue/resolve/city-zips.ts';
import { compositeFor } from '../../catalogue/resolve/composite-tilesets.ts';
import { tileJsonFor } from '../../catalogue/resolve/mvt-tilejson.ts';
import { catalogueFor, parseCatalogueQuery } from '../../catalogue/snapshot/catalogue-filter.ts';
import { sendGenerated, sendRedirect } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';

/** Operation 3, `GET /datacatalog/citymodel-datasets`, whole or filtered. */
export function serveCatalogue({ watch }: ServiceContext): RouteHandlerMethod {
  return (request, reply) => {
    const snapshot = watch.current();
    // The whole catalogue is what most callers ask for, again and again.
    if (!request.url.includes('?')) return sendGenerated(request, reply, snapshot.document);
    const query = parseCatalogueQuery(request.query as Record<string, string | string[]>);
    return sendGenerated(request, reply, catalogueFor(snapshot, query));
  };
}

/** Operation 4, `GET /datacatalog/3dtiles/{spec}/tileset.json`; `?empty=ok` instead of a 404. */
export function serveTileset({ watch, urls }: ServiceContext): RouteHandlerMethod {
  return (request, reply) => {
    const empty = (request.query as Record<string, unknown>).empty === 'ok';
    return sendGenerated(request, reply, compositeFor(watch.current(), urls, specOf(request), { empty }));
  };
}

/** Operation 5, `GET /datacatalog/mvt/{spec}/tilejson.json`. */
export function serveTileJson({ watch, urls, settings }: ServiceContext): RouteHandlerMethod {
  const options = settings.ATTRIBUTION === '' ? {} : { attribution: settings.ATTRIBUTION };
  return (request, reply) =>
    sendGenerated(request, reply, tileJsonFor(watch.current(), urls, specOf(request), options));
}

/** Operation 6, `GET /datacatalog/citygml/{spec}/citygml.zip`: a redirect to the archive. */
export function serveCityZip({ watch, urls }: ServiceContext): RouteHandlerMethod {
  return (request, reply) => sendRedirect(request, reply, cityZipFor(watch.current(), urls, specOf(request)));
}

function specOf(request: FastifyRequest): string {
  return (request.params as { spec: string }).spec;
}
