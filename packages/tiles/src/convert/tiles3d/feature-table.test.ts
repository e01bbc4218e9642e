import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Column, ColumnType } from '../read/column.ts';
import { FeatureTableBuilder } from './feature-table.ts';

function tableOf(rows: ReadonlyArray<Record<string, [ColumnType, string | number]>>) {
  const builder = new FeatureTableBuilder('bldg:Building');
  for (const [i, row] of rows.entries()) {
    const columns = Object.entries(row).map(([name, [type, value]]): Column => ({ name, type, value }));
    assert.equal(builder.add(columns), i);
  }
  return builder.finish();
}

test('a column of several types has the type that holds all of its values', () => {
  const types = { INT32: 0, FLOAT64: 1, STRING: 2 } as const;
  const cell = fc.oneof(
    fc.integer().map((value): [ColumnType, number] => ['INT32', value]),
    fc.double({ noNaN: true }).map((value): [ColumnType, number] => ['FLOAT64', value]),
    fc.string().map((value): [ColumnType, string] => ['STRING', value]),
  );
  const rows = fc.array(fc.option(cell, { nil: null }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(rows, (cells) => {
      const table = tableOf(cells.map((one) => (one === null ? {} : { x: one })));
      assert.equal(table.count, cells.length);
      const known = cells.filter((one) => one !== null);
      if (known.length === 0) return assert.deepEqual(table.columns, []);
      const widest = Math.max(...known.map(([type]) => types[type]));
      const [column] = table.columns;
      assert.equal(types[column!.type], widest);
      assert.deepEqual(
        column!.values,
        cells.map((one) => (one === null ? undefined : widest === 2 ? String(one[1]) : one[1])),
      );
    }),
  );
});

test('columns stand in the order in which features have them, with a place for every row', () => {
  const table = tableOf([{ b: ['INT32', 1] }, { a: ['STRING', 'x'], b: ['FLOAT64', 1.5] }, {}]);
  assert.deepEqual(table, {
    type: 'bldg:Building',
    count: 3,
    columns: [
      { name: 'b', type: 'FLOAT64', values: [1, 1.5, undefined] },
      { name: 'a', type: 'STRING', values: [undefined, 'x', undefined] },
    ],
  });
});
