import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { SharedText, type TextPiece } from '../../catalogue/search/shared-text.ts';
import { sendShared } from './send-shared.ts';

const LONG = '{"code":"53394509","sha256":"0123456789abcdef"},'.repeat(1_000);
const SHORT = '"沼津市",'.repeat(60);

async function ask(pieces: readonly TextPiece[], headers: Record<string, string>) {
  const app = Fastify();
  app.get('/', (request, reply) => sendShared(request, reply, pieces));
  return app.inject({ url: '/', headers });
}

test('an answer is the same text in every encoding, however its pieces are kept', async () => {
  const packed = new SharedText(LONG);
  await packed.pack(6);
  const packedShort = new SharedText(SHORT);
  await packedShort.pack(6);
  for (const [long, short] of [
    [new SharedText(LONG), new SharedText(SHORT)],
    [packed, packedShort],
    [packed, new SharedText(SHORT)],
  ] as const) {
    for (const pieces of [
      ['[', long, long, '', SHORT, short, '"東京"', long, 'x'.repeat(10_000), ']'],
      [long],
      [short, short],
      ['z'.repeat(2_000)],
      ['tiny'],
    ]) {
      const text = pieces
        .map((piece) => (piece === long ? LONG : piece === short ? SHORT : (piece as string)))
        .join('');
      const plain = await ask(pieces, {});
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(plain.body, text);
      const gzip = await ask(pieces, { 'accept-encoding': 'gzip' });
      const isSmall = Buffer.byteLength(text) < 1_024;
      assert.equal(gzip.headers['content-encoding'], isSmall ? undefined : 'gzip');
      assert.equal((isSmall ? gzip.rawPayload : gunzipSync(gzip.rawPayload)).toString(), text);
      assert.equal(gzip.headers.etag, plain.headers.etag);
      const again = await ask(pieces, { 'if-none-match': String(plain.headers.etag) });
      assert.deepEqual([again.statusCode, again.body], [304, '']);
    }
  }
});

test('the entity tag tells texts apart', async () => {
  const tags = new Set<unknown>();
  for (const pieces of [['a'], ['b'], [new SharedText(LONG)], [new SharedText(`${LONG} `)]]) {
    tags.add((await ask(pieces, {})).headers.etag);
  }
  assert.equal(tags.size, 4);
});
