/** One structured line per answered request, with what it cost, and the same figures for Prometheus. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { loggedUrl } from './logged-url.ts';
import type { Metrics } from './metrics.ts';
import { traceOf } from './request-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the handler counted, e.g. `{files: 12, cached: true}`; logged with the request. */
    cost: Record<string, number | boolean | string> | null;
  }
}

/** What an answered request was. */
export interface Answered {
  method: string;
  /** Path and query as asked for. */
  url: string;
  /** Path of the route, or `unknown`. */
  route: string;
  status: number;
  /** Of the request, in the log and in the answer. */
  id: string;
  /** Of the trace that the caller follows; null where it gave none. */
  trace: string | null;
  /** From the request to the end of its answer. */
  ms: number;
  /** Bytes of the body as announced; 0 where none was. */
  bytes: number;
  cost: Record<string, number | boolean | string> | null;
}

/** Counts and logs answers. Query strings are logged; headers, bodies and addresses are not. */
export class RequestLog {
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor(log: Logger, metrics: Metrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  note(answered: Answered): void {
    this.#metrics.answered(answered);
    const { id, trace, method, url, status, ms, bytes, cost } = answered;
    const rounded = Math.round(ms * 100) / 100;
    const line = { id, method, url: loggedUrl(url), status, ms: rounded, bytes };
    this.#log.info(
      trace === null && cost === null ? line : { ...line, trace: trace ?? undefined, ...cost },
      'request',
    );
  }

  /** Registers the hooks that note every answer of the app. */
  listen(app: FastifyInstance): void {
    app.decorateRequest('cost', null);
    app.addHook('onResponse', (request, reply, done) => {
      this.note({
        id: request.id,
        trace: request.span?.traceId ?? traceOf(request.headers),
        method: request.method,
        url: request.url,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: reply.elapsedTime,
        bytes: Number(reply.getHeader('content-length') ?? 0),
        cost: request.cost,
      });
      done();
    });
    app.addHook('onRequestAbort', (request, done) => {
      this.#log.info(
        { id: request.id, method: request.method, url: loggedUrl(request.url) },
        'caller went away',
      );
      done();
    });
  }
}
