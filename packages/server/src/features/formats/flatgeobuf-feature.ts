/**
 * One feature of FlatGeobuf from the cells that it has. The library's own writer looks at every column of the table for
 * each feature. Where each feature brings its own names, that takes a second for some thousand of them.
 */
import { Builder } from 'flatbuffers';
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import { buildGeometry, type IParsedGeometry } from 'flatgeobuf/lib/mjs/generic/geometry.js';
import type { Column, TableRow } from './feature-table.ts';

/** Bytes of a column's number before its value. */
const NUMBER_BYTES = 2;

/** The feature with its size before it. Values are those of the row, in the types that the columns have in the end. */
export function flatGeobufFeature(
  { columns, cells, geometry }: TableRow<IParsedGeometry>,
  table: readonly Column[],
): Uint8Array {
  const builder = new Builder(1_024);
  const order = [...columns.keys()].sort((a, b) => columns[a]! - columns[b]!);
  const values = Buffer.concat(
    order.map((i) => valueBytes(columns[i]!, table[columns[i]!]!.type, cells[i]!)),
  );
  const properties = values.length === 0 ? 0 : Feature.createPropertiesVector(builder, values);
  const shape = buildGeometry(builder, geometry);
  Feature.startFeature(builder);
  Feature.addGeometry(builder, shape);
  // 0 stands for none, and adds nothing.
  Feature.addProperties(builder, properties);
  builder.finishSizePrefixed(Feature.endFeature(builder));
  return builder.asUint8Array();
}

/** A value as the format has it: number of the column, then the value; little-endian. */
function valueBytes(column: number, type: Column['type'], cell: string | number | boolean): Buffer {
  if (type === 'string') {
    const text = Buffer.from(String(cell));
    const head = Buffer.alloc(NUMBER_BYTES + 4);
    head.writeUInt16LE(column);
    head.writeUInt32LE(text.length, NUMBER_BYTES);
    return Buffer.concat([head, text]);
  }
  const bytes = Buffer.alloc(NUMBER_BYTES + (type === 'number' ? 8 : 1));
  bytes.writeUInt16LE(column);
  if (type === 'number') bytes.writeDoubleLE(cell as number, NUMBER_BYTES);
  else bytes.writeUInt8(Number(cell), NUMBER_BYTES);
  return bytes;
}
