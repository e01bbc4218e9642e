import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { withPatience } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import { ObjectExists, ObjectMissing } from '../object-store.ts';
import { FakeS3 } from '../testing/fake-s3.ts';
import { chunks, collect, objectStoreConformance } from '../testing/object-store-conformance.ts';
import { parseS3Address } from './s3-address.ts';
import { S3Store } from './s3-store.ts';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

objectStoreConformance('S3 in this process', async () => {
  const fake = await FakeS3.start();
  fake.pageSize = 7;
  return {
    open: async () => new S3Store(parseS3Address(fake.address('a/prefix'))),
    [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
  };
});

let fake: FakeS3;
let store: S3Store;
// A new one for each test: after many faults the SDK tries less often for a while.
beforeEach(async () => {
  fake = await FakeS3.start();
  store = new S3Store(parseS3Address(fake.address()), { connect: 5_000, answer: 5_000 });
});
afterEach(async () => {
  await store.close();
  await fake[Symbol.asyncDispose]();
});

test('takes up a read where the line broke, and asks for the same object', async () => {
  const bytes = randomBytes(900_000);
  await store.put('k', chunks(bytes));
  await using handle = await store.open('k');
  fake.asked = [];
  fake.fault = () => (fake.asked.length < 4 ? { cutAfter: 100_000 } : null);
  assert.ok(bytes.equals(await handle.read(0, bytes.length)));
  assert.ok(fake.asked.length >= 4);
  assert.ok(fake.asked.slice(1).every(({ range }) => /^bytes=\d\d+-899999$/.test(range!)));
});

test('a page of another program says nothing of an object: neither that it is gone, nor that it is empty', async () => {
  await store.put('k', chunks(Buffer.from('abc')));
  for (const [page, type] of [
    [200, 'text/html'],
    [404, 'text/html; charset=utf-8'],
    [404, 'text/plain'],
    [404, 'application/json'],
  ] as const) {
    fake.fault = () => ({ page, type });
    const other = new S3Store(parseS3Address(fake.address()), { connect: 5_000, answer: 5_000 });
    await Promise.all(
      [other.head('k'), other.open('k'), other.open('k', { first: 2 }), other.delete('k'), other.probe()].map(
        (asked) => assert.rejects(asked, StoreUnavailable, `${page}`),
      ),
    );
    fake.fault = () => null;
    await other.close();
  }
  // One that comes once costs one more request.
  let pages = 1;
  fake.fault = () => (pages-- > 0 ? { page: 404 } : null);
  const fresh = new S3Store(parseS3Address(fake.address()), { connect: 5_000, answer: 5_000 });
  assert.equal((await fresh.head('k'))?.size, 3);
  await fresh.close();
});

test('never answers with bytes of an object that took the place of another', async () => {
  await store.put('k', chunks(Buffer.alloc(900_000, 1)));
  await using handle = await store.open('k');
  fake.fault = ({ range }) => {
    if (range?.startsWith('bytes=0-') !== true) return null;
    // In this very moment: a put takes as long as it likes, and the read may go on first.
    const bytes = Buffer.alloc(900_000, 2);
    fake.objects.set('k', { bytes, etag: '"other"', modified: new Date(), metadata: {} });
    return { cutAfter: 50_000 };
  };
  await assert.rejects(handle.read(0, 900_000), ObjectMissing);
});

test('mends faults that pass', async () => {
  for (const fault of [
    { status: 500 },
    { status: 503, code: 'SlowDown' },
    { cutAfter: 0 },
    { loseAnswer: true },
  ] as const) {
    let left = 2;
    fake.fault = () => (left-- > 0 ? fault : null);
    await store.put('k', chunks(Buffer.from('x')));
    left = 2;
    await using handle = await store.open('k');
    left = 2;
    assert.equal(String(await collect(handle, 0, 1)), 'x');
    left = 2;
    await store.delete('k');
  }
});

test('says that the store is unavailable, and works again when it is', async () => {
  await store.put('k', chunks(Buffer.from('x')));
  await using handle = await store.open('k');
  for (const fault of [
    { status: 500 },
    { status: 503, code: 'SlowDown' },
    { status: 403, code: 'AccessDenied' },
    { cutAfter: 0 },
  ] as const) {
    fake.fault = () => fault;
    for (const work of [
      () => store.head('k'),
      () => store.open('k'),
      () => store.open('k', { first: 10 }),
      () => handle.read(0, 1),
      () => collect(handle, 0, 1),
      () => store.put('other', chunks(Buffer.from('y'))),
      () => store.put('other', chunks(Buffer.from('y')), { once: true }),
      () => store.delete('other'),
      () => store.deleteMany(['other']),
      async () => {
        for await (const _ of store.list(''));
      },
      () => store.abortUploads(new Date(), () => false),
      () => store.probe(),
    ]) {
      await assert.rejects(work(), StoreUnavailable, `${JSON.stringify(fault)} ${work}`);
    }
    fake.fault = () => null;
    assert.equal(String(await collect(handle, 0, 1)), 'x');
  }
});

test('waits no longer than it may for an answer', async () => {
  const impatient = new S3Store(parseS3Address(fake.address()), { connect: 5_000, answer: 300 });
  await store.put('k', chunks(Buffer.from('x')));
  await using handle = await impatient.open('k');
  fake.fault = () => ({ delay: 3_000 });
  await assert.rejects(impatient.head('k'), StoreUnavailable);
  await assert.rejects(handle.read(0, 1), StoreUnavailable);
  await impatient.close();
});

test('a store that falls silent in the middle of an answer is given up, on used connections too', async () => {
  const impatient = new S3Store(parseS3Address(fake.address()), { connect: 5_000, answer: 300 });
  await store.put('k', chunks(randomBytes(3_000_000)));
  await using handle = await impatient.open('k');
  await handle.read(0, 100);
  fake.fault = () => ({ stallAfter: 100_000 });
  const stream = async (lent: boolean) => {
    for await (const _ of handle.stream(0, 3_000_000, { lent }));
  };
  for (const work of [() => handle.read(0, 3_000_000), () => stream(false), () => stream(true)]) {
    await assert.rejects(
      withPatience(async () => void (await work())),
      (error: Error) => error instanceof StoreUnavailable && /did not answer in time/.test(error.message),
    );
  }
  await impatient.close();
});

test('names what an operator has to mend', async () => {
  const other = new S3Store({ ...parseS3Address(fake.address()), bucket: 'another' });
  await assert.rejects(other.probe(), /the bucket that OBJECT_STORE names does not exist/);
  await other.close();
  fake.fault = () => ({ status: 403, code: 'AccessDenied' });
  await assert.rejects(store.deleteMany(['k']), /the keys do not allow it/);
});

test('a write whose answer was lost is known to be ours', async () => {
  let lost = 0;
  fake.fault = ({ method, key }) =>
    method === 'PUT' && key === 'k' && lost++ === 0 ? { loseAnswer: true } : null;
  assert.equal((await store.put('k', chunks(Buffer.from('mine')), { once: true })).size, 4);
  assert.equal(fake.asked.filter(({ method }) => method === 'PUT').length, 2);
});

test('a large write whose last answer was lost is known to be ours, too', async () => {
  let lost = 0;
  fake.fault = ({ method, query }) =>
    method === 'POST' && query.has('uploadId') && lost++ === 0 ? { loseAnswer: true } : null;
  for (const once of [true, false]) {
    lost = 0;
    const put = await store.put(`k${once}`, chunks(Buffer.alloc(20_000_000), 1_000_000), { once });
    assert.equal(put.size, 20_000_000);
  }
});

test('another writer who was faster is known, too', async () => {
  fake.fault = ({ method, key }) => {
    if (method === 'PUT' && key === 'k' && !fake.objects.has('k')) {
      fake.objects.set('k', { bytes: Buffer.from('x'), etag: '"x"', modified: new Date(), metadata: {} });
    }
    return null;
  };
  await assert.rejects(store.put('k', chunks(Buffer.from('mine')), { once: true }), ObjectExists);
});

test('stops reading its source when a part cannot be stored, and leaves nothing', async () => {
  const block = Buffer.alloc(2 ** 20);
  let read = 0;
  async function* endless() {
    for (;;) {
      read++;
      yield block;
    }
  }
  fake.fault = ({ query }) =>
    query.get('partNumber') === '2' ? { status: 403, code: 'AccessDenied' } : null;
  await assert.rejects(store.put('k', endless()), StoreUnavailable);
  assert.ok(read < 16 * 6, `${read} MB were read`);
  assert.equal(fake.uploads.size, 0);
  assert.equal(await store.head('k'), null);
});

test('a file that could not be stored stays', async () => {
  const directory = await mkdtemp(join(tmpdir(), 's3-'));
  try {
    const path = join(directory, 'file');
    await writeFile(path, Buffer.alloc(40_000_000, 5));
    fake.fault = ({ method }) => (method === 'PUT' ? { status: 500 } : null);
    await assert.rejects(store.put('k', path), StoreUnavailable);
    assert.equal((await stat(path)).size, 40_000_000);
    fake.fault = () => null;
    assert.equal((await store.put('k', path)).size, 40_000_000);
    await assert.rejects(stat(path), { code: 'ENOENT' });
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('gives up uploads that nobody finishes, not those that are at work', async () => {
  fake.fault = ({ method }) => (method === 'DELETE' ? { status: 500 } : null);
  for (const key of ['archives/dead', 'archives/wanted']) {
    const failing = async function* () {
      yield Buffer.alloc(20_000_000);
      throw new Error('cut');
    };
    await assert.rejects(store.put(key, failing()), /cut/);
  }
  fake.fault = () => null;
  assert.equal(fake.uploads.size, 2);
  assert.equal(await store.abortUploads(new Date(0), () => false), 0);
  assert.equal(await store.abortUploads(new Date(Date.now() + 1_000), (key) => key === 'archives/wanted'), 1);
  assert.deepEqual(
    [...fake.uploads.values()].map(({ key }) => key),
    ['archives/wanted'],
  );
});

test('gives up uploads of all pages of their list, several of one key among them', async () => {
  const initiated = new Date(0);
  for (const [id, key] of [
    ['u1', 'archives/a'],
    ['u2', 'archives/a'],
    ['u3', 'archives/a'],
    ['u4', 'archives/b'],
    ['u5', 'archives/b'],
  ] as const) {
    fake.uploads.set(id, { key, parts: new Map(), initiated, metadata: {} });
  }
  for (const [size, pages] of [
    [2, 3],
    [1, 5],
  ] as const) {
    const uploads = new Map(fake.uploads);
    fake.pageSize = size;
    fake.asked = [];
    assert.equal(await store.abortUploads(new Date(), () => false), 5);
    assert.deepEqual([...fake.uploads], []);
    const lists = fake.asked.filter(({ method, query }) => method === 'GET' && query.has('uploads'));
    assert.equal(lists.length, pages);
    for (const [id, upload] of uploads) fake.uploads.set(id, upload);
  }
  fake.uploads.clear();
});

test('deletes a thousand keys with one request', async () => {
  const keys = Array.from({ length: 2_500 }, (_, i) => `k/${i}`);
  await store.put('k/2499', chunks(Buffer.from('x')));
  fake.asked = [];
  await store.deleteMany(keys);
  assert.deepEqual(
    fake.asked.map(({ method, key }) => [method, key]),
    Array.from({ length: 3 }, () => ['POST', '']),
  );
  assert.equal(fake.objects.size, 0);
});

test('reads of neighbours are one request, and opening brings what is read first', async () => {
  await store.put('k', chunks(randomBytes(4_000_000)));
  fake.asked = [];
  await using handle = await store.open('k', { first: 1_000, last: 2_000 });
  await handle.read(0, 1_000);
  await handle.read(3_998_000, 2_000);
  assert.equal(fake.asked.length, 2);
  fake.asked = [];
  await Promise.all([handle.read(10_000, 10), handle.read(200_000, 10), handle.read(2_000_000, 10)]);
  assert.deepEqual(
    fake.asked.map(({ range }) => range),
    ['bytes=10000-200009', 'bytes=2000000-2000009'],
  );
});

test('a consumer who pauses for long loses the connection, and gets all bytes', async () => {
  const bytes = randomBytes(30_000_000);
  await store.put('k', chunks(bytes));
  const impatient = new S3Store(parseS3Address(fake.address()), { connect: 5_000, answer: 500 });
  await using handle = await impatient.open('k');
  fake.asked = [];
  const read: Uint8Array[] = [];
  for await (const chunk of handle.stream(0, handle.size)) {
    read.push(Uint8Array.from(chunk));
    // Longer than the store may take to go on.
    if (read.length === 1) await pause(1_200);
  }
  assert.ok(bytes.equals(Buffer.concat(read)));
  assert.ok(fake.asked.length >= 2);
  await impatient.close();
});

test('ends all waits for a store that is silent, and asks no more, when its process stops', async () => {
  const bytes = randomBytes(3_000_000);
  await store.put('a', chunks(bytes));
  const slow = new S3Store(parseS3Address(fake.address()));
  await using handle = await slow.open('a');
  // Of both streams the answer begins and goes no further; nothing else is answered.
  const begun = performance.now();
  const streams = [false, true].map((lent) => handle.stream(0, 3_000_000, { lent })[Symbol.asyncIterator]());
  fake.fault = ({ method, range }) => (method === 'GET' && range !== undefined ? null : { hang: true });
  await Promise.all(streams.map((stream) => stream.next()));
  fake.fault = () => ({ hang: true });
  const drained = async (stream: AsyncIterator<Uint8Array>) => {
    while (!(await stream.next()).done);
  };
  const listed = async () => {
    for await (const _ of slow.list(''));
  };
  const waits = [
    slow.head('a'),
    slow.put('b', chunks(bytes)),
    slow.delete('b'),
    handle.read(0, 10),
    listed(),
    slow.open('a', { first: 10 }),
  ];
  const ends = Promise.allSettled(waits);
  while (fake.asked.filter(({ method }) => method !== 'GET').length < 3) await pause(10);
  slow.giveUp();
  for (const end of await ends) {
    assert.ok(
      end.status === 'rejected' && end.reason instanceof StoreUnavailable,
      String(Object.values(end)),
    );
  }
  await Promise.all(streams.map((stream) => drained(stream).catch(() => {})));
  await assert.rejects(slow.head('a'), /this process stops/);
  await assert.rejects(handle.read(0, 10), /this process stops/);
  // As long as a store may be silent is 15 s, several times.
  assert.ok(performance.now() - begun < 10_000);
  await slow.close();
});

test('an object of another writer, where an upload is gone, is not taken for ours', async () => {
  const theirs = { bytes: Buffer.from('x'), etag: '"x"', modified: new Date(), metadata: {} };
  for (const [object, once, refusal] of [
    [theirs, true, ObjectExists],
    [theirs, false, StoreUnavailable],
    [null, true, StoreUnavailable],
    [null, false, StoreUnavailable],
  ] as const) {
    fake.fault = ({ method, query }) => {
      if (method !== 'POST' || !query.has('uploadId')) return null;
      if (object !== null) fake.objects.set('k', object);
      return { status: 404, code: 'NoSuchUpload' };
    };
    const put = store.put('k', chunks(Buffer.alloc(20_000_000), 1_000_000), { once });
    await assert.rejects(put, refusal);
    fake.objects.clear();
  }
});

test('an object that is gone when it was just put, or has another size, is not reported as stored', async () => {
  let heads = 0;
  fake.fault = ({ method }) =>
    method === 'HEAD' && ++heads === 1 ? { status: 404, code: 'NotFound' } : null;
  await assert.rejects(store.put('a', chunks(Buffer.from('mine'))), /lost what it just took/);
  fake.fault = ({ method, key }) => {
    const stored = fake.objects.get(key);
    if (method === 'HEAD' && stored !== undefined) stored.bytes = Buffer.from('min');
    return null;
  };
  await assert.rejects(store.put('b', chunks(Buffer.from('mine')), { once: true }), /not kept all bytes/);
  assert.equal((await store.put('c', chunks(Buffer.from('mine')))).size, 3, 'another may have replaced it');
});

test('an upload that another sweep ended is no failure, and one that may not be ended is', async () => {
  const begin = async () => {
    fake.fault = ({ method }) => (method === 'DELETE' ? { status: 500 } : null);
    const failing = async function* () {
      yield Buffer.alloc(20_000_000);
      throw new Error('cut');
    };
    await assert.rejects(store.put('archives/dead', failing()), /cut/);
  };
  await begin();
  const soon = new Date(Date.now() + 1_000);
  fake.fault = ({ method }) => (method === 'DELETE' ? { status: 404, code: 'NoSuchUpload' } : null);
  assert.equal(await store.abortUploads(soon, () => false), 1);
  fake.fault = ({ method }) => (method === 'DELETE' ? { status: 403, code: 'AccessDenied' } : null);
  await assert.rejects(
    store.abortUploads(soon, () => false),
    StoreUnavailable,
  );
});

test('what is not there is deleted, and is missing when it is opened', async () => {
  fake.fault = ({ method }) => (method === 'DELETE' ? { status: 404, code: 'NoSuchKey' } : null);
  await store.delete('nothing');
  fake.fault = ({ method }) => (method === 'DELETE' ? { status: 404, code: 'NoSuchBucket' } : null);
  await assert.rejects(store.delete('nothing'), StoreUnavailable);
  fake.fault = () => null;
  await assert.rejects(store.open('nothing'), ObjectMissing);
  await assert.rejects(store.open('nothing', { first: 5 }), ObjectMissing);
});

test('figures say that the store answers, and what was asked of it', async () => {
  await store.probe();
  await store.put('k', chunks(Buffer.from('abc')));
  const { isAnswering, places, slowStreams, cache, requests } = await store.figures();
  assert.deepEqual([isAnswering, places, slowStreams, cache], [true, { inUse: 0, waiting: 0 }, 0, null]);
  assert.ok(requests.some(({ operation, outcome }) => operation === 'PutObject' && outcome === 'ok'));
});
