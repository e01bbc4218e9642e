/** Names of requests, by which a caller's answer is found in the log. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** What a proxy may name a request; anything else gets a name of our own. */
const GIVEN_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** Version, trace, parent, flags (https://www.w3.org/TR/trace-context/, section 3.2). */
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;
const NO_TRACE = '0'.repeat(32);

/** The name that the request came with (`X-Request-Id`), or a new one. */
export function requestId({ headers }: { headers: IncomingHttpHeaders }): string {
  const header = headers['x-request-id'];
  return typeof header === 'string' && GIVEN_ID.test(header) ? header : randomUUID();
}

/** The trace that the request belongs to (`traceparent`), 32 hexadecimal digits; null where it names none. */
export function traceOf(headers: IncomingHttpHeaders): string | null {
  const header = headers.traceparent;
  if (typeof header !== 'string' || header.startsWith('ff')) return null;
  const trace = TRACE_PARENT.exec(header)?.[1];
  return trace === undefined || trace === NO_TRACE ? null : trace;
}

/** Tells each caller the name of its request, in the header `X-Request-Id`. */
export function tellRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}
