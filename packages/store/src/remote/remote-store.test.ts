import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import { ObjectExists, ObjectMissing } from '../object-store.ts';
import { MemoryVerbs, refusal, remoteStoreOf } from '../testing/memory-verbs.ts';
import { chunks, collect } from '../testing/object-store-conformance.ts';

/** A store with an object `k` of these bytes; what is asked counts from here. */
async function storeWith(bytes: Uint8Array) {
  const verbs = new MemoryVerbs();
  const { store, link } = remoteStoreOf(verbs);
  await store.put('k', chunks(bytes));
  verbs.asked.length = 0;
  return { verbs, store, link };
}

/** Throws this in place of the answer, so many times. */
function failing(error: unknown, times: number, verb: string) {
  let left = times;
  return (asked: string) => {
    if (asked === verb && left-- > 0) throw error;
  };
}

test('opening with hints asks for these ranges and for nothing else', async () => {
  const { verbs, store } = await storeWith(Buffer.from('0123456789'));
  await using both = await store.open('k', { first: 2, last: 3 });
  assert.deepEqual(verbs.asked, ['get k', 'get k']);
  const texts = [both.known(0, 2), both.known(7, 3), both.known(8, 1), both.known(1, 2), both.known(6, 2)];
  assert.deepEqual(
    texts.map((known) => (known === null ? null : String(Buffer.from(known)))),
    ['01', '789', '8', null, null],
  );
  await both.read(7, 3);
  assert.equal(verbs.asked.length, 2);
  await both.damaged();
  await both.read(7, 3);
  assert.equal(verbs.asked.length, 3, 'what came with opening is asked for again');
  verbs.asked.length = 0;
  await store.open('k');
  assert.deepEqual(verbs.asked, ['head k']);
});

test('bytes of another object than the first answer is of do not count as known', async () => {
  const { verbs, store } = await storeWith(Buffer.from('0123456789'));
  let answers = 0;
  verbs.answering = (answer) => (++answers === 2 ? { ...answer, etag: '"other"' } : answer);
  await using handle = await store.open('k', { first: 2, last: 3 });
  assert.notEqual(handle.known(0, 2), null);
  assert.equal(handle.known(7, 3), null);
});

test('a hint that brings the whole object, too little, or nothing is left alone', async () => {
  const { verbs, store } = await storeWith(Buffer.from('0123456789'));
  let whole: Readable | null = null;
  verbs.answering = (answer) => {
    whole = answer.body;
    return { ...answer, isPart: false };
  };
  await using first = await store.open('k', { first: 2 });
  assert.deepEqual([first.size, first.known(0, 2)], [10, null]);
  assert.equal(whole!.destroyed, true);
  verbs.answering = (answer) => ({ ...answer, length: answer.length + 1 });
  await using second = await store.open('k', { first: 2 });
  assert.equal(second.known(0, 2), null);
  verbs.before = failing(refusal(500), 1, 'get');
  await assert.rejects(store.open('k', { first: 2 }), StoreUnavailable);
});

test('a write whose answer was lost is told from that of another writer', async () => {
  const { verbs, store } = await storeWith(Buffer.from('old'));
  // It was stored, and the next try met it.
  verbs.after = failing(refusal(412, 'PreconditionFailed'), 1, 'put');
  assert.equal((await store.put('mine', chunks(Buffer.from('mine')), { once: true })).size, 4);
  verbs.before = failing(refusal(412, 'PreconditionFailed'), 1, 'put');
  await assert.rejects(store.put('k', chunks(Buffer.from('new'))), ObjectExists);
  verbs.before = failing(refusal(409, 'Exists'), 1, 'put');
  await assert.rejects(store.put('k', chunks(Buffer.from('new'))), ObjectExists);
  verbs.before = failing(refusal(404, 'NoSuchUpload'), 1, 'put');
  await assert.rejects(store.put('k', chunks(Buffer.from('new'))), StoreUnavailable);
  verbs.before = failing(refusal(403, 'AccessDenied'), 1, 'put');
  await assert.rejects(store.put('k', chunks(Buffer.from('new'))), /cannot store an object: AccessDenied/);
});

test('what is put once is there whole afterwards, and not over another object', async () => {
  const { verbs, store } = await storeWith(Buffer.from('old'));
  await assert.rejects(store.put('k', chunks(Buffer.from('new')), { once: true }), ObjectExists);
  assert.deepEqual(verbs.asked, ['head k'], 'nothing is sent');
  verbs.after = (verb, key) => {
    if (verb === 'put') verbs.objects.delete(key);
  };
  await assert.rejects(store.put('gone', chunks(Buffer.from('new'))), /has lost what it just took/);
  verbs.after = (verb, key) => {
    if (verb === 'put') verbs.objects.get(key)!.size = 1;
  };
  await assert.rejects(store.put('short', chunks(Buffer.from('new')), { once: true }), /not kept all bytes/);
  assert.equal((await store.put('short', chunks(Buffer.from('new')))).size, 1);
});

test('deletes as many keys at once as the store takes', async () => {
  const { verbs, store } = await storeWith(Buffer.from('x'));
  verbs.deletesAtOnce = 2;
  await store.deleteMany(['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(verbs.asked, ['delete a b', 'delete c d', 'delete e']);
});

test('faults say what could not be done', async () => {
  const { verbs, store } = await storeWith(Buffer.from('x'));
  const listAll = async () => {
    for await (const _ of store.list('')) assert.fail();
  };
  for (const [verb, doing, work] of [
    ['head', 'tell of an object', () => store.head('k')],
    ['delete', 'delete an object', () => store.delete('k')],
    ['delete', 'delete objects', () => store.deleteMany(['k'])],
    ['list', 'list objects', listAll],
    ['look', 'answer', () => store.probe()],
    ['get', 'read an object', () => store.open('k', { first: 1 })],
  ] as const) {
    verbs.before = failing(refusal(403, 'AccessDenied'), 1, verb);
    await assert.rejects(work, {
      name: 'StoreUnavailable',
      message: `the object store cannot ${doing}: AccessDenied (403 AccessDenied)`,
    });
  }
});

test('addresses and unfinished uploads are for stores whose verbs have them', async () => {
  const { store, link } = await storeWith(Buffer.from('x'));
  assert.deepEqual([store.sign, store.abortUploads], [undefined, undefined]);
  const types: string[] = [];
  const verbs = Object.assign(new MemoryVerbs(), {
    sign: async (key: string, { contentType }: { contentType: string }) => {
      types.push(contentType);
      if (key === 'refused') throw refusal(403, 'AccessDenied');
      return `https://x/${key}`;
    },
    abortUploads: async () => {
      throw refusal(403, 'AccessDenied');
    },
    credentialsEnd: async () => 5,
  });
  const { store: able } = remoteStoreOf(verbs);
  const options = { seconds: 5, disposition: 'attachment' };
  assert.equal(await able.sign!('a.zip', options), 'https://x/a.zip');
  await able.sign!('a.bin', options);
  assert.deepEqual(types, ['application/zip', 'application/octet-stream']);
  await assert.rejects(able.sign!('refused', options), /cannot sign an address/);
  await assert.rejects(able.sign!('../a', options), RangeError);
  await assert.rejects(
    able.abortUploads!(new Date(), () => false),
    /cannot give up unfinished uploads/,
  );
  assert.equal((await able.figures()).credentialsEnd, 5);
  const figures = await store.figures();
  assert.deepEqual(
    [figures.credentialsEnd, figures.isAnswering, figures.cache, figures.slowStreams],
    [null, true, null, 0],
  );
  assert.deepEqual(figures.places, { inUse: 0, waiting: 0 });
  assert.equal(link.gate.isShut, false);
});

test('a store that is given up is asked no more', async () => {
  const { verbs, store } = await storeWith(Buffer.from('x'));
  store.giveUp();
  assert.deepEqual(verbs.asked, ['close']);
  await assert.rejects(store.head('k'), /this process stops/);
  await assert.rejects(store.open('k', { first: 1 }), /this process stops/);
});

test('a read goes on where the line was cut', async () => {
  const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, i) => i % 251));
  const { verbs, store } = await storeWith(bytes);
  await using handle = await store.open('k');
  let left = 2;
  const offsets: number[] = [];
  verbs.answering = (answer) => {
    offsets.push(answer.offset);
    if (left-- <= 0) return answer;
    const half = bytes.subarray(answer.offset, answer.offset + Math.floor(answer.length / 2));
    const cut = (async function* () {
      yield half;
      throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
    })();
    return { ...answer, body: Readable.from(cut, { objectMode: false }) };
  };
  assert.ok(bytes.subarray(100).equals(await collect(handle, 100, bytes.length - 100)));
  assert.deepEqual(offsets, [100, 300_050, 450_025]);
  left = 1;
  assert.ok(bytes.subarray(0, 600_000).equals(await handle.read(0, 600_000)));
});

test('a store that sends other bytes than were asked for is asked again, and not for ever', async () => {
  const bytes = Buffer.alloc(600_000, 7);
  const { verbs, store } = await storeWith(bytes);
  await using handle = await store.open('k');
  verbs.asked.length = 0;
  for (const wrong of [{ offset: 1 }, { length: 5 }, { size: 5 }]) {
    let left = 1;
    verbs.answering = (answer) => (left-- > 0 ? { ...answer, ...wrong } : answer);
    assert.ok(bytes.equals(await handle.read(0, bytes.length)));
  }
  assert.equal(verbs.asked.length, 6);
  verbs.answering = (answer) => ({ ...answer, etag: '"other"' });
  await assert.rejects(handle.read(0, 5), ObjectMissing);
  await assert.rejects(collect(handle, 0, bytes.length), ObjectMissing);
  for (const status of [403, 404]) {
    verbs.asked.length = 0;
    verbs.before = failing(refusal(status), 1, 'get');
    await assert.rejects(handle.read(0, 5), status === 404 ? ObjectMissing : StoreUnavailable);
    assert.equal(verbs.asked.length, 1, 'a refusal does not pass');
  }
});

test('more and fewer bytes than an answer says are breaks of it', async () => {
  const bytes = Buffer.alloc(600_000, 7);
  const { verbs, store } = await storeWith(bytes);
  await using handle = await store.open('k');
  for (const length of [600_001, 599_999]) {
    let left = 1;
    verbs.answering = (answer) =>
      left-- > 0
        ? { ...answer, body: Readable.from([Buffer.alloc(length, 9)], { objectMode: false }) }
        : answer;
    const read = await handle.read(0, bytes.length);
    assert.equal(read.length, bytes.length);
  }
});

test('long streams whose memory is lent take the faster way, where it works', async () => {
  const bytes = Buffer.alloc(2 ** 20, 7);
  const { verbs, store } = await storeWith(bytes);
  await using handle = await store.open('k');
  const streamed: Array<[offset: number, length: number]> = [];
  let works = true;
  verbs.stream = async (_, offset, length) => {
    streamed.push([offset, length]);
    return works ? chunks(bytes.subarray(offset, offset + length)) : null;
  };
  const lent = async (offset: number, length: number, isLent = true) => {
    verbs.asked.length = 0;
    let count = 0;
    for await (const chunk of handle.stream(offset, length, { lent: isLent })) count += chunk.length;
    assert.equal(count, length);
    return [streamed.splice(0).length, verbs.asked.length];
  };
  assert.deepEqual(await lent(0, 2 ** 20), [1, 0]);
  assert.deepEqual(await lent(0, 2 ** 20, false), [0, 1]);
  assert.deepEqual(await lent(1, 2 ** 20 - 1), [0, 1]);
  works = false;
  assert.deepEqual(await lent(0, 2 ** 20), [1, 1]);
});
