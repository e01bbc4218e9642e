import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryVerbs, refusal, remoteStoreOf } from '../testing/memory-verbs.ts';
import { upload } from './upload.ts';

const PART = 16 * 2 ** 20;
const TARGET = { key: 'k', once: false, contentType: 'application/zip', writer: 'w' };

/** So many bytes in chunks of 5 MiB, which lie across the ends of parts. */
async function* bytesOf(size: number): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.alloc(5 * 2 ** 20, 1);
  for (let at = 0; at < size; at += chunk.length) yield chunk.subarray(0, size - at);
}

const start = (verbs: MemoryVerbs, size: number, known?: number) =>
  upload(remoteStoreOf(verbs).link, verbs, TARGET, bytesOf(size), known);

test('less than a part is one request, a part and more are as many as there are parts', async () => {
  for (const [size, asked] of [
    [0, ['put k']],
    [PART - 1, ['put k']],
    [PART, ['beginParts k', 'putPart k 1', 'joinParts k tag-1']],
    [PART + 1, ['beginParts k', 'putPart k 1', 'putPart k 2', 'joinParts k tag-1,tag-2']],
  ] as const) {
    const verbs = new MemoryVerbs();
    assert.equal(await start(verbs, size), size);
    assert.deepEqual(verbs.asked, asked, `${size}`);
    assert.deepEqual([verbs.objects.get('k')!.size, verbs.uploads.size], [size, 0]);
  }
});

test('parts of a known size are as large as their number needs, in whole MiB', async () => {
  const verbs = new MemoryVerbs();
  verbs.maxParts = 1;
  assert.equal(await start(verbs, PART + 5, PART + 5), PART + 5);
  // A part is 17 MiB then, so that all lies in one request.
  assert.deepEqual(verbs.asked, ['put k']);
});

test('an object of more parts than the store takes is refused, and nothing of it stays', async () => {
  const verbs = new MemoryVerbs();
  verbs.maxParts = 1;
  await assert.rejects(start(verbs, PART + 1), /at most 1 parts/);
  assert.deepEqual([verbs.objects.size, verbs.uploads.size], [0, 0]);
  assert.equal(verbs.asked.at(-1), 'dropParts k');
});

test('the failure of a part ends the upload and the source, and what was sent is dropped', async () => {
  const verbs = new MemoryVerbs();
  const failure = refusal(500);
  verbs.before = (verb, key) => {
    if (verb === 'putPart' && key === 'k 2') throw failure;
    if (verb === 'dropParts') throw refusal(503);
  };
  let ended = false;
  const source = (async function* () {
    try {
      yield* bytesOf(4 * PART);
    } finally {
      ended = true;
    }
  })();
  const { link } = remoteStoreOf(verbs);
  await assert.rejects(upload(link, verbs, TARGET, source), (error) => error === failure);
  assert.equal(ended, true);
  assert.deepEqual([link.limit.inUse, verbs.objects.size], [0, 0]);
  assert.ok(verbs.asked.includes('dropParts k'));
});

test('three parts are on their way at once', async () => {
  const verbs = new MemoryVerbs();
  const waiting: Array<() => void> = [];
  const put = verbs.putPart.bind(verbs);
  let most = 0;
  let running = 0;
  verbs.putPart = async (...args) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      // A part more would have begun by then.
      setImmediate(() => setImmediate(() => waiting.shift()?.()));
    });
    running--;
    return put(...args);
  };
  await start(verbs, 5 * PART);
  assert.equal(most, 3);
  assert.equal(verbs.asked.at(-1), 'joinParts k tag-1,tag-2,tag-3,tag-4,tag-5');
});
