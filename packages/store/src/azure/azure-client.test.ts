/** Keys and tokens of a container, without asking it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
