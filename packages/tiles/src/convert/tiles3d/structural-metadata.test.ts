import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BufferBuilder } from '../mesh/buffer-builder.ts';
import type { FeatureTable, TableColumn } from './feature-table.ts';
import { hashedId, propertyId } from './property-name.ts';
import { structuralMetadata } from './structural-metadata.ts';
import { metadataRows } from './testing/read-tiles.ts';

interface Extension {
  schema: { id: string; classes: Record<string, { properties: Record<string, Record<string, unknown>> }> };
  propertyTables: Array<{
    class: string;
    count: number;
    properties: Record<string, { values: number; stringOffsets?: number; stringOffsetType?: string }>;
  }>;
}

const table = (columns: TableColumn[], type = 'bldg:Building'): FeatureTable => ({
  ...{ type, columns, count: columns[0]?.values.length ?? 0 },
});
const text = (name: string, ...values: TableColumn['values']): TableColumn => ({
  ...{ name, type: 'STRING', values },
});

/** The extension, what another reading of it finds, and the columns that it says it has. */
function written(...tables: FeatureTable[]) {
  const buffer = new BufferBuilder();
  const stored: TableColumn[][] = [];
  const json = structuralMetadata(tables, buffer, stored) as Extension;
  const bin = new Uint8Array(buffer.length);
  buffer.copyTo(bin, 0);
  const gltf = { extensions: { EXT_structural_metadata: json }, bufferViews: buffer.views };
  return {
    json,
    views: buffer.views,
    stored: stored.map((columns) => columns.map(({ name }) => name)),
    rows: metadataRows(gltf, bin),
  };
}

/** What the schema says of the only column. */
function typeOf(column: TableColumn): Record<string, unknown> | undefined {
  const { json } = written(table([column]));
  return Object.values(Object.values(json.schema.classes)[0]!.properties)[0];
}

test('rows are read back, table by table, with null for what is not known', () => {
  const { rows, json, stored } = written(
    table([
      text('gml_id', 'a', 'b', 'c'),
      text('gml:name', undefined, '家', ''),
      { name: 'storeys', type: 'INT32', values: [3, undefined, -2] },
      { name: '_x', type: 'FLOAT64', values: [139.5, 140, undefined] },
    ]),
    table([text('gml_id', 'd')], 'uro:Pipe'),
  );
  assert.deepEqual(rows, [
    [
      { gml_id: 'a', 'gml:name': null, storeys: 3, _x: 139.5 },
      { gml_id: 'b', 'gml:name': '家', storeys: null, _x: 140 },
      { gml_id: 'c', 'gml:name': null, storeys: -2, _x: null },
    ],
    [{ gml_id: 'd' }],
  ]);
  assert.deepEqual(stored, [['gml_id', 'gml:name', 'storeys', '_x'], ['gml_id']]);
  assert.deepEqual(
    json.propertyTables.map(({ class: name, count }) => [name, count]),
    [
      [propertyId('bldg:Building'), 3],
      [propertyId('uro:Pipe'), 1],
    ],
  );
  assert.deepEqual(Object.keys(json.schema.classes), [propertyId('bldg:Building'), propertyId('uro:Pipe')]);
});

test('a column that all rows have is required, others name what stands for no value', () => {
  assert.deepEqual(typeOf(text('a', 'x', 'y')), { type: 'STRING', required: true });
  assert.deepEqual(typeOf(text('a', 'x', undefined)), { type: 'STRING', noData: '' });
  const number = (...values: Array<number | undefined>) => typeOf({ name: 'a', type: 'INT32', values });
  assert.deepEqual(number(1, 2), { type: 'SCALAR', componentType: 'INT32', required: true });
  assert.deepEqual(number(1, undefined), { type: 'SCALAR', componentType: 'INT32', noData: -9999 });
});

test('whole numbers have 32 bits where all of a column fit, and are floats where they do not', () => {
  const component = (type: 'INT32' | 'FLOAT64', ...values: number[]) =>
    typeOf({ name: 'a', type, values })!.componentType;
  assert.equal(component('INT32', 2 ** 31 - 1, -(2 ** 31 - 1)), 'INT32');
  assert.equal(component('INT32', 1, 2 ** 31), 'FLOAT64');
  assert.equal(component('INT32', -(2 ** 31)), 'FLOAT64');
  assert.equal(component('INT32', 1, 0.5), 'FLOAT64');
  assert.equal(component('FLOAT64', 1), 'FLOAT64');
});

test('columns whose names come to one identifier are told apart, and have their own names', () => {
  const { json, rows } = written(table([text('a:b', 'one'), text('a_b', 'other'), text('c', 'third')]));
  const { properties } = json.schema.classes[propertyId('bldg:Building')]!;
  assert.deepEqual(
    Object.entries(properties).map(([id, { name }]) => [id, name]),
    [
      ['a_b', 'a:b'],
      [hashedId('a_b'), 'a_b'],
      ['c', undefined],
    ],
  );
  assert.deepEqual(rows, [[{ 'a:b': 'one', a_b: 'other', c: 'third' }]]);
});

test('a column of empty texts is not written, since a view may not be empty', () => {
  const { json, stored, rows } = written(table([text('gml_id', 'a', 'b'), text('empty', '', undefined)]));
  assert.deepEqual(Object.keys(json.propertyTables[0]!.properties), ['gml_id']);
  assert.deepEqual([stored, rows], [[['gml_id', 'empty']], [[{ gml_id: 'a' }, { gml_id: 'b' }]]]);
});

test('offsets of texts have the width that the bytes of all of them need', () => {
  for (const [bytes, type] of [
    [1, 'UINT8'],
    [255, 'UINT8'],
    [256, 'UINT16'],
    [65_535, 'UINT16'],
    [65_536, 'UINT32'],
  ] as const) {
    // Characters of three bytes: bytes count, not characters.
    const [wide, narrow] = ['家'.repeat(Math.floor(bytes / 3)), 'a'.repeat(bytes % 3)];
    const { json, rows, views } = written(table([text('t', wide, undefined, narrow)]));
    const { stringOffsetType, stringOffsets } = json.propertyTables[0]!.properties.t!;
    assert.equal(stringOffsetType, type, `${bytes} bytes`);
    assert.equal(views[stringOffsets!]!.byteLength, (4 * Number(type.slice(4))) / 8);
    assert.deepEqual(
      rows[0]!.map(({ t }) => t),
      [wide || null, null, narrow || null],
    );
  }
});
