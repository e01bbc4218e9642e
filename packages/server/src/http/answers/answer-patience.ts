import { withPatience } from '@citymodel/base';
import type { FastifyInstance } from 'fastify';

/** Gives every request a time that its answer may wait for stores in vain; it begins once the body is read. */
export function limitWaiting(app: FastifyInstance): void {
  app.addHook('preHandler', (_request, _reply, done) => withPatience(done));
}
