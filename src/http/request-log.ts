/** One structured line per answered request, with what it cost, and the same figures for Prometheus. */
import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the handler counted, e.g. `{files: 12, cached: true}`; logged with the request. */
    cost: Record<string, number | boolean | string> | null;
  }
}

/** Registers the hook that counts and logs. Query strings are logged; headers, bodies and addresses are not. */
export function logRequests(app: FastifyInstance, metrics: Metrics): void {
  app.decorateRequest('cost', null);
  app.addHook('onResponse', (request, reply, done) => {
    const seconds = reply.elapsedTime / 1000;
    const route = request.routeOptions.url ?? 'unknown';
    const length = Number(reply.getHeader('content-length') ?? 0);
    metrics.requests.inc({ route, method: request.method, status: reply.statusCode });
    metrics.duration.observe({ route }, seconds);
    if (length > 0) metrics.responseBytes.inc({ route }, length);
    request.log.info(
      {
        method: request.method,
        url: request.url.length > 1_000 ? `${request.url.slice(0, 1_000)}…` : request.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        bytes: length,
        ...request.cost,
      },
      'request',
    );
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    request.log.info({ method: request.method, url: request.url.slice(0, 1_000) }, 'caller went away');
    done();
  });
}
