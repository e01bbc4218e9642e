import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Slices, sortInSlices } from './snapshot-slices.ts';

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
