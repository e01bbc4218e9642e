import assert from 'node:assert/strict';
import test from 'node:test';
import type { FastifyRequest } from 'fastify';
import { storeAddress } from './store-redirect.ts';

const OBJECT = { key: 'archives/a.zip', disposition: 'attachment' };

function addressOf(setting: string, method = 'GET', isSigning = true): Promise<string | null> {
  const sign = async (key: string, { seconds }: { seconds: number }) => `signed:${key}:${seconds}`;
  const objects = isSigning ? { sign } : {};
  return storeAddress(
    { settings: { ASSET_REDIRECT: setting }, objects },
    { method } as FastifyRequest,
    OBJECT,
  );
}

test('callers are sent to the store, to a copy of it, or nowhere', async () => {
  assert.equal(await addressOf(''), null);
  assert.equal(await addressOf('https://cdn.example.jp/b'), 'https://cdn.example.jp/b/archives/a.zip');
  assert.equal(await addressOf('presigned'), 'signed:archives/a.zip:3600');
  assert.equal(await addressOf('presigned', 'HEAD'), null, 'a signed address answers GET alone');
  assert.equal(await addressOf('presigned', 'GET', false), null, 'a directory signs nothing');
});
