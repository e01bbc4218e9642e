/** What a group of rows gives the library that writes Parquet: values as columns, and what each is to be written as. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeColumns } from './attribute-columns.ts';
import type { FeatureRow, PlacedRow } from './feature-row.ts';
import { outwards, TableGroup } from './table-group.ts';

const NO_WKB = new Uint8Array(0);

function placed(attributes: Record<string, unknown>, more: Partial<FeatureRow> = {}): PlacedRow {
  const row = { attributes, extent: null, drawn: {}, geometryType: null, box: null, lods: 0 };
  return { row: { ...row, start: 0, end: 1, ...more }, wkb: more.box == null ? NO_WKB : Buffer.of(1, 2) };
}

/** The columns of features in one group, by their names. */
function columnsOf(rows: readonly PlacedRow[], repeated: readonly number[] = []) {
  const split = new AttributeColumns();
  for (const { row } of rows) split.see(row.attributes);
  const columns = split.columns([]);
  const group = new TableGroup(columns, split, rows.length);
  for (const [n, row] of rows.entries()) group.put(n, row, 'udx/a.gml', repeated.includes(n));
  return new Map([...group.columns()].map((column) => [column.name, column]));
}

const valuesOf = (all: ReturnType<typeof columnsOf>, name: string) => all.get(name)!.data as unknown[];

test('a value that stands in many rows is one object, so that it is found to repeat', () => {
  const list = () => [{ a: 1 }, { a: 2 }];
  const all = columnsOf([
    placed({ texts: ['x', 'y'], json: list() }),
    placed({ texts: ['x', 'y'], json: list() }),
    placed({ texts: ['x'], json: [{ a: 3 }] }),
  ]);
  for (const name of ['texts', 'json']) {
    const [one, two, three] = valuesOf(all, name) as [unknown, unknown, unknown];
    assert.equal(one, two, name);
    assert.notDeepEqual(one, three, name);
  }
  assert.deepEqual(valuesOf(all, 'texts'), [['x', 'y'], ['x', 'y'], ['x']]);
  assert.deepEqual(valuesOf(all, 'json').map(String), [
    '[{"a":1},{"a":2}]',
    '[{"a":1},{"a":2}]',
    '[{"a":3}]',
  ]);
});

test('numbers are written as they are where more than half of the values that are there differ', () => {
  for (const [numbers, encoding] of [
    [[1, 2], 'PLAIN'],
    [[1, 1], undefined],
    [[1, 1, 1, 2], undefined],
    [[1, 1, 2, 3], 'PLAIN'],
    [[1, null, null, null], 'PLAIN'],
    [[1, 1, null], undefined],
    // Of many every tenth, and so on, is looked at.
    [Array.from({ length: 10_000 }, (_, n) => (n % 10 === 0 ? n : 0)), 'PLAIN'],
    [Array.from({ length: 10_000 }, (_, n) => (n % 10 === 0 ? 0 : n)), undefined],
  ] as const) {
    const all = columnsOf(numbers.map((number) => placed(number === null ? {} : { number })));
    assert.deepEqual(valuesOf(all, 'number'), numbers);
    assert.equal(all.get('number')!.encoding, encoding, `${numbers.length}`);
  }
});

test('what is known of a feature is in columns of fixed names', () => {
  const box = { xmin: 139.1, ymin: 35.1, xmax: 139.2, ymax: 35.2 };
  const extent = { west: 139, south: 35, east: 140, north: 36, minAlt: 2, maxAlt: 9 };
  const drawn = { height: 7, minAlt: 2, maxAlt: 9, footprintDissolved: false, footprintPolygonsLeftOut: 3 };
  const all = columnsOf(
    [
      placed({ 'gml:id': 'a' }, { box, extent, drawn, lods: 0b1000_0101, start: 5, end: 12 }),
      placed({ 'gml:id': 'b' }),
    ],
    [1],
  );
  const rows = [...all.values()].map(({ name, data }) => [name, data] as const);
  assert.deepEqual(Object.fromEntries(rows.filter(([name]) => name !== 'bbox' && name !== 'extent_offset')), {
    'gml:id': ['a', 'b'],
    height: [7, null],
    minAlt: [2, null],
    maxAlt: [9, null],
    footprintDissolved: [false, null],
    footprintPolygonsLeftOut: [3, null],
    lods: [[0, 2, 7], []],
    gml_file: ['udx/a.gml', 'udx/a.gml'],
    gml_start: [5n, 0n],
    gml_length: [7n, 1n],
    repeated: [null, true],
    remainder: [null, null],
    geometry: [Buffer.of(1, 2), null],
  });
  const [offset, none] = valuesOf(all, 'extent_offset') as [typeof extent, null];
  assert.deepEqual([offset.minAlt, offset.maxAlt, none], [0, 0, null]);
  assert.equal(offset.west + box.xmin, extent.west);
  assert.deepEqual(valuesOf(all, 'bbox'), [outwards(box), null]);
});

test('an extent that its differences do not give back is written as it is, beside what has no column', () => {
  const tiny = { west: 1e-300, south: 35, east: 140, north: 36, minAlt: 0, maxAlt: 0 };
  const box = { xmin: 1e300, ymin: 35.1, xmax: 139.2, ymax: 35.2 };
  const all = columnsOf([placed({ empty: [], none: null }, { extent: tiny, box }), placed({})]);
  assert.deepEqual(valuesOf(all, 'extent_offset'), [null, null]);
  const [rest, nothing] = valuesOf(all, 'remainder') as [Buffer, null];
  assert.equal(nothing, null);
  const written = JSON.parse(String(rest)) as Array<[string[], unknown]>;
  assert.deepEqual(
    written.map(([path]) => path),
    [['empty'], ['none'], ['_bbox']],
  );
  assert.deepEqual(written.slice(0, 2), [
    [['empty'], []],
    [['none'], null],
  ]);
});

test('sides are rounded outwards to single precision, at either sign and at zero', () => {
  const least = 2 ** -149;
  for (const value of [139.123456789, -139.123456789, 1e-60, -1e-60, 0.5, -0.5, 0, 2 ** 24 + 1]) {
    const { xmin, ymin, xmax, ymax } = outwards({ xmin: value, ymin: value, xmax: value, ymax: value });
    assert.deepEqual([xmin, xmax], [ymin, ymax]);
    assert.ok(xmin <= value && value <= xmax, `${value}`);
    assert.deepEqual([xmin, xmax].map(Math.fround), [xmin, xmax]);
    // Nothing of single precision lies between.
    const isExact = Math.fround(value) === value;
    const gap = Math.max(least, Math.abs(value) * 2 ** -22);
    assert.ok(isExact ? xmin === xmax : xmax > xmin && xmax - xmin <= gap, `${value}: ${xmin}, ${xmax}`);
  }
});
