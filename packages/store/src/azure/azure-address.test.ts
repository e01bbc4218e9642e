import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAzureAddress } from './azure-address.ts';

test('an address names container, prefix and account', () => {
  assert.deepEqual(parseAzureAddress('az://tiles/city/3d?account=citymodel', {}), {
    url: 'https://citymodel.blob.core.windows.net/tiles',
    account: 'citymodel',
    container: 'tiles',
    prefix: 'city/3d/',
  });
  assert.deepEqual(
    parseAzureAddress('az://tiles/?endpoint=http://127.0.0.1:10000/local1/', {
      AZURE_STORAGE_ACCOUNT: 'local1',
    }),
    { url: 'http://127.0.0.1:10000/local1/tiles', account: 'local1', container: 'tiles', prefix: '' },
  );
});

test('an address that is none is refused with what is wrong, and keys are not repeated', () => {
  const env = { AZURE_STORAGE_ACCOUNT: 'citymodel' };
  for (const [text, why] of [
    ['az:', /names the container ""/],
    ['az://Tiles/x', /names the container/],
    ['az://ti--les', /names the container/],
    ['az://tiles:1/x', /has a port/],
    ['az://tiles/a//b', /has a prefix/],
    ['az://tiles/a./b', /has a prefix/],
    [`az://tiles/${'a'.repeat(513)}`, /longer than 512/],
    ['az://tiles?region=x', /has the parameter region; known are account, endpoint/],
    ['az://tiles?account=one&account=two', /twice/],
    ['az://tiles?account=Not_One', /names the account/],
    ['az://tiles?endpoint=ftp://x', /has an endpoint/],
    ['az://tiles?endpoint=https://x/a/b', /has an endpoint/],
    ['az://name:secretkey@tiles/', /has keys in it/],
    ['az://tiles?sv=2024&sig=secretkey', /has keys in it/],
  ] as const) {
    assert.throws(
      () => parseAzureAddress(text, env),
      (error: Error) =>
        error instanceof RangeError && why.test(error.message) && !error.message.includes('secretkey'),
      text,
    );
  }
  assert.throws(() => parseAzureAddress('az://tiles', {}), /names no account/);
});
