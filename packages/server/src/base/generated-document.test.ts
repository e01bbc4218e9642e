import assert from 'node:assert/strict';
import test from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  CompressedDocument,
  DocumentCache,
  GeneratedDocument,
  JoinedDocument,
} from './generated-document.ts';
import { textOf } from './testing/text-of.ts';

const ofSize = (size: number) => new GeneratedDocument(Buffer.alloc(size, 'x'));

test('a document has a weak tag of its content, and is compressed once', async () => {
  const a = GeneratedDocument.ofJson({ name: '都市' });
  const b = GeneratedDocument.ofJson({ name: '都市' });
  assert.match(a.etag, /^W\/"[A-Za-z0-9_-]{24}"$/);
  assert.equal(a.etag, b.etag);
  assert.notEqual(a.etag, GeneratedDocument.ofJson({ name: '町' }).etag);
  assert.equal(a.gzip(), a.gzip());
  assert.deepEqual(gunzipSync(await a.gzip()), a.body);
});

test('the cache keeps what was used last within its bytes', () => {
  const cache = new DocumentCache(60_000);
  const a = cache.get('a', () => ofSize(20_000));
  const b = cache.get('b', () => ofSize(20_000));
  assert.ok(cache.bytes > 50_000 && cache.bytes < 60_000);
  assert.equal(
    cache.get('a', () => assert.fail('is there')),
    a,
  );
  cache.get('c', () => ofSize(20_000));
  assert.ok(cache.bytes < 60_000);
  assert.equal(
    cache.get('a', () => assert.fail('was used after b')),
    a,
  );
  assert.notEqual(
    cache.get('b', () => ofSize(20_000)),
    b,
  );
});

test('what is larger than the cache, and what fails, is not kept', () => {
  const cache = new DocumentCache(25_000);
  cache.get('large', () => ofSize(25_000));
  assert.equal(cache.bytes, 0);
  assert.throws(() => cache.get('bad', () => assert.fail('no')));
  assert.equal(cache.get('bad', () => ofSize(1)).size, 1);
});

test('very many short documents take what they are counted as', () => {
  const cache = new DocumentCache(1_000_000);
  for (let i = 0; i < 20_000; i++) cache.get(`{years}#${i}`, () => ofSize(20));
  assert.ok(cache.bytes <= 1_000_000);
  assert.equal(cache.find('{years}#0'), undefined);
});

test('a compressed document gives its text piece by piece', async () => {
  const text = '都市'.repeat(100_000);
  const document = new CompressedDocument(gzipSync(text), Buffer.byteLength(text), 'W/"x"');
  const pieces = await document.plain().toArray();
  assert.ok(pieces.length > 2);
  assert.equal(Buffer.concat(pieces).toString(), text);
});

test('a joined document is its pieces, however long they are, plain and compressed', async () => {
  const lengths = fc.oneof(fc.nat(20), fc.nat(700_000), fc.constantFrom(262_143, 262_144, 262_145, 524_288));
  await fc.assert(
    fc.asyncProperty(fc.array(lengths, { maxLength: 6 }), async (list) => {
      const pieces = list.map((length, i) => Buffer.alloc(length, `${i}都市`));
      const whole = Buffer.concat(pieces);
      const document = new JoinedDocument(pieces, whole.length, 'W/"x"');
      const plain = document.plain();
      assert.equal(
        Buffer.compare(Buffer.isBuffer(plain) ? plain : Buffer.concat(await plain.toArray()), whole),
        0,
      );
      assert.equal(Buffer.isBuffer(plain), whole.length <= 262_144, 'a short one takes no stream');
      assert.equal(await textOf(document), whole.toString());
      assert.equal(document.gzip(), document.gzip());
      assert.equal(document.size, whole.length);
    }),
    { numRuns: 40 },
  );
});

test('a kept document keeps no memory beside its bytes and their gzip', async () => {
  for (const size of [1, 100, 3_000, 100_000]) {
    const text = JSON.stringify('x'.repeat(size));
    const documents = [GeneratedDocument.ofJson('x'.repeat(size)), new GeneratedDocument(Buffer.from(text))];
    for (const document of documents) {
      assert.equal(document.body.toString(), text);
      assert.ok(document.body.buffer.byteLength <= 2 * document.size, `${size}: text`);
      const packed = await document.gzip();
      assert.ok(packed.buffer.byteLength <= 2 * packed.length, `${size}: gzip`);
      assert.equal(gunzipSync(packed).toString(), text);
    }
  }
});
