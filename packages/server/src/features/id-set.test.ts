import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdSet } from './id-set.ts';

test('a set of ids is one', () => {
  const set = new IdSet();
  const real = new Set<string>();
  for (let i = 0; i < 30_000; i++) {
    const id = `bldg_${Math.imul(i, 2_654_435_761) % 20_000}`;
    assert.equal(set.add(id), !real.has(id));
    real.add(id);
  }
});

test('ids are told apart though half of what is kept of them is the same', () => {
  // Of the first two the second words of the digests are equal, of the others the first ones.
  for (const [one, other] of [
    ['id-37555', 'id-63357'],
    ['id-63715', 'id-84231'],
  ] as const) {
    const set = new IdSet();
    assert.deepEqual(
      [set.add(one), set.add(other), set.add(one), set.add(other)],
      [true, true, false, false],
    );
  }
});

test('a set that is full remembers what it has, and takes every other id for a new one', () => {
  const most = 1_000;
  const set = new IdSet(most);
  for (let i = 0; i < most; i++) set.add(`${i}`);
  assert.deepEqual([set.add('0'), set.add(`${most - 1}`)], [false, false]);
  assert.deepEqual([set.add('another'), set.add('another')], [true, true]);
});
