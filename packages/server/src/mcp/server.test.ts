import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERSION } from '../base/version.ts';
import { type Ask, ToolError } from './ask.ts';
import { answerMcp, TOOLS } from './server.ts';

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Sends a message to the tools over `ask`; the result, and the faults that were noted. */
async function send(method: string, params: object, ask: Ask, signal = new AbortController().signal) {
  const faults: unknown[] = [];
  const answer = await answerMcp(new Headers(HEADERS), { jsonrpc: '2.0', id: 7, method, params }, signal, {
    ask,
    publicUrl: 'https://city.example.jp',
    onError: (fault) => faults.push(fault),
  });
  const { result, id } = (await answer.json()) as { result: Record<string, unknown>; id: number };
  assert.equal(id, 7);
  return { status: answer.status, type: answer.headers.get('content-type'), result, faults };
}
const nobody: Ask = () => assert.fail('an operation was asked');
const call = (args: object, ask: Ask, signal?: AbortSignal) =>
  send('tools/call', { name: 'plateau_pack', arguments: args }, ask, signal);

test('tools are listed in one JSON answer, and say that they change nothing outside', async () => {
  const { status, type, result } = await send('tools/list', {}, nobody);
  assert.deepEqual([status, type], [200, 'application/json']);
  const tools = result.tools as Array<{ name: string; title: string; annotations: object }>;
  assert.deepEqual(
    tools.map(({ name, title }) => ({ name, title })),
    TOOLS.map(({ name, title }) => ({ name, title })),
  );
  for (const { annotations, name } of tools)
    assert.deepEqual(annotations, { readOnlyHint: true, openWorldHint: false }, name);
});

test('a client learns who answers, and how to begin', async () => {
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const { result } = await send('initialize', client, nobody);
  assert.deepEqual(result.serverInfo, { name: 'citymodel', version: VERSION });
  assert.match(String(result.instructions), /Start with plateau_search_areas/);
});

test('a result is text and structure alike', async () => {
  const { result, faults } = await call({ urls: ['u'] }, async () => ({ status: 200, json: { id: 'p' } }));
  assert.deepEqual(result, {
    content: [{ type: 'text', text: '{"id":"p"}' }],
    structuredContent: { id: 'p' },
  });
  assert.deepEqual(faults, []);
});

test('what an operation refuses is told in its words, and is no fault', async () => {
  const { result, faults } = await call({ urls: ['u'] }, async () => {
    throw new ToolError('Ask for less.');
  });
  assert.deepEqual(result, { content: [{ type: 'text', text: 'Ask for less.' }], isError: true });
  assert.deepEqual(faults, []);
});

test('a fault is noted once and told of in no detail, unless the caller went away', async () => {
  const fault = new Error('at /srv/secret');
  const failing: Ask = async () => {
    throw fault;
  };
  const { result, faults } = await call({ urls: ['u'] }, failing);
  assert.deepEqual(result, {
    content: [{ type: 'text', text: 'The tool failed. Try again later.' }],
    isError: true,
  });
  assert.deepEqual(faults, [fault]);
  assert.deepEqual((await call({ urls: ['u'] }, failing, AbortSignal.abort())).faults, []);
});

test('half a character is refused before an operation is asked, however deep it lies', async () => {
  for (const urls of [['\ud800'], ['good', 'a\udc00b']]) {
    const { result, faults } = await call({ urls }, nobody);
    assert.equal(result.isError, true);
    assert.match(JSON.stringify(result.content), /half a character/);
    assert.deepEqual(faults, []);
  }
  const { result } = await call({ urls: ['\ud83d\ude00'] }, async () => ({ status: 200, json: {} }));
  assert.equal(result.isError, undefined);
});
