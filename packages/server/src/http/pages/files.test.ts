import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { writeFiles } from '../../ingest/testing/ingesting.ts';
import { serveDirectory } from './files.ts';

/** Serves `files`, those below `/lasting/` as what never changes. */
async function served(
  files: Record<string, string | Uint8Array>,
): Promise<FastifyInstance & AsyncDisposable> {
  const root = await mkdtemp(join(tmpdir(), 'files-'));
  await writeFiles(join(root, 'site'), files);
  await writeFiles(root, { 'secret.txt': 'outside' });
  const app = Fastify({ exposeHeadRoutes: true });
  await serveDirectory(app, '/files/', join(root, 'site'), { lasting: false });
  await serveDirectory(app, '/lasting/', join(root, 'site'), { lasting: true });
  await serveDirectory(app, '/none/', join(root, 'none'), { lasting: false });
  return Object.assign(app, {
    async [Symbol.asyncDispose]() {
      await app.close();
      await rm(root, { recursive: true });
    },
  });
}

const FILES = {
  'a.js': 'let a = 1;',
  'index.html': '<p>',
  'sub/index.html': '<p>',
  'sub/picture.png': 'png',
  'notes.md': '#',
};

test('files are sent with keys for caches, to be asked for again or kept for a year', async () => {
  await using app = await served(FILES);
  for (const [prefix, cache] of [
    ['/files/', 'no-cache'],
    ['/lasting/', 'public, max-age=31536000, immutable'],
  ] as const) {
    const { statusCode, headers, payload } = await app.inject(`${prefix}a.js`);
    assert.deepEqual([statusCode, payload, headers['cache-control']], [200, FILES['a.js'], cache]);
    assert.deepEqual([headers['surrogate-key'], headers['cache-tag']], ['citymodel', 'citymodel']);
    assert.match(String(headers['content-type']), /javascript/);
    assert.equal(headers['accept-ranges'], undefined);
    const { etag } = headers;
    const again = await app.inject({ url: `${prefix}a.js`, headers: { 'if-none-match': String(etag) } });
    assert.equal(again.statusCode, 304);
    assert.equal((await app.inject(`${prefix}sub/picture.png`)).statusCode, 200);
  }
  const range = await app.inject({ url: '/files/a.js', headers: { range: 'bytes=0-1' } });
  assert.deepEqual([range.statusCode, range.payload], [200, FILES['a.js']]);
});

test('the compressed form beside a file is sent to those who take it', async () => {
  await using app = await served({ 'a.js': 'plain', 'a.js.gz': gzipSync('packed') });
  const of = (encoding: string) =>
    app.inject({ url: '/files/a.js', headers: { 'accept-encoding': encoding } });
  assert.equal((await of('gzip')).headers['content-encoding'], 'gzip');
  assert.equal((await of('identity')).payload, 'plain');
});

test('pages, other endings and what lies outside are not there', async () => {
  await using app = await served(FILES);
  for (const path of [
    '/files/',
    '/files/sub/',
    '/files/sub',
    '/files/index.html',
    '/files/notes.md',
    '/files/none.js',
    '/files/..%2fsecret.txt',
    '/files/%2e%2e/secret.txt',
    '/files/a.js%00',
  ]) {
    const { statusCode, payload } = await app.inject(path);
    assert.equal(statusCode, 404, path);
    assert.doesNotMatch(payload, /outside|<p>/, path);
  }
  // What lies outside is refused, and that is not told.
  const { payload } = await app.inject('/files/a.js%00');
  assert.deepEqual(JSON.parse(payload), {
    error: 'not found',
    reason: 'There is no such file. After an update of the service, reload the page.',
  });
  assert.equal((await app.inject('/none/a.js')).statusCode, 404);
});
