import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { Drain } from './drain.ts';

test('a connection ends with its answer, also when the request came before the server was told to stop', async () => {
  const drain = new Drain();
  const app = fastify();
  drain.listen(app);
  const waiting = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  app.get('/', () => 'at once');
  app.get('/poll', async () => {
    arrived.resolve();
    await waiting.promise;
    return 'later';
  });
  assert.notEqual((await app.inject('/')).headers.connection, 'close');
  // Light-my-request begins when somebody waits for it.
  const poll = app.inject('/poll').then((answer) => answer);
  await arrived.promise;
  drain.begin();
  waiting.resolve();
  assert.equal((await poll).headers.connection, 'close');
  assert.equal((await app.inject('/')).headers.connection, 'close');
  await app.close();
});
