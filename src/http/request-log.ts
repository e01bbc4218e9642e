/** One structured line per answered request, with what it cost, and the same figures for Prometheus. */
import type { FastifyInstance } from 'fastify';
import type { Counter, Histogram } from 'prom-client';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the handler counted, e.g. `{files: 12, cached: true}`; logged with the request. */
    cost: Record<string, number | boolean | string> | null;
  }
}

/** The figures of one route, method and status, found once. */
interface Series {
  requests: Counter.Internal;
  duration: Histogram.Internal<'route'>;
  bytes: Counter.Internal;
}

/** Registers the hook that counts and logs. Query strings are logged; headers, bodies and addresses are not. */
export function logRequests(app: FastifyInstance, metrics: Metrics): void {
  app.decorateRequest('cost', null);
  const known = new Map<string, Series>();
  const seriesOf = (method: string, route: string, status: number): Series => {
    const key = `${status}${method}${route}`;
    let series = known.get(key);
    if (series === undefined) {
      series = {
        requests: metrics.requests.labels({ route, method, status }),
        duration: metrics.duration.labels({ route }),
        bytes: metrics.responseBytes.labels({ route }),
      };
      known.set(key, series);
    }
    return series;
  };
  app.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime;
    const length = Number(reply.getHeader('content-length') ?? 0);
    const series = seriesOf(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode);
    series.requests.inc();
    series.duration.observe(ms / 1_000);
    if (length > 0) series.bytes.inc(length);
    const line = {
      method: request.method,
      url: request.url.length > 1_000 ? `${request.url.slice(0, 1_000)}…` : request.url,
      status: reply.statusCode,
      ms: Math.round(ms * 100) / 100,
      bytes: length,
    };
    app.log.info(request.cost === null ? line : { ...line, ...request.cost }, 'request');
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    request.log.info({ method: request.method, url: request.url.slice(0, 1_000) }, 'caller went away');
    done();
  });
}
