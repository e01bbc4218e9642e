/**
 * Every page on the web may use the service (Fetch Standard, section 3.2). All answers carry the same few headers, so
 * they are set here: the general plugin for it took 7 % of the answers per second of a `304`.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** On every answer, errors included. */
export const EVERY_ANSWER = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Content-Length, Content-Range, Accept-Ranges, Location, Retry-After, Warning, X-Request-Id, Link, ' +
    'Content-Crs',
  'x-content-type-options': 'nosniff',
} as const;

/** On the answer to a preflight. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-max-age': '86400',
} as const;

/** Where a preflight names no headers. `*` would not cover `authorization`. */
const USUAL_HEADERS = 'authorization, content-type, if-none-match, range, if-range';
/** Field names as a list (RFC 9110, section 5.6.2), of a length that no browser exceeds. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,2000}$/;

/** On answers to the operator, whose token is for his own page alone. */
const NO_ORIGIN = { 'x-content-type-options': 'nosniff' } as const;
const OPERATOR = /^\/admin(\/|$)/;
/** A path that begins with other characters than those of `OPERATOR`, none of them encoded (`%61`). */
const NOT_OPERATOR = /^\/[b-z]/;

/** Registers the headers. */
export function allowEveryOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(answerHeaders(request));
    done();
  });
}

/** The headers of every answer to a request. */
export function answerHeaders(request: FastifyRequest): Record<string, string> {
  return isOperators(request) ? NO_ORIGIN : EVERY_ANSWER;
}

/** By the route where there is one, which no way of writing the path hides. */
function isOperators(request: FastifyRequest): boolean {
  const { url } = request;
  // The framework makes the options of a route anew whenever it is asked: only of what may be the operator's.
  if (NOT_OPERATOR.test(url)) return false;
  return OPERATOR.test(request.routeOptions?.url ?? url.split('?', 1)[0]!);
}

/**
 * Answers OPTIONS with 204. A preflight is allowed the headers that it asks for: no answer depends on who the caller
 * is. `allow`: the methods of the path.
 */
export function answerOptions(request: FastifyRequest, reply: FastifyReply, allow: string): void {
  if (isOperators(request)) {
    reply.header('allow', allow).code(204).send();
    return;
  }
  const requestedHeaders = request.headers['access-control-request-headers'];
  const headers =
    requestedHeaders !== undefined && HEADER_NAMES.test(requestedHeaders) ? requestedHeaders : USUAL_HEADERS;
  reply
    .headers({
      ...PREFLIGHT,
      allow,
      'access-control-allow-headers': headers,
      vary: 'access-control-request-headers',
    })
    .code(204)
    .send();
}
