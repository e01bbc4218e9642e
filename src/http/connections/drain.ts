import type { FastifyInstance } from 'fastify';

/**
 * The time between being told to stop and stopping. Whoever balances load sees at `/health/ready` that this server is to be left
 * alone; until it does, requests are answered as always, and connections are closed after their answer.
 *
 *   serving ──begin──▶ draining ──(DRAIN_S)──▶ no new connections ──(running requests end, SHUTDOWN_GRACE_S)──▶ stopped
 */
export class Drain {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  begin(): void {
    this.#isDraining = true;
  }

  listen(app: FastifyInstance): void {
    app.addHook('onRequest', (_request, reply, done) => {
      if (this.#isDraining) reply.header('connection', 'close');
      done();
    });
  }
}
