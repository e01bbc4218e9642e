/** Operation 7: CityGML files by condition. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { listParameter } from '../../base/parameters.ts';
import { parseConditions } from '../../catalogue/search/conditions.ts';
import type { FileListAnswer } from '../../catalogue/search/file-search.ts';
import { yearsParameter } from '../../catalogue/search/years.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendComputed } from '../answers/send.ts';
import { sendPieces } from '../answers/send-pieces.ts';
import type { ServiceContext } from '../context.ts';

const PREFIX = '/datacatalog/citygml/';
const JSON_TYPE = 'application/json; charset=utf-8';
/** Up to this size a caller without gzip gets the answer at once, a larger one as fast as it is taken. */
const AT_ONCE_BYTES = 256 * 1_024;

const gunzipAsync = promisify(gunzip);

/** `GET /datacatalog/citygml/{conditions}?types=&year=&all_years=&latest=`. */
export function serveFiles({ search, settings }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    // The path as it was sent: the conditions decode themselves, whatever mix of encodings they come in.
    // A slash at the end is passed over as in all other paths.
    const path = request.raw.url!.split('?', 1)[0]!.replace(/\/$/, '');
    const conditions = parseConditions(path.slice(PREFIX.length), { maxBounds: settings.MAX_BOUNDS });
    const query = request.query as Record<string, unknown>;
    const types = listParameter(query, 'types');
    const answer = await search.search(conditions, {
      types: types.length === 0 ? undefined : types,
      years: yearsParameter(query),
      signal: goneSignal(reply),
    });
    request.cost = { packages: answer.packages, files: answer.files };
    return send(request, reply, answer);
  };
}

function send(request: FastifyRequest, reply: FastifyReply, answer: FileListAnswer): Promise<FastifyReply> {
  if (answer.kind === 'streamed') {
    return sendPieces(request, reply, {
      contentType: JSON_TYPE,
      pieces: answer.pieces(),
      warnings: new Set(),
    });
  }
  reply.header('content-type', JSON_TYPE);
  return sendComputed(request, reply, {
    etag: answer.etag,
    size: answer.size,
    plain: async () => {
      if (answer.size <= AT_ONCE_BYTES) return gunzipAsync(answer.gzip);
      reply.header('content-length', answer.size);
      // Not one write of all bytes: what waits for a slow caller is the compressed answer that all callers share.
      return Readable.from([answer.gzip]).pipe(createGunzip());
    },
    gzip: async () => answer.gzip,
  });
}
