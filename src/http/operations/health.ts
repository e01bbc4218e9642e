/** What an operator's tools ask. */
import type { RouteHandlerMethod } from 'fastify';
import type { ServiceContext } from '../context.ts';
import { json, type Operation, TEXT } from '../describe/operation.ts';

export const getLive: Operation = {
  id: 'getLive',
  method: 'get',
  path: '/health/live',
  number: null,
  tag: 'Service',
  summary: 'Whether the process is running',
  description: 'The answer does not depend on the stores.',
  parameters: [],
  answers: { 200: json('The process is running.', 'Live') },
};

export const getReady: Operation = {
  id: 'getReady',
  method: 'get',
  path: '/health/ready',
  number: null,
  tag: 'Service',
  summary: 'Whether the server can answer requests',
  description: 'The server checks its catalogue, database and object store.',
  parameters: [],
  answers: {
    200: json('Catalogue, database and object store answer.', 'Ready'),
    503: json('One of them does not answer, or the server is stopping. `checks` says which.', 'NotReady', [
      'Retry-After',
    ]),
  },
};

export const getMetrics: Operation = {
  id: 'getMetrics',
  method: 'get',
  path: '/metrics',
  number: null,
  tag: 'Service',
  summary: 'Figures for Prometheus',
  description: 'Requests, durations, bytes, and the state of the catalogue.',
  parameters: [],
  answers: { 200: { description: 'The figures.', content: { 'text/plain': { schema: TEXT } } } },
};

/** Always the same. */
export function serveLive(version: string): RouteHandlerMethod {
  return (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok', version });
}

/** Whether catalogue, database and object store answer: `ok` for each, or why not. */
export async function checkHealth({
  watch,
  catalogue,
  objects,
}: Pick<ServiceContext, 'watch' | 'catalogue' | 'objects'>): Promise<Record<string, string>> {
  const checks: Record<string, string> = { catalogue: watch.ready ? 'ok' : 'not read yet' };
  const check = async (name: string, work: Promise<unknown>) => {
    checks[name] = await work.then(
      () => 'ok',
      () => 'does not answer',
    );
  };
  await Promise.all([check('database', catalogue.version()), check('objects', objects.probe())]);
  return checks;
}

/** 200 when there is a catalogue, and database and object store answer; else, and while the server stops, 503 saying why. */
export function serveReady(context: ServiceContext): RouteHandlerMethod {
  return async (_request, reply) => {
    if (context.drain.isDraining) {
      return reply
        .code(503)
        .headers({ 'cache-control': 'no-store', 'retry-after': 5 })
        .send({ error: 'unavailable', reason: 'the server is stopping', checks: { server: 'is stopping' } });
    }
    const checks = await checkHealth(context);
    const failed = Object.entries(checks).filter(([, state]) => state !== 'ok');
    reply.header('cache-control', 'no-store');
    if (failed.length === 0) return { status: 'ok', checks };
    return reply
      .code(503)
      .header('retry-after', 5)
      .send({
        error: 'unavailable',
        reason: failed.map(([name, state]) => `${name}: ${state}`).join('; '),
        checks,
      });
  };
}

/** The figures in the text format of Prometheus. */
export function serveMetrics({ metrics }: ServiceContext): RouteHandlerMethod {
  return async (_request, reply) => {
    const { type, text } = await metrics.exposed();
    return reply.header('cache-control', 'no-store').type(type).send(text);
  };
}
