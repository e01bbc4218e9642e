import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeatureTable } from './feature-table.ts';
import type { Cell } from './flatten-attributes.ts';

const cells = (values: Record<string, Cell>) => new Map(Object.entries(values));
const POINT = { type: 'Point' as const, coordinates: [139, 35] };

test('rows have every column, in the order in which columns came', () => {
  const table = new FeatureTable(1000);
  const records = [
    table.record(cells({ a: 1, b: null, c: true }), POINT),
    table.record(cells({ d: 'x', a: 2 }), null),
  ];
  assert.equal(table.size, 0, 'nothing is kept yet');
  table.keep(records);
  assert.equal(table.size, 2);
  assert.deepEqual(table.columns, [
    { name: 'a', type: 'number' },
    { name: 'c', type: 'boolean' },
    { name: 'd', type: 'string' },
  ]);
  assert.deepEqual(
    [...table.rows()],
    [
      { cells: [1, true, null], geometry: POINT },
      { cells: [2, null, 'x'], geometry: null },
    ],
  );
});

test('a column of several types is of texts, whatever comes after', () => {
  const table = new FeatureTable(1000);
  for (const a of [1, null, false, 2]) table.record(cells({ a, b: 1 }), null);
  assert.deepEqual(table.columns, [
    { name: 'a', type: 'string' },
    { name: 'b', type: 'number' },
  ]);
});

test('texts of two bytes a character are kept up to the limit', () => {
  const bytes = 2 * JSON.stringify([null, 0, 'x']).length;
  const table = new FeatureTable(2 * bytes);
  table.record(cells({ a: 'x' }), null);
  table.record(cells({ a: 'y' }), null);
  assert.throws(() => table.record(cells({ a: 'z' }), null), {
    status: 413,
    message: 'request too large',
    reason: /more than 48 bytes.* Ask for a smaller area, fewer types or fewer fields/,
  });
});

test('1,900 columns are accepted, and one more is not', () => {
  const table = new FeatureTable(1e6);
  const many = cells(Object.fromEntries(Array.from({ length: 1_900 }, (_, i) => [`c${i}`, i])));
  table.record(many, null);
  table.record(many, null);
  assert.equal(table.columns.length, 1_900);
  assert.throws(() => table.record(cells({ another: 1 }), null), {
    status: 413,
    reason: /more than 1900 columns/,
  });
});
