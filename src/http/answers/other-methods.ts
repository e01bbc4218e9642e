import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ServiceError } from '../../base/errors.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Notes the methods of all routes that are registered from now on. The returned function registers the others, which
 * answer 405 with `Allow`: the path exists, so 404 would be wrong.
 */
export function noteMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    known.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...known]) {
      const others = METHODS.filter((method) => !methods.has(method));
      if (methods.has('OPTIONS') || others.length === 0) continue;
      const allow = [...methods, 'OPTIONS'].join(', ');
      // Before the body is read: what kind it is does not matter.
      const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
        reply.header('allow', allow);
        throw new ServiceError(405, 'method not allowed', {
          reason: `${request.method} is not accepted here; accepted are ${allow}.`,
        });
      };
      app.route({ method: others, url, onRequest: refuse, handler: refuse });
    }
  };
}
