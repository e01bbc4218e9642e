/** Operation 9: how far a pack is. */
import type { RouteHandlerMethod } from 'fastify';
import { PACK_ID } from '../../pack/pack-id.ts';
import { keyProgram } from '../answers/cache-keys.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { ASKED_AGAIN, sendJson } from '../answers/send.ts';
import type { LongPolls } from '../connections/long-polls.ts';
import type { ServiceContext } from '../context.ts';
import { NOT_MODIFIED, STORE_FAILURES } from '../describe/common.ts';
import { failure, json, type Operation, path } from '../describe/operation.ts';
import { decimal, readQuery } from '../describe/query-parameters.ts';

/** Longest time that one request waits, s. */
const LONGEST_S = 60;

const PARAMETERS = {
  wait: decimal('wait', `Seconds to wait for a change of the state; the server waits ${LONGEST_S} at most.`, {
    least: 0,
    most: 86_400,
    unit: 'seconds',
  }),
};

export const getPackStatus: Operation = {
  id: 'getPackStatus',
  method: 'get',
  path: '/citygml/pack/{id}/status',
  number: 9,
  tag: 'Packs',
  summary: 'How far a pack is',
  description: 'The states are `accepted`, `processing`, and then `succeeded` or `failed`.',
  parameters: [path('id', 'The pack id.', ({ pack }) => pack, PACK_ID), ...Object.values(PARAMETERS)],
  answers: {
    200: json('The state.', 'PackStatus', ['ETag']),
    304: NOT_MODIFIED,
    400: failure('`wait` is not a number of seconds.'),
    404: failure('There is no such pack. It may have expired.'),
    ...STORE_FAILURES,
  },
};

/**
 * With `wait`, answers when the state changes or after so many seconds. At once where
 * too many wait, or when another request arrives on the same connection.
 */
export function servePackStatus(
  { packs, settings }: ServiceContext,
  longPolls: LongPolls,
): RouteHandlerMethod {
  // Well before the connection, over which no byte goes meanwhile, is closed as idle.
  const longest = Math.min(LONGEST_S, settings.IDLE_TIMEOUT_S / 2);
  return async (request, reply) => {
    const { id } = request.params as { id: string };
    const { wait = 0 } = readQuery(PARAMETERS, request.query);
    const clientGone = goneSignal(reply);
    using poll = wait > 0 ? longPolls.begin(request) : null;
    const status =
      poll === null
        ? await packs.status(id, 0, clientGone)
        : await packs.status(id, Math.min(wait, longest) * 1_000, AbortSignal.any([clientGone, poll.signal]));
    keyProgram(reply);
    return sendJson(request, reply.header('cache-control', ASKED_AGAIN), status);
  };
}
