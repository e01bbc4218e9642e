import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { Drain } from '../connections/drain.ts';
import type { ServiceContext } from '../context.ts';
import { serveReady } from './health.ts';

/** A server of whose parts these do not work, and what it answers to probes. */
async function ready(broken: readonly string[], query = '', parts = ['disk', 'cache']) {
  const fail = (part: string) => {
    if (broken.includes(part)) throw new Error(`no ${part}`);
  };
  const context = {
    drain: new Drain(),
    watch: { ready: !broken.includes('catalogue') },
    catalogue: { state: async () => fail('database') },
    objects: { probe: async () => fail('objects') },
    disks: {
      parts,
      look: async (part: string) => ({ state: broken.includes(part) ? 'is full' : 'ok', free: 1 }),
    },
  } as unknown as ServiceContext;
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) =>
    reply.code(400).send({ reason: (error as { reason?: string }).reason }),
  );
  app.get('/health/ready', serveReady(context));
  const { statusCode, headers, payload } = await app.inject(`/health/ready${query}`);
  await app.close();
  assert.equal(statusCode === 400 ? 'no-store' : headers['cache-control'], 'no-store');
  return { status: statusCode, ...JSON.parse(payload), later: headers['retry-after'] };
}

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

const WELL = { catalogue: 'ok', database: 'ok', objects: 'ok', disk: 'ok', cache: 'ok' };

test('a server is ready when all parts answer; without its cache it is slower, and ready', async () => {
  assert.deepEqual(await ready([]), { status: 'ok', checks: WELL, later: undefined });
  const { status, checks } = await ready(['cache']);
  assert.deepEqual([status, checks], ['ok', { ...WELL, cache: 'is full' }]);
  for (const [part, why] of [
    ['catalogue', 'not read yet'],
    ['database', 'does not answer'],
    ['objects', 'does not answer'],
    ['disk', 'is full'],
  ] as const) {
    assert.deepEqual(await ready([part]), {
      ...{ status: 503, error: 'unavailable', reason: `${part}: ${why}`, later: '5' },
      checks: { ...WELL, [part]: why },
    });
  }
  const { reason } = await ready(['disk', 'database', 'cache']);
  assert.equal(reason, 'database: does not answer; disk: is full');
});

test('the parts that a caller asks for count, as far as the server has them', async () => {
  for (const [broken, query, expected] of [
    [['database', 'objects'], '?for=catalogue', 'ok'],
    [['database'], '?for=catalogue,database', 503],
    [['cache'], '?for=cache', 503],
    [['catalogue'], '?for=disk,cache', 'ok'],
    [[], '?for=everything', 400],
    [[], '?for=disk,Disk', 400],
  ] as const) {
    const { status } = await ready(broken, query);
    assert.equal(status, expected, `${query} without ${broken.join()}`);
  }
  assert.equal((await ready([], '?for=cache', ['disk'])).status, 'ok');
});
