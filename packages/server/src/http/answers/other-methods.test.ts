import assert from 'node:assert/strict';
import test from 'node:test';
import { fastify } from 'fastify';
import { noteMethods } from './other-methods.ts';

test('methods that a path does not have answer 405 with those that it has, and OPTIONS names them', async (t) => {
  const app = fastify({ exposeHeadRoutes: false });
  t.after(() => app.close());
  const addOthers = noteMethods(app);
  app.get('/a', async () => 'answer');
  app.post('/b', async () => 'taken');
  addOthers();
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'OPTIONS', url: string) => {
    const { statusCode, headers } = await app.inject({ method, url });
    return [statusCode, headers.allow];
  };
  assert.deepEqual(await ask('GET', '/a'), [200, undefined]);
  assert.deepEqual(await ask('POST', '/b'), [200, undefined]);
  assert.deepEqual((await ask('POST', '/a'))[1], 'GET, OPTIONS');
  assert.deepEqual((await ask('PUT', '/b'))[1], 'POST, OPTIONS');
  assert.deepEqual((await ask('OPTIONS', '/a'))[1], 'GET, OPTIONS');
});
