import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PromiseLru } from './lru.ts';

test('keeps what was used last', async () => {
  const made: string[] = [];
  const lru = new PromiseLru<string>({ max: 2 });
  const get = (key: string) =>
    lru.get(key, async () => {
      made.push(key);
      return key.toUpperCase();
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) assert.equal(await get(key), key.toUpperCase());
  assert.deepEqual(made, ['a', 'b', 'c', 'b']);
  assert.equal(lru.size, 2);
  assert.equal(lru.find('c'), undefined);
  // Found is used: `b` is the one that goes next.
  assert.equal(await lru.find('a'), 'A');
  await get('d');
  assert.deepEqual([lru.has('a'), lru.has('b')], [true, false]);
  made.pop();
  lru.drop((key) => key === 'a');
  await get('a');
  assert.deepEqual(made, ['a', 'b', 'c', 'b', 'a']);
});

test('runs the work once for callers at the same time, and again after it failed', async () => {
  let runs = 0;
  const lru = new PromiseLru<number>({ max: 5 });
  const work = async () => {
    runs++;
    if (runs === 1) throw new Error('not yet');
    return runs;
  };
  const first = await Promise.allSettled([lru.get('k', work), lru.get('k', work)]);
  assert.deepEqual(
    first.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(await Promise.all([lru.get('k', work), lru.get('k', work)]), [2, 2]);
});

test('bounds the sum of weights', async () => {
  const lru = new PromiseLru<number>({ max: 100, maxWeight: 10, weigh: (n) => n });
  for (const n of [4, 4, 1]) await lru.get(`k${lru.size}`, async () => n);
  assert.equal(lru.size, 3);
  assert.equal(lru.weight, 9);
  await lru.get('more', async () => 5);
  assert.equal(lru.size, 3);
  await lru.get('too heavy', async () => 11);
  assert.equal(lru.size, 0);
  assert.equal(await lru.get('light', async () => 10), 10);
  assert.equal(lru.size, 1);
});
