/**
 * Lets requests that arrive together begin one after the other once they have worked for long, so that short ones go
 * between.
 */

import { Turns } from '@citymodel/base';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isGone } from '../answers/client-gone.ts';

/** Routes that tell whether the server lives never wait. */
const HEALTH = /^\/health\//;

/**
 * Registers the hook. Twenty requests that each work for 50 ms before they first let go may arrive in one round of the
 * event loop. They would work for a second at a stretch.
 */
export function takeTurns(app: FastifyInstance): void {
  const turns = new Turns();
  app.addHook('preHandler', (request, _reply, done) => {
    // What requests before this one have worked in the round counts, too.
    turns.arrive();
    if (!turns.isRoundFull || isHealth(request)) {
      done();
      return;
    }
    turns.wait().then(() => done(isGone(request) ? new Error('the caller went away') : undefined));
  });
}

function isHealth({ routeOptions }: FastifyRequest): boolean {
  return HEALTH.test(routeOptions.url ?? '');
}
