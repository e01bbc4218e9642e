/** What an operator's tools ask. */
import type { RouteHandlerMethod } from 'fastify';
import type { ServiceContext } from '../context.ts';

/** `GET /health/live`: the process answers. */
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

/** `GET /health/ready`: there is a catalogue, and database and object store answer; else 503 saying which does not. */
export function serveReady(context: ServiceContext): RouteHandlerMethod {
  return async (_request, reply) => {
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

/** `GET /metrics` in the text format of Prometheus. */
export function serveMetrics({ metrics }: ServiceContext): RouteHandlerMethod {
  return async (_request, reply) => {
    const { type, text } = await metrics.exposed();
    return reply.header('cache-control', 'no-store').type(type).send(text);
  };
}
