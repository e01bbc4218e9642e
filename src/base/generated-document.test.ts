import assert from 'node:assert/strict';
import test from 'node:test';
import { gunzipSync } from 'node:zlib';
import { DocumentCache, GeneratedDocument } from './generated-document.ts';

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
  const cache = new DocumentCache(25);
  const a = cache.get('a', () => ofSize(10));
  const b = cache.get('b', () => ofSize(10));
  assert.equal(cache.bytes, 22);
  assert.equal(
    cache.get('a', () => assert.fail('is there')),
    a,
  );
  cache.get('c', () => ofSize(10));
  assert.equal(cache.bytes, 22);
  assert.equal(
    cache.get('a', () => assert.fail('was used after b')),
    a,
  );
  assert.notEqual(
    cache.get('b', () => ofSize(10)),
    b,
  );
});

test('what is larger than the cache, and what fails, is not kept', () => {
  const cache = new DocumentCache(25);
  cache.get('large', () => ofSize(26));
  assert.equal(cache.bytes, 0);
  assert.throws(() => cache.get('bad', () => assert.fail('no')));
  assert.equal(cache.get('bad', () => ofSize(1)).body.length, 1);
});
