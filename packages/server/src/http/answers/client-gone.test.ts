import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { callerOf, goneSignal } from './client-gone.ts';

test('who went away is noticed by signals and by those who ask; who has the answer did not go', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  const events = new EventEmitter();
  app.get('/', async (request, reply) => {
    const [caller, signal] = [callerOf(reply), goneSignal(reply)];
    caller.throwIfAborted();
    reply.raw.once('close', () => events.emit('closed', caller, signal));
    if (request.query !== null && 'waits' in (request.query as object)) await once(reply.raw, 'close');
    return 'answer';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;

  const answered = once(events, 'closed');
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'answer');
  const [caller, signal] = await answered;
  caller.throwIfAborted();
  assert.equal(signal.aborted, false);

  const left = once(events, 'closed');
  const socket = connect(port, '127.0.0.1');
  const arrived = once(app.server, 'request');
  socket.write('GET /?waits HTTP/1.1\r\nHost: a\r\n\r\n');
  await arrived;
  socket.destroy();
  const [lost, aborted] = await left;
  assert.throws(() => lost.throwIfAborted(), /the caller went away/);
  assert.equal(aborted.aborted, true);
});
