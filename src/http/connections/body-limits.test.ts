import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { BodyBudget, limitBodies } from './body-limits.ts';

test('a budget takes what fits and nothing of what does not', () => {
  const budget = new BodyBudget(10);
  assert.equal(budget.take(6), true);
  assert.equal(budget.take(5), false);
  assert.equal(budget.bytes, 6);
  assert.equal(budget.take(4), true);
  budget.giveBack(6);
  assert.equal(budget.bytes, 4);
});

test('bodies beyond the memory of all get 503, encoded ones 415, and what was taken is given back', async () => {
  const app = Fastify();
  limitBodies(app, { maxBytesInFlight: 1_000, maxBytesDropped: 10_000 });
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
