import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockCache } from './block-cache.ts';

test('every second request of a block wants it kept, when it takes half of the memory at most', () => {
  const cache = new BlockCache(100);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => cache.wants('a', 50)),
    [false, true, false, true],
  );
  assert.deepEqual(
    [1, 2].map(() => cache.wants('b', 51)),
    [false, false],
  );
});

test('fifty blocks are remembered that were asked for once', () => {
  for (const [others, isRemembered] of [
    [49, true],
    [50, false],
  ] as const) {
    const cache = new BlockCache(100);
    cache.wants('first', 1);
    for (let i = 0; i < others; i++) cache.wants(`${i}`, 1);
    assert.equal(cache.wants('first', 1), isRemembered, `${others} others`);
  }
});

test('blocks are kept up to so many bytes, and the first text of a block stays', () => {
  const cache = new BlockCache(100);
  const texts = [new Uint8Array(60), new Uint8Array(40), new Uint8Array(0), new Uint8Array(1)];
  cache.put('a', texts[0]!);
  cache.put('a', texts[1]!);
  assert.equal(cache.get('a'), texts[0]);
  cache.put('b', texts[1]!);
  assert.equal(cache.get('a'), texts[0]);
  assert.equal(cache.get('b'), texts[1]);
  // A block without text weighs a byte.
  cache.put('c', texts[2]!);
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, texts[1], texts[2]]);
  assert.equal(cache.get('d'), undefined);
});

test('without memory nothing is kept, and nothing is wanted', () => {
  const cache = new BlockCache(0);
  cache.put('a', new Uint8Array(1));
  assert.equal(cache.get('a'), undefined);
  assert.deepEqual([cache.wants('a', 1), cache.wants('a', 1)], [false, false]);
});

test('a block is expected that is kept, or that the next request would keep', () => {
  const cache = new BlockCache(100);
  cache.put('kept', new Uint8Array(1));
  cache.wants('asked', 1);
  assert.deepEqual(
    ['kept', 'asked', 'other'].map((key) => cache.expects(key)),
    [true, true, false],
  );
  assert.equal(new BlockCache(0).expects('kept'), false);
});
