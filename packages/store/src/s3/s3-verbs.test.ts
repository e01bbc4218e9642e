/** What is asked of S3, and how its answers are read, without a server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { S3Client } from '@aws-sdk/client-s3';
import { DEFAULT_TIMES, storeLink } from '../remote/store-link.ts';
import { S3Verbs } from './s3-verbs.ts';

const ADDRESS = { bucket: 'b', prefix: 'p/', region: 'test', endpoint: 'http://x.invalid', pathStyle: true };
const TARGET = { key: 'k', once: false, contentType: 'application/zip', writer: 'w' };
const MODIFIED = new Date(5_000);

type Answer = (name: string, input: Record<string, unknown>) => unknown;

/** Verbs whose client gives these answers; what is asked is noted, with what goes along. */
function verbsOf(answer: Answer = () => ({})) {
  const asked: Array<[name: string, input: Record<string, unknown>, options: unknown]> = [];
  const keys = { accessKeyId: 'id', secretAccessKey: 'secret', expiration: new Date(7_000) };
  const client = new S3Client({ region: 'test', endpoint: ADDRESS.endpoint, credentials: async () => keys });
  const send = async (
    command: { constructor: { name: string }; input: Record<string, unknown> },
    options: unknown,
  ) => {
    const name = command.constructor.name.replace(/Command$/, '');
    asked.push([name, command.input, options]);
    return answer(name, command.input);
  };
  Object.assign(client, { send });
  const link = { ...storeLink(async () => {}, DEFAULT_TIMES), client };
  return { verbs: new S3Verbs(link, ADDRESS), asked };
}

const refused = (name: string, httpStatusCode: number) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });

test('facts of an object are what the store says; it has no writer where nobody said one', async () => {
  const { verbs, asked } = verbsOf(() => ({
    ETag: '"e"',
    ContentLength: 3,
    LastModified: MODIFIED,
    Metadata: { writer: 'w' },
  }));
  assert.deepEqual(await verbs.head('k', {}), { etag: '"e"', size: 3, modified: MODIFIED, writer: 'w' });
  assert.deepEqual(asked[0]!.slice(0, 2), ['HeadObject', { Bucket: 'b', Key: 'p/k' }]);
  const { verbs: bare } = verbsOf(() => ({ ETag: '"e"', LastModified: MODIFIED }));
  assert.deepEqual(await bare.head('k', {}), { etag: '"e"', size: 0, modified: MODIFIED, writer: null });
});

test('a range is asked for with its last byte, and of the object that was opened', async () => {
  const { verbs, asked } = verbsOf(() => ({
    Body: 'body',
    ETag: '"e"',
    ContentLength: 3,
    ContentRange: 'bytes 5-7/10',
  }));
  const part = { body: 'body', etag: '"e"', offset: 5, length: 3, size: 10, isPart: true };
  assert.deepEqual(await verbs.get('k', { offset: 5, length: 3 }, '"e"', {}), part);
  await verbs.get('k', { last: 4 }, null, {});
  const place = { Bucket: 'b', Key: 'p/k' };
  assert.deepEqual(
    asked.map(([, input]) => input),
    [
      { ...place, Range: 'bytes=5-7', IfMatch: '"e"' },
      { ...place, Range: 'bytes=-4' },
    ],
  );
  for (const [ContentLength, size] of [
    [3, 3],
    [undefined, 0],
  ]) {
    const { verbs: whole } = verbsOf(() => ({ Body: 'body', ETag: '"e"', ContentLength }));
    const answer = await whole.get('k', { offset: 5, length: 3 }, null, {});
    assert.deepEqual(answer, { body: 'body', etag: '"e"', offset: 0, length: size, size, isPart: false });
  }
});

test('what is put once has the condition, also in parts, and only then', async () => {
  for (const once of [true, false]) {
    const { verbs, asked } = verbsOf(() => ({ ETag: '"t"', UploadId: 'u' }));
    const target = { ...TARGET, once };
    await verbs.put(target, Buffer.from('abc'));
    assert.equal(await verbs.beginParts(target), 'u');
    assert.equal(await verbs.putPart(target, 'u', 2, Buffer.from('ab')), '"t"');
    await verbs.joinParts(target, 'u', [{ number: 2, tag: '"t"' }]);
    await verbs.dropParts(target, 'u');
    assert.deepEqual(
      asked.map(([name, { IfNoneMatch }]) => [name, IfNoneMatch]),
      [
        ['PutObject', once ? '*' : undefined],
        ['CreateMultipartUpload', undefined],
        ['UploadPart', undefined],
        ['CompleteMultipartUpload', once ? '*' : undefined],
        ['AbortMultipartUpload', undefined],
      ],
    );
    const [put, begin, part, join] = asked.map(([, input]) => input);
    assert.deepEqual(
      [put!.Metadata, put!.ContentType, put!.ContentLength],
      [{ writer: 'w' }, 'application/zip', 3],
    );
    assert.deepEqual([begin!.Metadata, begin!.ContentType], [{ writer: 'w' }, 'application/zip']);
    assert.deepEqual([part!.PartNumber, part!.ContentLength], [2, 2]);
    assert.deepEqual(join!.MultipartUpload, { Parts: [{ PartNumber: 2, ETag: '"t"' }] });
    // Bytes on a slow line have their time.
    const limits = asked.map(([, , options]) => (options as { requestTimeout?: number })?.requestTimeout);
    assert.deepEqual(limits, [900_000, undefined, 900_000, 900_000, undefined]);
  }
});

test('a list has keys without the prefix of the store, page by page', async () => {
  const { verbs, asked } = verbsOf((_, { ContinuationToken }) =>
    ContinuationToken === undefined
      ? {
          IsTruncated: true,
          NextContinuationToken: 'next',
          Contents: [{ Key: 'p/a/1', Size: 5, LastModified: MODIFIED }],
        }
      : { Contents: [{ Key: 'p/a/2', LastModified: MODIFIED }] },
  );
  const found = [];
  for await (const info of verbs.list('a/')) found.push(info);
  assert.deepEqual(found, [
    { key: 'a/1', size: 5, modified: MODIFIED },
    { key: 'a/2', size: 0, modified: MODIFIED },
  ]);
  assert.deepEqual([asked.length, asked[0]![1].Prefix], [2, 'p/a/']);
  const { verbs: empty } = verbsOf();
  for await (const _ of empty.list('')) assert.fail();
});

test('one key is deleted by itself, several together; what is not there is deleted', async () => {
  const { verbs, asked } = verbsOf();
  await verbs.delete(['a'], {});
  await verbs.delete(['a', 'b'], {});
  assert.deepEqual(
    asked.map(([name, input]) => [name, input.Key ?? (input.Delete as { Objects: unknown }).Objects]),
    [
      ['DeleteObject', 'p/a'],
      ['DeleteObjects', [{ Key: 'p/a' }, { Key: 'p/b' }]],
    ],
  );
  const throwing = (error: Error) =>
    verbsOf(() => {
      throw error;
    }).verbs;
  await throwing(refused('NoSuchKey', 404)).delete(['a'], {});
  await assert.rejects(throwing(refused('NoSuchBucket', 404)).delete(['a'], {}), { name: 'NoSuchBucket' });
  await assert.rejects(throwing(refused('AccessDenied', 403)).delete(['a'], {}), { name: 'AccessDenied' });
  const keeping = (...Errors: object[]) => verbsOf(() => ({ Errors })).verbs;
  await keeping({ Code: 'NoSuchKey' }).delete(['a', 'b'], {});
  const kept = keeping({ Code: 'NoSuchKey' }, { Code: 'AccessDenied', Message: 'no' });
  await assert.rejects(kept.delete(['a', 'b'], {}), { name: 'AccessDenied', message: 'no' });
  await assert.rejects(keeping({ Message: 'no' }).delete(['a', 'b'], {}), { name: 'Error', message: 'no' });
});

test('uploads from before a moment are given up, unless their key is wanted', async () => {
  const before = new Date(100_000);
  const old = new Date(99_999);
  const pages: Record<string, object> = {
    undefined: {
      IsTruncated: true,
      NextKeyMarker: 'p/c',
      NextUploadIdMarker: '3',
      Uploads: [
        { Key: 'p/a', UploadId: '1', Initiated: old },
        { Key: 'p/b', UploadId: '2', Initiated: before },
        { Key: 'p/c', UploadId: '3', Initiated: old },
      ],
    },
    'p/c': { IsTruncated: true, NextKeyMarker: 'p/e', Uploads: [{ Key: 'p/d', UploadId: '4' }] },
    'p/e': {
      IsTruncated: false,
      NextKeyMarker: 'p/z',
      Uploads: [{ Key: 'p/f', UploadId: '6', Initiated: old }],
    },
  };
  const { verbs, asked } = verbsOf((name, { KeyMarker }) => {
    if (name === 'AbortMultipartUpload') throw refused('NoSuchUpload', 404);
    return pages[String(KeyMarker)];
  });
  assert.equal(await verbs.abortUploads(before, (key) => key === 'c'), 2);
  const inputs = (wanted: string) => asked.filter(([name]) => name === wanted).map(([, input]) => input);
  assert.deepEqual(
    inputs('AbortMultipartUpload').map(({ Key, UploadId }) => [Key, UploadId]),
    [
      ['p/a', '1'],
      ['p/f', '6'],
    ],
  );
  const place = { Bucket: 'b', Prefix: 'p/' };
  assert.deepEqual(inputs('ListMultipartUploads'), [
    place,
    { ...place, KeyMarker: 'p/c', UploadIdMarker: '3' },
    { ...place, KeyMarker: 'p/e' },
  ]);
  const { verbs: denied } = verbsOf((name) => {
    if (name === 'AbortMultipartUpload') throw refused('AccessDenied', 403);
    return { Uploads: [{ Key: 'p/a', UploadId: '1', Initiated: old }] };
  });
  await assert.rejects(
    denied.abortUploads(before, () => false),
    { name: 'AccessDenied' },
  );
  // A page that does not say where the next one begins is the last.
  const { verbs: odd } = verbsOf(() => ({ IsTruncated: true }));
  assert.equal(await odd.abortUploads(before, () => false), 0);
});

test('an address says how the answer is named, and ends', async () => {
  const { verbs } = verbsOf();
  const options = { seconds: 60, disposition: 'attachment', contentType: 'application/zip' };
  const { pathname, searchParams: query } = new URL(await verbs.sign('k', options));
  assert.match(pathname, /p\/k$/);
  assert.deepEqual(
    ['X-Amz-Expires', 'response-content-disposition', 'response-content-type'].map((name) => query.get(name)),
    ['60', 'attachment', 'application/zip'],
  );
});

test('a look that meets no bucket says so, and keys end when they say', async () => {
  const throwing = (error: Error) =>
    verbsOf(() => {
      throw error;
    }).verbs;
  await assert.rejects(throwing(refused('NotFound', 404)).look(50), { name: 'NoSuchBucket' });
  await assert.rejects(throwing(refused('Forbidden', 403)).look(50), { name: 'Forbidden' });
  const { verbs, asked } = verbsOf();
  await verbs.look(50);
  assert.equal(asked[0]![0], 'HeadBucket');
  assert.equal(await verbs.credentialsEnd(), 7_000);
});

test('limits are those of S3', () => {
  const { verbs } = verbsOf();
  assert.deepEqual([verbs.maxParts, verbs.deletesAtOnce], [10_000, 1_000]);
});
