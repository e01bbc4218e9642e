/** The bytes of a pack: whole and in parts, from here or from the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { servePackBytes, servePackZip } from './pack-zip.ts';

const ID = 'a'.repeat(64);
const SIZE = 900_000;
const CHUNK = 100_000;
const BYTES = Buffer.from(Array.from({ length: SIZE }, (_, n) => n % 251));
const PATH = `/citygml/pack/${ID}/download/${ID}.zip`;

/** A pack whose bytes come in chunks of one memory, as those of the store do. */
async function* range(start: number, end: number) {
  const memory = Buffer.alloc(CHUNK);
  for (let at = start; at < end; at += CHUNK) {
    const length = Math.min(CHUNK, end - at);
    BYTES.copy(memory, 0, at, at + length);
    yield memory.subarray(0, length);
  }
}

function serving({ objectKey = null as string | null, redirect = '', read = range } = {}) {
  const asked: string[] = [];
  const pack = { size: SIZE, digest: 'd'.repeat(64), finishedAt: new Date(0), objectKey, range: read };
  const context = {
    packs: {
      async zip(id: string) {
        asked.push(id);
        return pack;
      },
    },
    settings: { ASSET_REDIRECT: redirect },
    objects: {},
    urls: { packBytes: (id: string) => `https://city.example.jp/citygml/pack/${id}/download/${id}.zip` },
  } as unknown as ServiceContext;
  const app = Fastify();
  handleFailures(app, () => {});
  app.get('/citygml/pack/:file', servePackZip(context));
  app.get('/citygml/pack/:id/download/:file', servePackBytes(context));
  const ask = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
  return { ask, asked, [Symbol.asyncDispose]: () => app.close() };
}

test('the zip comes whole or in part, under its name', async () => {
  await using at = serving();
  const whole = await at.ask(PATH);
  assert.ok(whole.rawPayload.equals(BYTES));
  const names = [
    'content-type',
    'content-length',
    'etag',
    'cache-control',
    'content-disposition',
    'surrogate-key',
  ];
  assert.deepEqual(
    names.map((name) => String(whole.headers[name])),
    [
      'application/zip',
      String(SIZE),
      `"${'d'.repeat(32)}"`,
      'public, no-cache',
      `attachment; filename="${ID}.zip"`,
      'citymodel',
    ],
  );
  const part = await at.ask(`${PATH}?name=my-city_1`, { range: 'bytes=99990-700000' });
  assert.equal(part.statusCode, 206);
  assert.ok(part.rawPayload.equals(BYTES.subarray(99_990, 700_001)));
  assert.equal(part.headers['content-disposition'], 'attachment; filename="my-city_1.zip"');
  assert.equal((await at.ask(PATH, { 'if-none-match': `"${'d'.repeat(32)}"` })).statusCode, 304);
});

test('bytes that cannot be read at all are an error, and no answer that breaks off', async () => {
  // biome-ignore lint/correctness/useYield: the store fails before the first byte
  const read = async function* (): AsyncGenerator<Buffer<ArrayBuffer>, void, void> {
    throw new Error('the store is silent');
  };
  await using at = serving({ read });
  const { statusCode, headers } = await at.ask(PATH);
  assert.deepEqual([statusCode, headers['content-type']], [500, 'application/json; charset=utf-8']);
});

test('the address of the zip carries the name that is asked for', async () => {
  await using at = serving();
  for (const [query, location] of [
    ['', `https://city.example.jp${PATH}`],
    ['?name=my-city_1', `https://city.example.jp${PATH}?name=my-city_1`],
  ] as const) {
    const { statusCode, headers } = await at.ask(`/citygml/pack/${ID}.zip${query}`);
    assert.deepEqual(
      [statusCode, headers.location, headers['cache-control'], headers.etag],
      [302, location, 'no-cache, must-revalidate', `W/"${'d'.repeat(32)}"`],
    );
  }
  assert.deepEqual(at.asked, [ID, ID]);
});

test('a pack that is an object is sent from the store where that is wished', async () => {
  for (const [objectKey, redirect, location] of [
    ['packs/a', 'https://cdn.example.jp', 'https://cdn.example.jp/packs/a'],
    ['packs/a', '', undefined],
    [null, 'https://cdn.example.jp', undefined],
  ] as const) {
    await using at = serving({ objectKey, redirect });
    const { statusCode, headers } = await at.ask(PATH, { range: 'bytes=0-9' });
    assert.deepEqual([statusCode, headers.location], [location === undefined ? 206 : 302, location]);
  }
});

test('other paths and names are refused before the pack is looked for', async () => {
  await using at = serving();
  for (const [path, status, reason] of [
    [`/citygml/pack/${ID}`, 404, /There is no operation GET/],
    [`/citygml/pack/${ID}.zip?name=a.zip`, 400, /at most 100 of them/],
    [`/citygml/pack/${ID}.zip?name=-a`, 400, /at most 100 of them/],
    [`/citygml/pack/${ID}.zip?name=${'a'.repeat(101)}`, 400, /at most 100 of them/],
    [`/citygml/pack/${ID}/download/other.zip`, 404, /There is no operation GET/],
  ] as const) {
    const { statusCode, body } = await at.ask(path);
    assert.equal(statusCode, status, path);
    assert.match(JSON.parse(body).reason, reason, path);
  }
  assert.deepEqual(at.asked, []);
  assert.equal((await at.ask(`/citygml/pack/${ID}.zip?name=${'a'.repeat(100)}`)).statusCode, 302);
});
