import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlatColumns } from './flat-columns.ts';

test('columns are those that a feature had, in their order, with the type that all values have', () => {
  const columns = new FlatColumns();
  columns.see({ a: 1, b: { c: 'x', d: [true] }, e: null, f: undefined });
  columns.see({ g: 'x', a: 2, e: false });
  columns.see({ a: 'two', g: 3 });
  assert.deepEqual(columns.list(), [
    { key: 'a', name: 'a', type: 'string' },
    { key: 'b', name: 'b.c', type: 'string' },
    { key: 'b', name: 'b.d', type: 'boolean' },
    { key: 'g', name: 'g', type: 'string' },
    { key: 'e', name: 'e', type: 'boolean' },
  ]);
  assert.deepEqual(new FlatColumns().list(), []);
});

test('more than 1,900 columns are none', () => {
  const columns = new FlatColumns();
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, i]));
  columns.see(many(1_900));
  assert.equal(columns.list()!.length, 1_900);
  columns.see({ one: 1 });
  assert.equal(columns.list(), null);
  columns.see({ more: 1 });
  assert.equal(columns.list(), null);
});
