import assert from 'node:assert/strict';
import test from 'node:test';
import Fastify from 'fastify';
import { allowEveryOrigin } from '../answers/every-origin.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { registerPackPost } from './packs.ts';

const app = Fastify({ bodyLimit: 10e6 });
allowEveryOrigin(app);
handleFailures(app, () => {});
const nothing = async () => assert.fail('was looked up');
await registerPackPost(app, {
  settings: { MAX_BODY_BYTES: 10e6, PACK_MAX_URLS: 10_000, PACK_RATE: 0, MAX_BOUNDS: 100 },
  packs: { accept: nothing, acceptConditions: nothing },
} as unknown as ServiceContext);

async function refusal(body: object) {
  const answer = await app.inject({ method: 'POST', url: '/citygml/pack', payload: JSON.stringify(body) });
  assert.ok(answer.payload.length < 1_000);
  return { status: answer.statusCode, ...(answer.json() as { error: string; reason: string; url?: string }) };
}

test('a URL and conditions that are too long are refused before they are read', async () => {
  const url = `http://a/${'%E6'.repeat(100_000)}`;
  const long = await refusal({ urls: ['http://a/b', url] });
  assert.deepEqual([long.status, long.error, long.url], [400, 'invalid url', url.slice(0, 200)]);
  assert.match(long.reason, /300009 characters; at most 4000/);
  const conditions = await refusal({ conditions: `m:${'53394509,'.repeat(100_000)}` });
  assert.deepEqual([conditions.status, conditions.error], [400, 'invalid conditions']);
});

test('a body has room for as many URLs as a pack may have, and no more', async () => {
  const { status, error } = await refusal({ urls: [`http://a/${'x'.repeat(4e6)}`] });
  assert.deepEqual([status, error], [413, 'request too large']);
  const most = Array.from({ length: 10_000 }, (_, i) => `http://a/${i}`.padEnd(280, 'x'));
  const answer = await app.inject({
    method: 'POST',
    url: '/citygml/pack',
    payload: JSON.stringify({ urls: most }),
  });
  assert.equal(answer.statusCode, 500, 'it was looked up');
});
