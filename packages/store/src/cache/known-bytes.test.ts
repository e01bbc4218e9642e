/** Bytes that came with opening, and the blocks that are kept of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryVerbs, remoteStoreOf } from '../testing/memory-verbs.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { BlockMemory } from './block-memory.ts';
import { CachedStore } from './cached-store.ts';

const BLOCK = 100;
const BYTES = Buffer.from(Array.from({ length: 450 }, (_, i) => i % 251));

/** A store behind a cache with an object of four and a half blocks; what is asked counts from here. */
async function storeWith() {
  const verbs = new MemoryVerbs();
  const store = new CachedStore(remoteStoreOf(verbs).store, new BlockMemory(10_000, null));
  await store.put('k', chunks(BYTES));
  /** Reads of an object that is opened with a hint, and the requests that they cost beside opening it. */
  const requests = async (last: number, ...reads: Array<[offset: number, length: number]>) => {
    await using handle = await store.open('k', { last, block: BLOCK });
    verbs.asked.length = 0;
    for (const [offset, length] of reads) {
      assert.ok(BYTES.subarray(offset, offset + length).equals(await handle.read(offset, length)));
    }
    return verbs.asked.length;
  };
  return { store, requests };
}

test('a block that came whole is kept, and costs nothing when it is opened again', async () => {
  const { requests } = await storeWith();
  assert.equal(await requests(160, [310, 10], [420, 30]), 0);
  assert.equal(await requests(0, [300, 100], [400, 50]), 0);
});

test('what came without the rest of its block is read, but not kept', async () => {
  const { requests } = await storeWith();
  assert.equal(await requests(80, [380, 10]), 0);
  assert.equal(await requests(0, [380, 10]), 1);
  assert.equal(await requests(0, [300, 100]), 0, 'now the whole block is kept');
});

test('figures are those of the store with those of the cache', async () => {
  const { store, requests } = await storeWith();
  await requests(0, [0, 10], [5, 10]);
  const { cache, isAnswering } = await store.figures!();
  assert.equal(isAnswering, true);
  assert.deepEqual([cache?.memoryHits, cache?.diskHits, cache?.misses, cache?.memoryBytes], [1, 0, 1, BLOCK]);
});
