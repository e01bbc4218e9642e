import type { FastifyReply, FastifyRequest } from 'fastify';

/** Aborted when the caller closes the connection before its answer is complete. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('the caller went away'));
  };
  reply.raw.once('close', abort);
  // Of several requests of one connection, only the first unanswered one has an answer that can be closed.
  reply.request.raw.once('aborted', abort);
  return controller.signal;
}

/** Whether nobody is left to read the answer. */
export function isGone(request: FastifyRequest): boolean {
  return request.raw.destroyed && request.raw.socket.destroyed;
}
