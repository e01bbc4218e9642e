/** What an operator's tools ask. */

import { quoted } from '@citymodel/base';
import type { RouteHandlerMethod } from 'fastify';
import type { ServiceContext } from '../context.ts';
import { failure, json, type Operation, TEXT } from '../describe/operation.ts';
import { list, readQuery, refuse } from '../describe/query-parameters.ts';
import { checkDisks, checkStores } from '../observe/store-checks.ts';

/** What is looked at; a server without the others still answers what its catalogue has in memory. */
export const PARTS = ['catalogue', 'database', 'objects', 'disk', 'cache'];
/** What counts where nobody asks for parts: without its cache a server is slower, and answers everything. */
const NEEDED = PARTS.filter((part) => part !== 'cache');

const FOR = list(
  'for',
  'Parts that matter to the caller; all but `cache` where there is none. With `catalogue` alone, a server stays ' +
    'ready for what it answers from memory.',
  { type: 'string', enum: PARTS },
  { example: () => ['catalogue'] },
);

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
  description:
    'The server checks its catalogue, database, object store, and whether there is room on its disks, each for 2 s ' +
    'at most. `checks` has the state of each; `cache` is the directory for blocks of a bucket.',
  parameters: [FOR],
  answers: {
    200: json('All parts that are asked for answer.', 'Ready'),
    400: failure('`for` names a part that there is not.'),
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

/** Whether catalogue, database, object store and disks answer within 2 s: `ok` for each, or why not. */
export async function checkHealth(
  context: Pick<ServiceContext, 'watch' | 'catalogue' | 'objects' | 'disks'>,
): Promise<Record<string, string>> {
  const [stores, disks] = await Promise.all([checkStores(context), checkDisks(context.disks)]);
  return { catalogue: context.watch.ready ? 'ok' : 'not read yet', ...stores, ...disks };
}

/** 200 when all parts that are asked for answer; else, and while the server stops, 503 saying why. */
export function serveReady(context: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const asked = readQuery({ parts: FOR }, request.query).parts;
    const unknown = asked.find((part) => !PARTS.includes(part));
    if (unknown !== undefined) refuse(`for may be ${PARTS.join(', ')}, but is ${quoted(unknown)}.`);
    if (context.drain.isDraining) {
      return reply
        .code(503)
        .headers({ 'cache-control': 'no-store', 'retry-after': 5 })
        .send({ error: 'unavailable', reason: 'the server is stopping', checks: { server: 'is stopping' } });
    }
    const checks = await checkHealth(context);
    // A server that has no such part does not fail by it.
    const failed = (asked.length === 0 ? NEEDED : PARTS.filter((part) => asked.includes(part))).filter(
      (part) => (checks[part] ?? 'ok') !== 'ok',
    );
    reply.header('cache-control', 'no-store');
    if (failed.length === 0) return { status: 'ok', checks };
    return reply
      .code(503)
      .header('retry-after', 5)
      .send({
        error: 'unavailable',
        reason: failed.map((part) => `${part}: ${checks[part]}`).join('; '),
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
