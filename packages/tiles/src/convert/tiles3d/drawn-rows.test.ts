import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeAccount } from '../account/attribute-account.ts';
import type { Column } from '../read/column.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import { DrawnBodies, MADE } from './drawn-bodies.ts';
import { DrawnRows } from './drawn-rows.ts';
import type { TableColumn } from './feature-table.ts';
import type { ShownFeature } from './tile-model.ts';

const column = (name: string): Column => ({ name, type: 'STRING', value: name });
const table = (columns: Record<string, Array<string | undefined>>) =>
  Object.entries(columns).map(([name, values]) => ({ name, values }) as unknown as TableColumn);

/** Rows of columns `a` and `b`, one for each record; the second record has `a` alone. */
const HEADS: FeatureHead[] = [['a', 'b'], ['a'], ['a', 'b']].map((names, i) => ({
  id: `f${i}`,
  type: 'bldg:Building',
  columns: names.map(column),
}));
const FEATURES = HEADS.map((_, record) => ({ record }) as FeatureFacts);
const shown = (record: number, lod: number) =>
  ({
    head: HEADS[record],
    source: record === MADE ? MADE : DrawnBodies.sourceOf(record, lod),
  }) as ShownFeature;

function account(): { rows: DrawnRows; cells: () => ReturnType<AttributeAccount['finish']> } {
  const attributes = new AttributeAccount();
  for (const { columns } of HEADS) attributes.row(columns);
  return { rows: new DrawnRows(attributes), cells: () => attributes.finish() };
}

test('cells that the tables of a tile have are counted once, whatever other tiles and levels show', () => {
  const { rows, cells } = account();
  const places: Array<[number, number]> = [
    [0, 0],
    [1, 0],
    [0, 1],
  ];
  const tables = [table({ a: ['a', 'a'], b: ['b', undefined] }), table({ a: ['a'], b: ['b'] })];
  const features = [shown(0, 1), shown(2, 1), shown(1, 2)];
  rows.written(features, places, tables);
  rows.written([shown(0, 2), shown(MADE, 0)], places, [table({ a: ['a'] }), table({})]);
  rows.kept([shown(1, 4), shown(2, 0), shown(MADE, 0)]);
  const { cells: found, missing } = cells();
  assert.deepEqual([found, missing], [{ in: 5, out: 5, rest: {} }, {}]);
});

test('a column that a table lacks is missing, and one that a row of it lacks', () => {
  const { rows, cells } = account();
  rows.written(
    [shown(0, 1), shown(1, 1), shown(2, 1)],
    [
      [0, 0],
      [0, 1],
      [1, 0],
    ],
    [table({ a: [undefined, 'a'], b: ['b', undefined] }), table({ a: ['a'] })],
  );
  assert.deepEqual(cells().missing, { a: 1, b: 1 });
});

test('features of the overview are counted, and those that no tile shows are not drawn', () => {
  const { rows, cells } = account();
  rows.kept([shown(0, 0)]);
  rows.kept([shown(MADE, 0)]);
  rows.settle(FEATURES, (record) => HEADS[record]!);
  const { cells: found, missing } = cells();
  assert.deepEqual([found, missing], [{ in: 5, out: 2, rest: { NOT_DRAWN: 3 } }, {}]);
});

test('of depths of water a row has what all of its rank have; others are not drawn at all', () => {
  const { rows, cells } = account();
  const common = [new Set(['a']), new Set(['a', 'b']), null];
  rows.settleTogether(
    FEATURES,
    (record) => HEADS[record]!,
    (record) => common[record]!,
  );
  const { cells: found, missing } = cells();
  assert.deepEqual(found, { in: 5, out: 2, rest: { DEPTHS_TOGETHER: 1, NOT_DRAWN: 2 } });
  assert.deepEqual(missing, {});
});
