import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockMemory } from './block-memory.ts';
import type { DiskCache } from './disk-cache.ts';

/** A disk that keeps everything. */
function disk() {
  const blocks = new Map<string, Uint8Array>();
  const dropped: string[] = [];
  const cache = {
    get: async (name: string) => blocks.get(name) ?? null,
    put: (name: string, block: Uint8Array) => void blocks.set(name, block),
    drop: async (name: string) => {
      blocks.delete(name);
      dropped.push(name);
    },
  } as unknown as DiskCache;
  return { cache, blocks, dropped };
}

test('a block comes from memory, else from the disk, which brings it into memory; figures count all', async () => {
  const { cache, blocks } = disk();
  const memory = new BlockMemory(100, cache);
  assert.equal(await memory.get('a'), null);
  const block = Buffer.alloc(10, 1);
  memory.put('a', block);
  assert.equal(await memory.get('a'), block);
  assert.equal(blocks.get('a'), block);
  blocks.set('b', Buffer.alloc(20));
  for (let i = 0; i < 3; i++) assert.equal((await memory.get('b'))?.length, 20);
  assert.deepEqual(memory.figures(), { memoryHits: 3, diskHits: 1, misses: 1, memoryBytes: 30 });
});

test('memory holds so many bytes, and an empty block counts as one', async () => {
  const memory = new BlockMemory(2, null);
  for (const name of ['a', 'b', 'c']) memory.put(name, new Uint8Array(0));
  const found = await Promise.all(['a', 'b', 'c'].map((name) => memory.get(name)));
  assert.deepEqual(
    found.map((block) => block !== null),
    [false, true, true],
  );
  assert.deepEqual(memory.figures(), { memoryHits: 2, diskHits: 0, misses: 1, memoryBytes: 2 });
});

test('without memory each block comes from the disk', async () => {
  const { cache } = disk();
  const memory = new BlockMemory(0, cache);
  memory.put('a', Buffer.alloc(10));
  for (let i = 0; i < 2; i++) await memory.get('a');
  assert.deepEqual(memory.figures(), { memoryHits: 0, diskHits: 2, misses: 0, memoryBytes: 0 });
});

test('a block whose bytes are wrong is in neither', async () => {
  const { cache, dropped } = disk();
  const memory = new BlockMemory(100, cache);
  memory.put('a', Buffer.alloc(10));
  await memory.drop('a');
  assert.equal(await memory.get('a'), null);
  assert.deepEqual(dropped, ['a']);
});
