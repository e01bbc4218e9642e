import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { answerOptions } from './every-origin.ts';

/**
 * Notes the methods of all routes that are registered from now on. The returned function registers the others: OPTIONS,
 * and those that the path does not have, which answer 405 with `Allow` (RFC 9110, section 15.5.6).
 */
export function noteMethods(app: FastifyInstance): () => void {
  // CONNECT never gets here: Node.js has an event of its own for it.
  const all = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of all) {
    if (!app.supportedMethods.includes(method as HTTPMethods)) app.addHttpMethod(method, { hasBody: true });
  }
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByUrl.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...methodsByUrl]) {
      const allow = [...methods, 'OPTIONS'].join(', ');
      const others = all.filter((method) => !methods.has(method) && method !== 'OPTIONS');
      // Before the body is read: what kind it is does not matter.
      const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
        reply.header('allow', allow);
        throw new ServiceError(405, 'method not allowed', {
          reason: `${request.method} is not accepted here; accepted are ${allow}.`,
        });
      };
      app.route({ method: others as HTTPMethods[], url, onRequest: refuse, handler: refuse });
      const options = async (request: FastifyRequest, reply: FastifyReply) => {
        answerOptions(request, reply, allow);
        return reply;
      };
      app.route({ method: 'OPTIONS', url, onRequest: options, handler: options });
    }
  };
}
