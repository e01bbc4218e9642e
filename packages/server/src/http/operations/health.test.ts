import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { Drain } from '../connections/drain.ts';
import type { ServiceContext } from '../context.ts';
import { serveReady } from './health.ts';

test('a server that stops says so to probes, and when to come again', async () => {
  const drain = new Drain();
  drain.begin();
  const app = Fastify();
  app.get('/health/ready', serveReady({ drain } as unknown as ServiceContext));
  const { statusCode, headers, payload } = await app.inject('/health/ready');
  await app.close();
  assert.equal(statusCode, 503);
  assert.equal(headers['retry-after'], '5');
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual(JSON.parse(payload), {
    error: 'unavailable',
    reason: 'the server is stopping',
    checks: { server: 'is stopping' },
  });
});
