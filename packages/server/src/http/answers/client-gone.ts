import type { Caller } from '@citymodel/base';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Calls `leave` once or twice when the caller closes the connection before its answer is complete. */
function whenGone(reply: FastifyReply, leave: () => void): void {
  const { raw } = reply;
  const leaveUnanswered = () => {
    if (!raw.writableFinished) leave();
  };
  raw.on('close', leaveUnanswered);
  // Of several requests of one connection, only the first unanswered one has an answer that can be closed.
  reply.request.raw.on('aborted', leaveUnanswered);
}

/** Aborted when the caller closes the connection before its answer is complete. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenGone(reply, () => controller.abort(goneAway()));
  return controller.signal;
}

/** The same for work that only asks now and then whether somebody waits for it: far cheaper than a signal. */
export function callerOf(reply: FastifyReply): Caller {
  let isGone = false;
  whenGone(reply, () => {
    isGone = true;
  });
  return {
    throwIfAborted() {
      if (isGone) throw goneAway();
    },
  };
}

function goneAway(): Error {
  return new Error('the caller went away');
}

/** Whether nobody is left to read the answer. */
export function isGone(request: FastifyRequest): boolean {
  return request.raw.destroyed && request.raw.socket.destroyed;
}
