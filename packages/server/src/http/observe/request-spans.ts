import type { TracedWork, Tracer } from '@citymodel/base';
import type { FastifyInstance } from 'fastify';
import { loggedUrl } from './logged-url.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request; absent where spans are not wanted, null once it has ended. */
    span?: TracedWork | null;
  }
}

/** Makes a span of each request, which goes on with the trace of its caller (`traceparent`). */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, url, id } = request;
    const route = request.routeOptions.url ?? 'unknown';
    request.span = tracer.begin(`${method} ${route}`, {
      kind: 'server',
      headers,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'url.path': loggedUrl(url).split('?', 1)[0]!,
        'citymodel.request.id': id,
      },
    });
    done();
  });
  // Once the body is read: the events of its reading are not of the request's own context.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.span == null) done();
    else request.span.within(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode;
    request.span?.end({ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined);
    request.span = null;
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    request.span?.end({}, 'caller went away');
    request.span = null;
    done();
  });
}
