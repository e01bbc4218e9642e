/** Keys and tokens of a container, and what answers in its place. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { FOREIGN_ANSWER } from '../remote/foreign-answer.ts';
import { parseAzureAddress } from './azure-address.ts';
import { azureClient } from './azure-client.ts';

const ADDRESS = parseAzureAddress('az://tiles?account=citymodel', {});
const KEY = Buffer.from('a key').toString('base64');

function opened(env: Record<string, string>) {
  const client = azureClient(ADDRESS, { connect: 10, answer: 10 }, env);
  client.close();
  return { url: client.container.url, keysEnd: client.keysEnd, signs: client.signer !== null };
}

test('a key signs, and has no end', () => {
  const { url } = ADDRESS;
  const byKey = { url, keysEnd: null, signs: true };
  assert.deepEqual(opened({ AZURE_STORAGE_KEY: KEY }), byKey);
  assert.deepEqual(opened({ AZURE_STORAGE_KEY: KEY, AZURE_STORAGE_SAS_TOKEN: 'sig=x' }), byKey);
});

test('a token goes with each request, and ends when it says', () => {
  const token = 'sp=rw&se=2026-12-31T15:00:00Z&sig=a%2Bb';
  for (const text of [token, `?${token}`]) {
    assert.deepEqual(opened({ AZURE_STORAGE_SAS_TOKEN: text }), {
      url: `${ADDRESS.url}?${token}`,
      keysEnd: Date.UTC(2026, 11, 31, 15),
      signs: false,
    });
  }
  // Its end may be in a policy of the container, which the token only names.
  assert.equal(opened({ AZURE_STORAGE_SAS_TOKEN: 'si=policy&sig=x' }).keysEnd, null);
  assert.equal(opened({ AZURE_STORAGE_SAS_TOKEN: 'se=never&sig=x' }).keysEnd, null);
});

test('keys that are none are refused, and not repeated', () => {
  for (const [env, why] of [
    [{}, /there are no keys; set AZURE_STORAGE_KEY or/],
    [{ AZURE_STORAGE_KEY: 'secret word' }, /AZURE_STORAGE_KEY is no key/],
    [{ AZURE_STORAGE_KEY: 'secret===' }, /AZURE_STORAGE_KEY is no key/],
    [{ AZURE_STORAGE_SAS_TOKEN: 'secret' }, /AZURE_STORAGE_SAS_TOKEN is no token/],
    [{ AZURE_STORAGE_SAS_TOKEN: 'xsig=secret' }, /AZURE_STORAGE_SAS_TOKEN is no token/],
  ] as Array<[Record<string, string>, RegExp]>) {
    assert.throws(
      () => opened(env),
      (error: Error) => {
        assert.ok(error instanceof RangeError);
        assert.match(error.message, why);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  }
});

/** How a question to a port of this machine ends: the code of its error, or null where the store answers. */
async function codeOfAsking(port: number): Promise<string | null> {
  const address = parseAzureAddress(`az://tiles?account=citymodel&endpoint=http://127.0.0.1:${port}`, {});
  const times = { connect: 10_000, answer: 10_000 };
  const { container, close } = azureClient(address, times, { AZURE_STORAGE_KEY: KEY });
  try {
    await container.getProperties();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    close();
  }
}

test('a page of another program is no answer, and no answer is no page', async (t) => {
  const answers: Array<[status: number, headers: Record<string, string>]> = [
    [200, { 'content-type': 'text/html' }],
    [404, { 'content-type': 'text/html' }],
    [200, { 'x-ms-request-id': 'r' }],
  ];
  const server = createServer((request, response) => {
    const answer = answers.shift();
    if (answer === undefined) request.destroy();
    else response.writeHead(...answer).end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  assert.equal(await codeOfAsking(port), FOREIGN_ANSWER);
  assert.equal(await codeOfAsking(port), FOREIGN_ANSWER);
  assert.equal(await codeOfAsking(port), null);
  assert.equal(await codeOfAsking(port), 'ECONNRESET');
});
