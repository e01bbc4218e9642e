import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Slices, sortInSlices } from './slices.ts';

test('sorting in slices gives the order of one sort', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string()), fc.integer({ min: 0, max: 4 }), async (keys, prefix) => {
      const slices = new Slices(async () => {}, 0);
      const sorted = await sortInSlices(keys, (key) => key, prefix, slices);
      assert.deepEqual(sorted, [...keys].sort());
    }),
  );
});

test('a pause is due when a slice has lasted its time, and begins a new one', async () => {
  let pauses = 0;
  const slices = new Slices(async () => void pauses++, 0);
  assert.equal(slices.due(), true);
  await slices.pause();
  assert.equal(pauses, 1);
  assert.equal(new Slices(async () => {}, 1e9).due(), false);
});

test('every item is taken through its step, in order, whenever slices end', async () => {
  for (const limit of [0, 1e9]) {
    for (const count of [0, 1, 31, 32, 33, 100]) {
      let pauses = 0;
      const slices = new Slices(async () => void pauses++, limit);
      const items = Array.from({ length: count }, (_, i) => i);
      const seen: number[] = [];
      await slices.each(items, (item) => void seen.push(item));
      assert.deepEqual(seen, items);
      assert.equal(pauses, limit === 0 ? Math.ceil(count / 32) : 0);
    }
  }
});
