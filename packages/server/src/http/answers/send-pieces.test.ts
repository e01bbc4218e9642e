import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import Fastify, { type FastifyRequest, type InjectOptions } from 'fastify';
import { handleFailures } from './failures.ts';
import { sendPieces } from './send-pieces.ts';

const WHOLE = 256 * 1_024;

interface Watched {
  /** Pieces that were taken. */
  taken: number;
  hasEnded: boolean;
}

/** Asks for an answer of these pieces. */
async function ask(
  pieces: readonly Uint8Array[],
  {
    warnings = [] as string[],
    fault = null as Error | null,
    ...options
  }: Partial<InjectOptions> & {
    warnings?: string[];
    fault?: Error | null;
  } = {},
) {
  const watched: Watched = { taken: 0, hasEnded: false };
  async function* all() {
    try {
      for (const piece of pieces) {
        watched.taken++;
        yield piece;
      }
      if (fault !== null) throw fault;
    } finally {
      watched.hasEnded = true;
    }
  }
  const app = Fastify({ exposeHeadRoutes: true });
  handleFailures(app, () => {});
  app.get('/', (request: FastifyRequest, reply) =>
    sendPieces(request, reply, { contentType: 'text/csv', pieces: all(), warnings: new Set(warnings) }),
  );
  try {
    return { ...(await app.inject({ url: '/', ...options })), watched };
  } finally {
    await app.close();
  }
}

test('an answer below 256 KiB is sent whole, with its length and a tag', async () => {
  const whole = await ask([Buffer.from('a,b\n'), Buffer.alloc(0), Buffer.alloc(WHOLE - 5, 'x')]);
  assert.equal(whole.rawPayload.length, WHOLE - 1);
  assert.equal(whole.headers['content-type'], 'text/csv');
  assert.equal(whole.headers['content-length'], String(WHOLE - 1));
  assert.ok(whole.headers.etag !== undefined);
  const empty = await ask([]);
  assert.deepEqual([empty.statusCode, empty.headers['content-length']], [200, '0']);
});

test('a longer one is sent as it comes, complete and without a length', async () => {
  const pieces = [randomBytes(WHOLE - 1), randomBytes(1), randomBytes(300_000), randomBytes(7)];
  for (const encoding of ['identity', 'gzip']) {
    const { headers, rawPayload, watched } = await ask(pieces, { headers: { 'accept-encoding': encoding } });
    const isGzip = encoding === 'gzip';
    assert.equal(headers['content-encoding'], isGzip ? 'gzip' : undefined);
    assert.deepEqual([headers.etag, headers['content-length']], [undefined, undefined]);
    assert.equal(headers.vary, 'accept-encoding');
    assert.ok(headers['cache-control'] !== undefined && headers['surrogate-key'] !== undefined);
    assert.ok((isGzip ? gunzipSync(rawPayload) : rawPayload).equals(Buffer.concat(pieces)));
    assert.ok(watched.hasEnded);
  }
});

test('HEAD takes no more pieces than tell that the answer is long, and ends their making', async () => {
  const pieces = [randomBytes(WHOLE), randomBytes(9), randomBytes(9)];
  const { headers, rawPayload, watched } = await ask(pieces, { method: 'HEAD' });
  assert.deepEqual([rawPayload.length, watched], [0, { taken: 1, hasEnded: true }]);
  assert.equal(headers.vary, 'accept-encoding');
});

test('five warnings are sent at most, as quoted texts', async () => {
  const none = await ask([Buffer.from('a')]);
  assert.equal(none.headers.warning, undefined);
  const some = await ask([Buffer.from('a')], { warnings: ['a "b" \\c', 'd', 'e', 'f', 'g', 'h'] });
  const texts = ['a  b   c', 'd', 'e', 'f', 'g'];
  assert.equal(some.headers.warning, texts.map((text) => `199 citymodel "${text}"`).join(', '));
});

test('what fails before anything was sent is an error; later the answer breaks off', async () => {
  const fault = new Error('a disk');
  const early = await ask([Buffer.from('a')], { fault });
  assert.equal(early.statusCode, 500);
  const gzip = { 'accept-encoding': 'gzip' };
  const still = await ask([Buffer.alloc(WHOLE)], { fault, headers: gzip });
  assert.deepEqual([still.statusCode, still.headers['content-encoding']], [500, undefined]);
  assert.equal(JSON.parse(still.payload).error, 'internal');
  await assert.rejects(ask([randomBytes(WHOLE)], { fault }));
  await assert.rejects(ask([randomBytes(WHOLE), randomBytes(WHOLE)], { fault, headers: gzip }));
});
