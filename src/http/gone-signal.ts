import type { FastifyRequest } from 'fastify';

/** Aborted when the caller closes the connection before its answer is complete. */
export function goneSignal(request: FastifyRequest): AbortSignal {
  const controller = new AbortController();
  request.raw.socket.once('close', () => controller.abort(new Error('the caller went away')));
  return controller.signal;
}
