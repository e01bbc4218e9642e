import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeatureTable, type TableRow } from './feature-table.ts';
import type { Cell } from './flatten-attributes.ts';
import { SpoolSpace } from './record-spool.ts';

const cells = (values: Record<string, Cell>) => new Map(Object.entries(values));
const ROOM = { memoryBytes: 1e6, space: new SpoolSpace('/nowhere', 0) };
const POINT = { type: 'Point' as const, coordinates: [139, 35] };

test('rows have the columns that they have values in, numbered in the order in which columns came', async () => {
  const table = new FeatureTable<typeof POINT | null>(ROOM);
  const records = [
    table.row(cells({ a: 1, b: null, c: true }), POINT),
    table.row(cells({ d: 'x', a: 2 }), null),
  ];
  assert.equal(table.size, 0, 'nothing is kept yet');
  await table.keep(records);
  assert.equal(table.size, 2);
  assert.deepEqual(table.columns, [
    { name: 'a', type: 'number' },
    { name: 'c', type: 'boolean' },
    { name: 'd', type: 'string' },
  ]);
  const found: Array<TableRow<typeof POINT | null>> = [];
  for await (const rows of table.rows()) found.push(...rows);
  assert.deepEqual(found, [
    { columns: [0, 1], cells: [1, true], geometry: POINT },
    { columns: [2, 0], cells: ['x', 2], geometry: null },
  ]);
});

test('a column of several types is of texts, whatever comes after', () => {
  const table = new FeatureTable<null>(ROOM);
  for (const a of [1, null, false, 2]) table.row(cells({ a, b: 1 }), null);
  assert.deepEqual(table.columns, [
    { name: 'a', type: 'string' },
    { name: 'b', type: 'number' },
  ]);
});

test('1,900 columns are accepted, and one more is not', () => {
  const table = new FeatureTable<null>(ROOM);
  const many = cells(Object.fromEntries(Array.from({ length: 1_900 }, (_, i) => [`c${i}`, i])));
  table.row(many, null);
  table.row(many, null);
  assert.equal(table.columns.length, 1_900);
  assert.throws(() => table.row(cells({ another: 1 }), null), {
    status: 413,
    reason: /more than 1900 columns/,
  });
});
