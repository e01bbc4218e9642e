import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import Fastify from 'fastify';
import type { Ask } from '../../mcp/ask.ts';
import type { ServiceContext } from '../context.ts';
import { registerMcp } from './mcp.ts';

/** An app with the tools alone over `ask`, and what it logged as an error. */
async function toolsOver(t: TestContext, ask: Ask) {
  const app = Fastify();
  const faults: unknown[] = [];
  app.addHook('onRequest', (request, _reply, done) => {
    request.log = { ...request.log, error: (fault: unknown) => faults.push(fault) } as typeof request.log;
    done();
  });
  await registerMcp(app, { settings: { PUBLIC_URL: 'http://example.jp' } } as unknown as ServiceContext, ask);
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const post = (body: string, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', body, ...(signal && { signal }) });
  return { app, faults, post };
}

const call = (name: string, args: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const EMPTY = { status: 200, json: { data: { datasetCount: 0, datasets: [], datasetTypes: [] } } };

test('refuses batches and JSON of too many values before any tool runs', async (t) => {
  const { post } = await toolsOver(t, () => assert.fail('a tool ran'));
  const one = call('plateau_search_datasets');
  for (const body of [
    `[${one}]`,
    `[${Array(100).fill(one).join()}]`,
    '[]',
    `{"a":[${'1,'.repeat(30_000)}1]}`,
  ]) {
    const answer = await post(body);
    assert.equal(answer.status, 400, body.slice(0, 50));
    assert.match(await answer.text(), /invalid request body/);
  }
});

test('a message has a megabyte at most', async (t) => {
  const { post } = await toolsOver(t, async () => EMPTY);
  const message = call('plateau_search_datasets');
  const padded = (bytes: number) => message + ' '.repeat(bytes - message.length);
  assert.equal((await post(padded(2 ** 20))).status, 200);
  const refused = await post(padded(2 ** 20 + 1));
  assert.equal(refused.status, 413);
  await refused.text();
});

test('answers four messages at once, and forgets callers that go away without a line of error', async (t) => {
  let running = 0;
  let most = 0;
  const ended: Array<() => void> = [];
  const { app, faults, post } = await toolsOver(t, async (_path, { signal } = {}) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve, reject) => {
      ended.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason));
    }).finally(() => running--);
    return EMPTY;
  });
  const going = new AbortController();
  const gone = Array.from({ length: 10 }, () =>
    post(call('plateau_list_dataset_types'), going.signal).catch(() => null),
  );
  while (ended.length < 4) await once(app.server, 'request');
  going.abort();
  await Promise.all(gone);
  const staying = Array.from({ length: 6 }, () => post(call('plateau_list_dataset_types')));
  let answered = 0;
  for (const answer of staying) answer.then(() => answered++);
  while (answered < 6) {
    for (const end of ended.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(
    (await Promise.all(staying)).map(({ status }) => status),
    Array(6).fill(200),
  );
  assert.equal(most, 4);
  assert.deepEqual(faults, []);
});

test('asks with the address of the caller, for a megabyte at most', async (t) => {
  const asked: Array<Parameters<Ask>[1]> = [];
  const { post } = await toolsOver(t, async (_path, options) => {
    asked.push(options);
    return EMPTY;
  });
  await post(call('plateau_search_datasets'));
  assert.equal(asked.length, 1);
  assert.equal(asked[0]?.address, '127.0.0.1');
  assert.equal(asked[0]?.maxBytes, 1_048_576);
});

test('half a character in a parameter is the fault of the caller', async (t) => {
  const { faults, post } = await toolsOver(t, async () => EMPTY);
  const answer = await post(call('plateau_get_citygml_files', { condition: 'g:\ud800' }));
  const { result } = (await answer.json()) as { result: { isError: boolean; content: [{ text: string }] } };
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /half a character/);
  assert.deepEqual(faults, []);
});

test('a list of features that is too long to read is shown from its beginning', async (t) => {
  const { post } = await toolsOver(t, async (path) =>
    path.startsWith('/datacatalog/counts/')
      ? { status: 200, json: { cities: [{ types: { bldg: { files: 7_000 }, tran: { files: 500 } } }] } }
      : path.startsWith('/datacatalog/citygml/')
        ? { status: 200, json: { cityCode: '13101', files: { bldg: [{ url: 'a' }] } }, isCut: true }
        : { status: 200, json: [{ 'gml:id': 'a' }], isCut: true },
  );
  const shown = async (name: string, args: object) =>
    ((await (await post(call(name, args))).json()) as { result: { structuredContent: never } }).result
      .structuredContent as { metadata: object };
  const cell = await shown('plateau_spatialid_attributes', { spatial_ids: ['1/0/0'], types: ['bldg'] });
  assert.deepEqual(cell.metadata, {
    total_count: null,
    returned_count: 1,
    has_more: true,
    refinement_suggestions: ['Use smaller spatial IDs, such as zoom 19 or 20.'],
  });
  const { metadata, ...list } = await shown('plateau_get_citygml_files', { condition: 'm:5339' });
  assert.deepEqual(list, { cityCode: '13101', files: { bldg: [{ url: 'a' }] } });
  assert.equal((metadata as { total_count: number }).total_count, 7_500);
});
