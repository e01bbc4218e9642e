import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import Fastify from 'fastify';
import { BodyBudget, limitBodies } from './body-limits.ts';

test('a budget takes what fits and nothing of what does not', () => {
  const budget = new BodyBudget(10);
  assert.equal(budget.take(6, 'a', true), true);
  assert.equal(budget.take(5, 'a', true), false);
  assert.equal(budget.bytes, 6);
  assert.equal(budget.take(4, 'a', true), true);
  budget.giveBack(6, 'a');
  assert.equal(budget.bytes, 4);
});

test('a network has its share, and large bodies leave an eighth to small ones', () => {
  const budget = new BodyBudget(80, 30);
  assert.equal(budget.take(30, 'a', false), true);
  assert.equal(budget.take(1, 'a', true), false, 'a has its share');
  assert.equal(budget.take(30, 'b', false), true);
  assert.equal(budget.take(11, 'c', false), false, 'the last tenth is for small bodies');
  assert.equal(budget.take(10, 'c', false), true);
  assert.equal(budget.take(10, 'c', true), true);
  assert.equal(budget.take(1, 'd', true), false);
  for (const [network, bytes] of [
    ['a', 30],
    ['b', 30],
    ['c', 20],
  ] as const)
    budget.giveBack(bytes, network);
  assert.equal(budget.bytes, 0);
  assert.equal(budget.take(30, 'a', false), true);
});

test('bodies beyond the memory of all get 503, encoded ones 415, and what was taken is given back', async () => {
  const app = Fastify();
  limitBodies(app, { maxBytesInFlight: 1_000, maxBytesPerNetwork: 1_000, maxBytesDropped: 10_000 });
  app.setErrorHandler((error: Error & { status?: number }, _request, reply) =>
    reply.code(error.status ?? 500).send({ reason: error.message }),
  );
  app.post('/', async (request) => ({ length: JSON.stringify(request.body).length }));
  const post = (length: number, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/json', ...headers },
      payload: `"${'x'.repeat(length - 2)}"`,
    });
  // One after the other: each finds the whole budget.
  for (let i = 0; i < 3; i++) assert.equal((await post(900)).json().length, 900);
  assert.equal((await post(1_001)).statusCode, 503);
  assert.equal((await post(1_000)).statusCode, 200);
  assert.equal((await post(10, { 'content-encoding': 'gzip' })).statusCode, 415);
  assert.equal((await post(10, { 'content-encoding': 'Identity' })).statusCode, 200);
  await app.close();
});

test('a body is small up to 64 KiB as announced, and only then may take the last eighth', async () => {
  const app = Fastify();
  limitBodies(app, { maxBytesInFlight: 74_000, maxBytesPerNetwork: 74_000, maxBytesDropped: 100_000 });
  app.setErrorHandler((error: Error & { status?: number }, _request, reply) =>
    reply.code(error.status ?? 500).send({ reason: error.message }),
  );
  app.post('/', async () => ({}));
  const post = async (length: number) => {
    const payload = `"${'x'.repeat(length - 2)}"`;
    const headers = { 'content-type': 'application/json' };
    return (await app.inject({ method: 'POST', url: '/', headers, payload })).statusCode;
  };
  assert.deepEqual([await post(65_536), await post(65_537), await post(64_750)], [200, 503, 200]);
  await app.close();
});

test('what goes to the disk as it comes takes no memory, and a body may come without a length', async () => {
  const app = Fastify();
  const limits = { maxBytesInFlight: 800, maxBytesPerNetwork: 800, maxBytesDropped: 10_000 };
  limitBodies(app, limits);
  app.setErrorHandler((error: Error & { status?: number }, _request, reply) =>
    reply.code(error.status ?? 500).send(),
  );
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.post('/kept', async (request) => String(request.body).length);
  app.post('/streamed', { config: { isStreamed: true } }, async (request) => String(request.body).length);
  const post = async (url: string, length: number, headers: Record<string, string> = {}) => {
    const payload = Readable.from(['x'.repeat(length)]);
    const type = { 'content-type': 'text/plain' };
    const answer = await app.inject({ method: 'POST', url, headers: { ...type, ...headers }, payload });
    return answer.statusCode === 200 ? Number(answer.payload) : answer.statusCode;
  };
  const chunked = { 'transfer-encoding': 'chunked' };
  assert.equal(await post('/streamed', 900, chunked), 900);
  assert.equal(await post('/kept', 700, chunked), 700);
  // Seven eighths are for bodies of any size, which those without a length may have.
  assert.equal(await post('/kept', 701, chunked), 503);
  assert.equal(await post('/kept', 800, { 'content-length': '800' }), 800);
  assert.equal(await post('/kept', 801, { 'content-length': '801' }), 503);
  const announced = async (length: number) => {
    const own = Fastify();
    limitBodies(own, { maxBytesInFlight: 80_000, maxBytesPerNetwork: 80_000, maxBytesDropped: 0 });
    own.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    own.post('/', async () => 'read');
    const answer = await own.inject({
      ...{ method: 'POST', url: '/', payload: 'x'.repeat(length) },
      headers: { 'content-type': 'text/plain' },
    });
    await own.close();
    return answer.statusCode;
  };
  // Up to 64 KiB a body is small.
  assert.equal(await announced(65_536), 200);
  const empty = await app.inject({
    ...{ method: 'POST', url: '/kept', headers: { 'content-length': '0', 'content-encoding': 'gzip' } },
  });
  assert.notEqual(empty.statusCode, 415);
  const coded = { 'content-encoding': 'br', 'transfer-encoding': 'chunked' };
  assert.equal(await post('/kept', 10, coded), 415);
  await app.close();
});

test('one address that holds its bodies back does not refuse those of others', async (t) => {
  const app = Fastify({ trustProxy: true });
  limitBodies(app, { maxBytesInFlight: 4_000, maxBytesPerNetwork: 1_000, maxBytesDropped: 10_000 });
  app.setErrorHandler((error: Error & { status?: number }, _request, reply) =>
    reply.code(error.status ?? 500).send(),
  );
  app.post('/', async () => 'read');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const held = connect(port, '127.0.0.1');
  t.after(async () => {
    held.destroy();
    await app.close();
  });
  held.write(
    `POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.1\r\nContent-Type: ` +
      `application/json\r\nContent-Length: 1000\r\n\r\n${' '.repeat(990)}`,
  );
  const post = async (address: string) =>
    (
      await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: `"${'x'.repeat(98)}"`,
      })
    ).status;
  // Until the held bytes have been counted.
  while ((await post('203.0.113.1')) === 200);
  assert.equal(await post('203.0.113.1'), 503);
  assert.equal(await post('203.0.113.2'), 200);
});
