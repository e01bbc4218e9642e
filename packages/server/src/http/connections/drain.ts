import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the connection is to end with this answer; undefined where nothing drains. */
    readonly endsConnection?: boolean;
  }
}

/**
 * The time between being told to stop and stopping. A load balancer sees at `/health/ready` that this server is
 * to be left alone; until it does, requests are answered as always, and connections are closed after their answer.
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
    const close = (reply: FastifyReply) => {
      if (this.#isDraining) reply.header('connection', 'close');
    };
    app.decorateReply('endsConnection', { getter: () => this.#isDraining });
    app.addHook('onRequest', (_request, reply, done) => {
      close(reply);
      done();
    });
    // A caller that has waited for its answer since before.
    app.addHook('onSend', (_request, reply, _payload, done) => {
      close(reply);
      done();
    });
  }
}
