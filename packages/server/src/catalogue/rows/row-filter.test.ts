import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundSlices } from '@citymodel/base';
import { Filters } from '../../base/filter.ts';
import { ColumnValues, compareBlocks, NO_VALUE, type RowKeys, rowBlock } from './row-block.ts';
import { boundsFilter, columnFilter, keptRows, type RowFilter } from './row-filter.ts';
import { type RowTable, rowTable, rowText } from './snapshot-table.ts';

const ROWS: RowKeys[] = [
  { pref: '13', types: 'bldg', bounds: { west: 0, south: 0, east: 1, north: 1 } },
  { pref: '14', types: 'tran,luse', bounds: { west: 2, south: 2, east: 3, north: 3 } },
  { pref: '13', types: 'luse', bounds: null },
];

function tableOf(keys: readonly RowKeys[]): Promise<RowTable> {
  const values = new ColumnValues();
  const block = rowBlock(
    'a',
    keys.map((one, i) => ({ row: { i }, keys: one })),
    values,
  )!;
  return rowTable([block], values, backgroundSlices());
}

/** Which rows pass, of all at once and one by one. */
async function passing(...filters: RowFilter[]): Promise<string> {
  const kept = keptRows(await tableOf(ROWS), new Filters(filters));
  const single = ROWS.map((keys) => (filters.every((filter) => filter.accepts(keys)) ? 1 : 0));
  assert.deepEqual([...kept], single);
  return single.join('');
}

test('a column passes by any of the values, a list of types by any of its own', async () => {
  let timesMade = 0;
  const of = (values: string[], columns: Array<'pref' | 'types' | 'city'>) =>
    columnFilter('name', values, {
      columns,
      valuesOf: () => {
        timesMade++;
        return new Set(values);
      },
    });
  assert.equal(await passing(of(['13'], ['pref'])), '101');
  assert.equal(await passing(of(['luse'], ['types'])), '011');
  assert.equal(await passing(of(['bldg', 'tran'], ['types'])), '110');
  assert.equal(await passing(of(['14', 'bldg'], ['pref', 'types'])), '110', 'one of the columns');
  assert.equal(await passing(of(['14', 'x'], ['city', 'pref'])), '010');
  assert.equal(await passing(of([], ['pref'])), '000');
  assert.equal(await passing(of(['13'], ['city'])), '111', 'no row has the column');
  assert.equal(await passing(of(['13'], ['pref']), of(['luse'], ['types'])), '001');
  assert.equal(await passing(), '111');
  const before = timesMade;
  const filter = of(['a', 'b'], ['pref']);
  assert.deepEqual([filter.key, filter.words, timesMade], ['["name","a","b"]', 'name a, b', before]);
  filter.accepts({ pref: 'a' });
  filter.accepts({ pref: 'b' });
  assert.equal(timesMade, before + 1, 'values are made once');
});

test('a box passes what touches it, and nothing without bounds', async () => {
  const box = (west: number, south: number, east: number, north: number) =>
    boundsFilter({ west, south, east, north });
  assert.equal(await passing(box(-9, -9, 9, 9)), '110');
  assert.equal(await passing(box(1, 1, 2, 2)), '110', 'edges touch');
  for (const beside of [box(1.1, 0, 1.9, 9), box(0, 1.1, 9, 1.9), box(3.1, 0, 9, 9), box(-9, -9, -0.1, 9)])
    assert.equal(await passing(beside), '000');
  assert.equal(await passing(box(0.5, 0.5, 0.6, 0.6)), '100', 'inside');
  const filter = box(1, 2, 3, 4);
  assert.deepEqual([filter.key, filter.words], ['["bbox",1,2,3,4]', 'bbox 1,2,3,4']);
  assert.ok(filter.accepts({}), 'a row that says nothing of bounds');
});

test('a block has its rows as text, and a number for each value', () => {
  const values = new ColumnValues();
  assert.equal(rowBlock('none', [], values), null);
  const rows = ['a', '木', 'b'].map((text, i) => ({
    row: { text },
    keys: { bounds: null, year: `${i % 2}` },
  }));
  const block = rowBlock('key', rows, values)!;
  assert.equal(block.key, 'key');
  assert.deepEqual(
    JSON.parse(`[${block.bytes}]`),
    rows.map(({ row }) => row),
  );
  assert.deepEqual(
    [0, 1, 2].map((i) => rowText(block, i)),
    rows.map(({ row }) => JSON.stringify(row)),
  );
  assert.equal(block.codes.length, 3 * 7);
  assert.deepEqual(block.bounds, Array(12).fill(Number.NaN));
  assert.deepEqual(values.valuesOf('year'), ['', '0', '1']);
  assert.deepEqual(values.valuesOf('pref'), ['']);
  assert.deepEqual([values.codeOf(6, '1'), values.codeOf(6, undefined)], [2, NO_VALUE]);
  const others = ['c', 'a', 'b'].map((key) => ({ ...block, key }));
  assert.deepEqual(
    others.sort(compareBlocks).map(({ key }) => key),
    ['a', 'b', 'c'],
  );
  const changed = rowBlock('key', [{ row: { text: 'c' }, keys: { bounds: null } }], values)!;
  assert.notEqual(changed.digest, block.digest);
});
