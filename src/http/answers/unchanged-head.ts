import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * The framework gives the answer to HEAD the length of the body that it was sent with, which a `304` does not have. A length
 * of 0 there would say that the file is empty now, and caches would throw theirs away (RFC 9110, section 8.6; RFC 9111,
 * section 4.3.5). For routes that are registered from now on.
 */
export function leaveOutLengthOfUnchanged(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') return;
    // Behind the framework's own hook, which sets the length.
    route.onSend = [route.onSend ?? [], dropLength].flat();
  });
}

async function dropLength(_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode === 304) reply.removeHeader('content-length');
  return payload;
}
