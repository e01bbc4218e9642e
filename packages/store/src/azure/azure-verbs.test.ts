/** What is asked of Azure, and how its answers are read, without a server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageSharedKeyCredential } from '@azure/storage-blob';
import { DEFAULT_TIMES, storeLink } from '../remote/store-link.ts';
import type { AzureClient } from './azure-client.ts';
import { AzureVerbs } from './azure-verbs.ts';

const ADDRESS = { url: 'https://a.invalid/tiles', account: 'a', container: 'tiles', prefix: 'p/' };
const TARGET = { key: 'k', once: false, contentType: 'application/zip', writer: 'w' };
const MODIFIED = new Date(5_000);
const SIGNER = new StorageSharedKeyCredential('a', Buffer.from('key').toString('base64'));

type Answer = (operation: string, values: unknown[]) => unknown;

/** Verbs whose client gives these answers; what is asked is noted with the name of the blob. */
function verbsOf(answer: Answer = () => ({}), signer: StorageSharedKeyCredential | null = null) {
  const asked: Array<[operation: string, ...values: unknown[]]> = [];
  const ask = async (operation: string, ...all: unknown[]) => {
    // Signals are those of the tries.
    const values = all.map((value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      const { abortSignal: _, ...others } = value as { abortSignal?: AbortSignal };
      return others;
    });
    asked.push([operation, ...values]);
    return answer(operation, values);
  };
  const getBlockBlobClient = (name: string) => ({
    name,
    url: `${ADDRESS.url}/${name}`,
    getProperties: () => ask('head', name),
    download: (offset: number, length: number, options: object) => ask('get', name, offset, length, options),
    upload: (_: Uint8Array, length: number, options: object) => ask('put', name, length, options),
    stageBlock: (block: string, _: Uint8Array, length: number) => ask('part', name, block, length),
    commitBlockList: (blocks: string[], options: object) => ask('join', name, blocks, options),
    delete: () => ask('delete', name),
  });
  const listBlobsFlat = ({ prefix }: { prefix: string }) => ({
    byPage: (page: object) => ({ next: async () => ({ value: await ask('list', prefix, page) }) }),
  });
  const client = {
    container: { getBlockBlobClient, listBlobsFlat },
    signer,
    keysEnd: 7_000,
    close: () => asked.push(['close']),
  } as unknown as AzureClient;
  return {
    verbs: new AzureVerbs(
      storeLink(async () => {}, DEFAULT_TIMES),
      client,
      ADDRESS,
    ),
    asked,
  };
}

const refused = (code: string, statusCode: number) => Object.assign(new Error(code), { code, statusCode });

test('facts of a blob are what the store says; it has no writer where nobody said one', async () => {
  const facts = { etag: '"e"', lastModified: MODIFIED };
  const { verbs, asked } = verbsOf(() => ({ ...facts, contentLength: 3, metadata: { writer: 'w' } }));
  assert.deepEqual(await verbs.head('k', {}), { etag: '"e"', size: 3, modified: MODIFIED, writer: 'w' });
  assert.deepEqual(asked, [['head', 'p/k']]);
  const { verbs: bare } = verbsOf(() => facts);
  assert.deepEqual(await bare.head('k', {}), { etag: '"e"', size: 0, modified: MODIFIED, writer: null });
});

test('a range is asked for by its length, and of the blob that was opened', async () => {
  const { verbs, asked } = verbsOf(() => ({
    readableStreamBody: 'body',
    etag: '"e"',
    contentLength: 3,
    contentRange: 'bytes 5-7/10',
  }));
  const part = { body: 'body', etag: '"e"', offset: 5, length: 3, size: 10, isPart: true };
  assert.deepEqual(await verbs.get('k', { offset: 5, length: 3 }, '"e"', {}), part);
  await verbs.get('k', { offset: 5, length: 3 }, null, {});
  assert.deepEqual(asked, [
    ['get', 'p/k', 5, 3, { maxRetryRequests: 0, conditions: { ifMatch: '"e"' } }],
    ['get', 'p/k', 5, 3, { maxRetryRequests: 0 }],
  ]);
  for (const [contentLength, size] of [
    [3, 3],
    [undefined, 0],
  ]) {
    const { verbs: whole } = verbsOf(() => ({ readableStreamBody: 'body', etag: '"e"', contentLength }));
    const answer = await whole.get('k', { offset: 5, length: 3 }, null, {});
    assert.deepEqual(answer, { body: 'body', etag: '"e"', offset: 0, length: size, size, isPart: false });
  }
});

test('the end of a blob is looked for, three times at most while others replace it', async () => {
  const store = (size: number, changes: number) => {
    let left = changes;
    return verbsOf((operation) => {
      if (operation === 'head') return { etag: '"e"', contentLength: size, lastModified: MODIFIED };
      if (left-- > 0) throw refused('ConditionNotMet', 412);
      return { readableStreamBody: 'body', etag: '"e"', contentRange: `bytes 0-0/${size}` };
    });
  };
  const ranges = async (size: number, last: number, changes = 0) => {
    const { verbs, asked } = store(size, changes);
    await verbs.get('k', { last }, null, {});
    return asked.filter(([operation]) => operation === 'get').map((one) => one.slice(2));
  };
  const options = { maxRetryRequests: 0, conditions: { ifMatch: '"e"' } };
  assert.deepEqual(await ranges(10, 4), [[6, 4, options]]);
  assert.deepEqual(await ranges(1, 4), [[0, 1, options]]);
  assert.equal((await ranges(10, 4, 2)).length, 3);
  await assert.rejects(ranges(10, 4, 3), { statusCode: 412 });
  await assert.rejects(ranges(0, 4), { statusCode: 416 });
  const { verbs, asked } = verbsOf((operation) => {
    if (operation === 'head') return { etag: '"e"', contentLength: 5, lastModified: MODIFIED };
    throw refused('AuthenticationFailed', 403);
  });
  await assert.rejects(verbs.get('k', { last: 4 }, null, {}), { statusCode: 403 });
  assert.equal(asked.length, 2);
});

test('what is put once has the condition, also in parts, and only then', async () => {
  for (const once of [true, false]) {
    const { verbs, asked } = verbsOf();
    const target = { ...TARGET, once };
    await verbs.put(target, Buffer.from('abc'));
    const options = {
      blobHTTPHeaders: { blobContentType: 'application/zip' },
      metadata: { writer: 'w' },
      ...(once ? { conditions: { ifNoneMatch: '*' } } : {}),
    };
    const upload = await verbs.beginParts();
    const tag = await verbs.putPart(target, upload, 12, Buffer.from('ab'));
    // All names of a blob have one length.
    assert.equal(String(Buffer.from(tag, 'base64')), `${upload}-00012`);
    await verbs.joinParts(target, upload, [{ number: 12, tag }]);
    assert.deepEqual(asked, [
      ['put', 'p/k', 3, options],
      ['part', 'p/k', tag, 2],
      ['join', 'p/k', [tag], options],
    ]);
  }
});

test('a list has keys without the prefix of the store, page by page', async () => {
  const { verbs, asked } = verbsOf((_, [, page]) =>
    'continuationToken' in (page as object)
      ? { segment: { blobItems: [{ name: 'p/a/2', properties: { lastModified: MODIFIED } }] } }
      : {
          continuationToken: 'next',
          segment: {
            blobItems: [{ name: 'p/a/1', properties: { contentLength: 5, lastModified: MODIFIED } }],
          },
        },
  );
  const found = [];
  for await (const info of verbs.list('a/')) found.push(info);
  assert.deepEqual(found, [
    { key: 'a/1', size: 5, modified: MODIFIED },
    { key: 'a/2', size: 0, modified: MODIFIED },
  ]);
  assert.deepEqual(asked, [
    ['list', 'p/a/', { maxPageSize: 5_000 }],
    ['list', 'p/a/', { maxPageSize: 5_000, continuationToken: 'next' }],
  ]);
  asked.length = 0;
  await verbs.look(1_000);
  assert.deepEqual(asked, [['list', 'p/', { maxPageSize: 1 }]]);
});

test('what is not there is deleted, and all keys are tried before a refusal counts', async () => {
  const { verbs, asked } = verbsOf((_, [name]) => {
    if (name === 'p/none') throw refused('BlobNotFound', 404);
    if (name === 'p/kept') throw refused('AuthorizationFailure', 403);
  });
  await verbs.delete(['a', 'none'], {});
  await assert.rejects(verbs.delete(['kept', 'b'], {}), { code: 'AuthorizationFailure' });
  assert.deepEqual(asked.at(-1), ['delete', 'p/b']);
  const { verbs: elsewhere } = verbsOf(() => {
    throw refused('ContainerNotFound', 404);
  });
  await assert.rejects(elsewhere.delete(['a'], {}), { code: 'ContainerNotFound' });
});

test('a key signs addresses that read one blob for a while; a token signs none', async () => {
  assert.equal(verbsOf().verbs.sign, undefined);
  const { verbs, asked } = verbsOf(() => ({}), SIGNER);
  const before = Date.now();
  const options = { seconds: 36_000, disposition: 'attachment', contentType: 'application/zip' };
  const url = new URL(await verbs.sign!('k', options));
  assert.equal(url.pathname, '/tiles/p/k');
  assert.deepEqual(
    ['sp', 'sr', 'rscd', 'rsct'].map((name) => url.searchParams.get(name)),
    ['r', 'b', 'attachment', 'application/zip'],
  );
  const seconds = (Date.parse(url.searchParams.get('se')!) - before) / 1_000;
  assert.ok(seconds > 35_998 && seconds < 36_020, `${seconds} s`);
  assert.equal(await verbs.credentialsEnd(), 7_000);
  verbs.close();
  assert.deepEqual(asked, [['close']]);
});

test('limits are those of Azure for a blob, and few requests at once', () => {
  const { verbs } = verbsOf();
  // https://learn.microsoft.com/rest/api/storageservices/scalability-targets-for-the-azure-storage-services
  assert.deepEqual([verbs.maxParts, verbs.deletesAtOnce], [50_000, 16]);
});
