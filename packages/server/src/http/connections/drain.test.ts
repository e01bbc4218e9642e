import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import fastify from 'fastify';
import { sendBytes } from '../answers/send.ts';
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

test('a large download that is written past the framework ends its connection, too', async () => {
  const drain = new Drain();
  const app = fastify();
  drain.listen(app);
  const size = 300_000;
  app.get('/large', (request, reply) =>
    sendBytes(request, reply, {
      size,
      etag: '"a"',
      contentType: 'application/zip',
      lastModified: new Date(0),
      cacheControl: 'no-cache',
      isReused: true,
      async *range() {
        // After the request has come, before its head is written.
        drain.begin();
        yield Buffer.alloc(size);
      },
    }),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/large`);
  assert.equal(answer.headers.get('connection'), 'close');
  assert.equal((await answer.arrayBuffer()).byteLength, size);
  await app.close();
});
