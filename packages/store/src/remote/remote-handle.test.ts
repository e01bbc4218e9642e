/** How many requests reads of an object take, and what becomes of one that does not end. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { withPatience } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import { MemoryVerbs, remoteStoreOf } from '../testing/memory-verbs.ts';
import { chunks, collect } from '../testing/object-store-conformance.ts';

const PART = 8 * 2 ** 20;
const GAP = 256 * 1024;
const SMALL = 256 * 1024;

/** Bytes that say where they are. */
const BYTES = Buffer.from(Uint32Array.from({ length: (2 * PART) / 4 + 1 }, (_, i) => i).buffer);
const isPart = (bytes: Uint8Array, offset: number) =>
  BYTES.subarray(offset, offset + bytes.length).equals(bytes);

/** An object of 16 MiB and four bytes, opened with the hint; `asked` are requests since. */
async function open(first?: number) {
  const verbs = new MemoryVerbs();
  const { store } = remoteStoreOf(verbs);
  await store.put('k', chunks(BYTES));
  const handle = await store.open('k', first === undefined ? undefined : { first });
  verbs.asked.length = 0;
  return { handle, asked: verbs.asked, verbs };
}

test('a read takes a request for each 8 MiB, and gives what lies there', async () => {
  const { handle, asked } = await open();
  for (const [offset, length, requests] of [
    [0, 0, 0],
    [3, 1, 1],
    [1, PART, 1],
    [1, PART + 1, 2],
    [0, 2 * PART, 2],
    [0, 2 * PART + 4, 3],
  ] as const) {
    asked.length = 0;
    const bytes = await handle.read(offset, length);
    assert.deepEqual(
      [bytes.length, isPart(bytes, offset), asked.length],
      [length, true, requests],
      `${length}`,
    );
  }
  await assert.rejects(handle.read(2 * PART, 5), RangeError);
});

test('reads of one moment are one request where little lies between them', async () => {
  const { handle, asked } = await open();
  for (const [gap, requests] of [
    [0, 1],
    [GAP, 1],
    [GAP + 1, 2],
  ] as const) {
    asked.length = 0;
    const both = await Promise.all([handle.read(8, 100), handle.read(108 + gap, 9)]);
    assert.ok(isPart(both[0], 8) && isPart(both[1], 108 + gap));
    assert.equal(asked.length, requests, `${gap}`);
  }
});

test('a short stream is a read, be it of what came with opening, and a long one is not', async () => {
  const { handle, asked } = await open(2 * SMALL);
  const streamed = async (offset: number, length: number) => {
    asked.length = 0;
    const bytes = await collect(handle, offset, length);
    assert.ok(bytes.length === length && isPart(bytes, offset));
    return asked.length;
  };
  assert.equal(await streamed(5, SMALL), 0);
  assert.equal(await streamed(5, SMALL + 1), 1);
  assert.equal(await streamed(3 * SMALL, 10), 1);
  asked.length = 0;
  await Promise.all([4, 5].map((at) => collect(handle, at * SMALL, SMALL)));
  assert.equal(asked.length, 1);
});

test('an answer that stops in the middle is let go when nobody waits for it any more', async () => {
  const { handle, verbs } = await open();
  const body = new Readable({ read() {} });
  verbs.answering = (answer) => {
    body.push(BYTES.subarray(0, 10));
    return { ...answer, body };
  };
  await assert.rejects(
    withPatience(() => handle.read(0, 100), 20),
    StoreUnavailable,
  );
  assert.equal(body.destroyed, true);
});
