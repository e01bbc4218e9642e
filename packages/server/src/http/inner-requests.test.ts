import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import test from 'node:test';
import Fastify from 'fastify';
import { innerRequests } from './inner-requests.ts';

const app = Fastify();
let sent = 0;
app.get('/base/list', (_request, reply) => {
  const pieces = (function* () {
    yield '[{"id":0}';
    for (let id = 1; id < 100_000; id++) {
      sent++;
      yield `,{"id":${id}}`;
    }
    yield ']';
  })();
  return reply.send(Readable.from(pieces, { objectMode: false }));
});
app.get('/base/address', async (request) => ({ address: request.ip }));
const ask = innerRequests(app, '/base');

test('an inner request comes from the address of who asked', async () => {
  assert.deepEqual((await ask('/address', { address: '203.0.113.7' })).json, { address: '203.0.113.7' });
  assert.deepEqual((await ask('/address')).json, { address: '127.0.0.1' });
});

test('an answer above the limit is too large, and no longer made', async () => {
  sent = 0;
  assert.equal((await ask('/list', { maxBytes: 1_000 })).status, 413);
  assert.ok(sent < 50_000, `${sent} sent`);
});

test('of a list above the limit the first entries are given where they are enough', async () => {
  const { status, json, isCut } = await ask('/list', { maxBytes: 1_000, entriesAt: 1 });
  assert.equal(status, 200);
  assert.equal(isCut, true);
  const ids = (json as Array<{ id: number }>).map(({ id }) => id);
  assert.ok(ids.length > 80 && ids.length < 110);
  assert.deepEqual(ids, [...ids.keys()]);
});
