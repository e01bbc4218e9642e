/** How lists of files are sent: whole or in pieces, and with which headers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import type { FileListAnswer } from '../../catalogue/search/file-search.ts';
import { cityPackage, snapshotOf } from '../../catalogue/testing/snapshot-rows.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { serveFiles } from './files.ts';

/** Characters up to which a plain answer is made at once. */
const AT_ONCE = 256 * 1_024;
const snapshot = await snapshotOf(cityPackage({ cityCode: '14130' }));

/** A service whose searches find this answer, which is kept or not. */
function serving(answer: FileListAnswer, isKept = false) {
  const searched: unknown[] = [];
  const search = {
    kept: () => (isKept ? answer : undefined),
    async search({ conditions }: { conditions: object }) {
      searched.push(conditions);
      return answer;
    },
  };
  const context = { search, settings: { MAX_BOUNDS: 3 }, watch: { current: () => snapshot } };
  const app = Fastify();
  handleFailures(app, () => {});
  const costs: unknown[] = [];
  app.addHook('onResponse', async ({ cost }) => void costs.push(cost));
  app.get('/datacatalog/citygml/*', serveFiles(context as unknown as ServiceContext));
  const ask = (conditions: string, headers: Record<string, string> = {}) =>
    app.inject({ url: `/datacatalog/citygml/${conditions}`, headers });
  return { ask, searched, costs, [Symbol.asyncDispose]: () => app.close() };
}

function whole(length: number): FileListAnswer & { text: string } {
  const text = `"${'ab'.repeat(length).slice(0, length - 2)}"`;
  const gzip = gzipSync(text);
  return { kind: 'whole', packages: 2, files: 7, etag: 'W/"f"', size: text.length, gzip, text };
}

test('a whole answer has its length and its tag, as it is or in gzip, whatever its size', async () => {
  for (const length of [10, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE]) {
    const answer = whole(length);
    await using at = serving(answer);
    const plain = await at.ask('14130');
    assert.deepEqual(
      ['content-type', 'content-length', 'content-encoding', 'etag'].map((name) => plain.headers[name]),
      ['application/json; charset=utf-8', String(length), undefined, 'W/"f"'],
    );
    assert.equal(plain.body, answer.text);
    const packed = await at.ask('14130', { 'accept-encoding': 'gzip' });
    const body = packed.headers['content-encoding'] === 'gzip' ? gunzipSync(packed.rawPayload) : packed.body;
    assert.equal(String(body), answer.text);
    assert.equal(packed.headers['content-encoding'], length > 10 ? 'gzip' : undefined);
    assert.equal((await at.ask('14130', { 'if-none-match': 'W/"f"' })).statusCode, 304);
    assert.deepEqual(at.costs[0], { packages: 2, files: 7 });
  }
});

test('an answer in pieces is their text', async () => {
  const text = 'x'.repeat(AT_ONCE);
  const pieces = async function* () {
    yield Buffer.from('["');
    yield Buffer.from(text);
    yield Buffer.from('"]');
  };
  await using at = serving({ kind: 'streamed', packages: 1, files: 1, pieces });
  const { statusCode, headers, body } = await at.ask('14130');
  assert.deepEqual([statusCode, headers['content-type']], [200, 'application/json; charset=utf-8']);
  assert.equal(body, `["${text}"]`);
  assert.equal(headers.warning, undefined);
});

test('what is kept is not searched for again, and answers are of the areas that are asked for', async () => {
  await using kept = serving(whole(10), true);
  await using at = serving(whole(10));
  for (const [conditions, keys] of [
    ['14131', 'citymodel area-14130 catalogue-14130'],
    ['m:53394525', 'citymodel catalogue'],
  ] as const) {
    assert.equal((await kept.ask(conditions)).headers['surrogate-key'], keys);
    assert.equal((await at.ask(conditions)).headers['surrogate-key'], keys);
  }
  assert.deepEqual([kept.searched.length, at.searched.length], [0, 2]);
  assert.equal((await at.ask('m:53394525,53394526,53394527,53394528')).statusCode, 400);
});
