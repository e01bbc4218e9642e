import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Fastify from 'fastify';
import { allowEveryOrigin } from '../answers/every-origin.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { injectService, MEMBER } from '../testing/inject-service.ts';
import { Rounds } from '../testing/rounds.ts';
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

/** Posts a body as it is; what was asked of the packs, or the refusal. */
async function post(payload: string, rate = 0) {
  const asked: unknown[] = [];
  const own = Fastify({ bodyLimit: 10e6 });
  handleFailures(own, () => {});
  await registerPackPost(own, {
    settings: { MAX_BODY_BYTES: 10e6, PACK_MAX_URLS: 10, PACK_RATE: rate, MAX_BOUNDS: 100 },
    packs: {
      async accept(urls: string[]) {
        asked.push(urls);
        return 'p1';
      },
      async acceptConditions({ filters }: { filters: unknown }) {
        asked.push(filters);
        return 'p2';
      },
    },
  } as unknown as ServiceContext);
  const send = () => own.inject({ method: 'POST', url: '/citygml/pack', payload });
  const answers = [await send(), ...(rate > 0 ? [await send()] : [])];
  await own.close();
  const { statusCode, headers } = answers.at(-1)!;
  return { status: statusCode, headers, json: answers.at(-1)!.json(), asked };
}

test('a body names URLs, or what the file search would list', async () => {
  const { status, headers, json, asked } = await post('{"urls":["http://a/b"]}');
  assert.deepEqual([status, json, asked], [200, { id: 'p1' }, [['http://a/b']]]);
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual((await post('{}')).asked, [[]]);
  assert.deepEqual((await post('{"urls":null,"conditions":null}')).asked, [[]]);
  const types = async (text: string) => {
    const answer = await post(`{"conditions":"m:53394509"${text}}`);
    assert.deepEqual(answer.json, { id: 'p2' }, text);
    return JSON.stringify(answer.asked);
  };
  const both = await types(',"types":["bldg","tran"]');
  assert.match(both, /bldg.*tran/);
  assert.equal(await types(',"types":" bldg, tran,,bldg"'), both);
  const all = await types('');
  assert.notEqual(all, both);
  for (const text of [',"types":[]', ',"types":null', ',"types":", "', ',"latest":true', ',"latest":null'])
    assert.equal(await types(text), all, text);
});

test('a body of another shape is refused with what was wrong', async () => {
  for (const [body, reason] of [
    ['[]', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['"urls"', /must be a JSON object/],
    ['{', /The body must be JSON/],
    ['{"urls":"http://a"}', /^"urls" must be a list of strings\.$/],
    ['{"urls":["a",7]}', /entry 1 is 7\./],
    ['{"urls":[["a"]]}', /entry 0 is a list\./],
    ['{"urls":["a",{}]}', /entry 1 is an object\./],
    ['{"urls":["a",null]}', /entry 1 is null\./],
    ['{"urls":["a"],"conditions":"m:53394509"}', /not both/],
    ['{"conditions":7}', /must be a string/],
    ['{"conditions":"m:53394509","latest":1}', /must be true or false/],
    ['{"conditions":"m:53394509","types":[1]}', /list of feature-type codes/],
    ['{"conditions":"m:53394509","types":{}}', /list of feature-type codes/],
    [`{"urls":[${'['.repeat(200)}${']'.repeat(200)}]}`, /too many lists|deep|JSON/],
  ] as const) {
    const { status, json, asked } = await post(body);
    assert.deepEqual([status, json.error, asked], [400, 'invalid request body', []], body);
    assert.match(json.reason, reason);
  }
});

test('bodies that arrive together are read in a round of the event loop each', async () => {
  using rounds = new Rounds();
  const readIn: number[] = [];
  const own = Fastify();
  await registerPackPost(own, {
    settings: { MAX_BODY_BYTES: 10e6, PACK_MAX_URLS: 10, PACK_RATE: 0, MAX_BOUNDS: 100 },
    packs: {
      async accept() {
        readIn.push(rounds.now);
        return 'p1';
      },
    },
  } as unknown as ServiceContext);
  const post = () => own.inject({ method: 'POST', url: '/citygml/pack', payload: '{"urls":["http://a/b"]}' });
  await Promise.all(Array.from({ length: 8 }, post));
  await own.close();
  assert.equal(new Set(readIn).size, 8, `rounds ${readIn}`);
});

test('a caller may ask so often in a minute', async () => {
  const { status, headers, json, asked } = await post('{"urls":["http://a/b"]}', 1);
  assert.deepEqual([status, json.error, asked.length], [429, 'too many requests', 1]);
  assert.match(json.reason, /At most 1 /);
  assert.ok(Number(headers['retry-after']) >= 59 && Number(headers['retry-after']) <= 60);
  assert.equal(headers['x-ratelimit-limit'], undefined);
  assert.equal(headers['x-ratelimit-remaining'], undefined);
  assert.equal(headers['x-ratelimit-reset'], undefined);
});

test('a pack that is asked for again stays PACK_RETENTION_S from then on', async () => {
  await using service = await injectService({ PACK_RETENTION_S: '100' });
  const urls = [`http://localhost:8080${await service.asset(MEMBER)}`];
  const ask = async () => {
    const answer = await service.ask('/citygml/pack', { method: 'POST', payload: { urls } });
    const { id } = answer.json<{ id: string }>();
    const status = await service.ask(`/citygml/pack/${id}/status?wait=30`);
    const { status: state, expiresAt } = status.json<{ status: string; expiresAt: string }>();
    assert.equal(state, 'succeeded');
    return Date.parse(expiresAt);
  };
  const first = await ask();
  assert.ok(first > Date.now() && first <= Date.now() + 100_000);
  while (Date.now() <= first - 100_000) await setImmediate();
  const again = Date.now();
  assert.ok((await ask()) >= again + 100_000);
});
