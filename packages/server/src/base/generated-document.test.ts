import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import test from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  CompressedDocument,
  DocumentCache,
  GeneratedDocument,
  JoinedDocument,
  PassingDocument,
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

test('a passing document is its pieces, in pieces of 64 KiB, as text and as gzip, again and again', async () => {
  for (const lengths of [[], [0], [10, 0, 20], [65_536], [65_535, 2], [200_000, 1]]) {
    const pieces = lengths.map((length, i) => Buffer.alloc(length, `${i}都市`));
    const whole = Buffer.concat(pieces);
    const document = new PassingDocument(pieces, { size: whole.length, etag: 'W/"x"', memory: 7 });
    assert.deepEqual([document.size, document.etag, document.memory], [whole.length, 'W/"x"', 7]);
    for (let times = 0; times < 2; times++) {
      const chunks: Buffer[] = await document.plain().toArray();
      assert.deepEqual(Buffer.concat(chunks), whole);
      for (const [i, { length }] of chunks.entries()) {
        assert.equal(length, Math.min(65_536, whole.length - 65_536 * i));
      }
      assert.deepEqual(gunzipSync(await document.gzip()), whole);
      assert.deepEqual(gunzipSync(await buffer(document.packing()!)), whole);
    }
  }
});

test('sixteen callers at most have a passing document compressed, until theirs is read or they go', async () => {
  const document = new PassingDocument([Buffer.alloc(300_000, 'x')], { size: 300_000, etag: 'x', memory: 0 });
  const streams = Array.from({ length: 16 }, () => document.packing()!);
  assert.equal(document.packing(), null);
  streams[0]!.destroy();
  const [read] = await Promise.all([
    buffer(streams[1]!),
    new Promise((resolve) => streams[0]!.once('close', resolve)),
  ]);
  assert.equal(gunzipSync(read).length, 300_000);
  await new Promise((resolve) => setImmediate(resolve));
  const again = [document.packing(), document.packing()];
  assert.ok(again.every((stream) => stream !== null));
  assert.equal(document.packing(), null);
  for (const stream of [...streams, ...again]) stream!.destroy();
});

test('a document that is kept compressed alone gives both forms', async () => {
  const text = Buffer.from('都市'.repeat(1_000));
  const packed = gzipSync(text);
  const document = new CompressedDocument(packed, text.length, 'W/"y"');
  assert.deepEqual(await buffer(document.plain()), text);
  assert.equal(await document.gzip(), packed);
  assert.deepEqual([document.size, document.memory, document.etag], [text.length, packed.length, 'W/"y"']);
});

test('documents say about how much they keep', () => {
  assert.equal(ofSize(1_000).memory, 1_250);
  assert.equal(new JoinedDocument([], 1_001, 'x').memory, 251);
});
