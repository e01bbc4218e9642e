/** Operations 11, 12 and 13: attributes and gml:ids of features. */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { FeatureAnswer } from '../../features/answer.ts';
import type { Query } from '../../features/feature-query.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendPieces } from '../answers/send-pieces.ts';
import type { ServiceContext } from '../context.ts';

/** Operation 11, `GET /citygml/attributes?url=&id=&skip_code_list_fetch=&format=&fields=&type=`. */
export function serveAttributes({ features }: ServiceContext): RouteHandlerMethod {
  return answering(async (query, signal) => (await features()).attributes(query, signal));
}

/** Operation 12, `GET /citygml/features?sid=&bbox=&polygon=&url=&type=&format=&fields=`. */
export function serveFeatures({ features }: ServiceContext): RouteHandlerMethod {
  return answering(async (query, signal) => (await features()).features(query, signal));
}

/** Operation 13, `GET /citygml/spatialid_attributes?sid=&bbox=&polygon=&type=&skip_code_list_fetch=&format=&fields=`. */
export function serveSpatialIdAttributes({ features }: ServiceContext): RouteHandlerMethod {
  return answering(async (query, signal) => (await features()).spatialIdAttributes(query, signal));
}

function answering(
  ask: (query: Query, signal: AbortSignal) => Promise<FeatureAnswer>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    const answer = await ask(request.query as Query, goneSignal(reply));
    request.cost = answer.cost;
    return sendPieces(request, reply, answer);
  };
}
