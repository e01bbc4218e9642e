/** Tables of features as EXT_structural_metadata has them. */
import type { BufferBuilder } from '../mesh/buffer-builder.ts';
import type { FeatureTable, TableColumn } from './feature-table.ts';
import { hashedId, propertyId } from './property-name.ts';

/** What stands for a number that is not known; as the data itself says it. */
const NO_NUMBER = -9999;
const MAX_INT32 = 2 ** 31 - 1;

/**
 * The extension of the glTF: a schema with a class, and a property table, for each table. `stored` gets the columns of
 * each.
 */
export function structuralMetadata(
  tables: readonly FeatureTable[],
  buffer: BufferBuilder,
  stored: TableColumn[][] = [],
): object {
  const classes: Record<string, object> = {};
  const propertyTables = tables.map((table, number) => {
    stored[number] = [];
    const schema: Record<string, object> = {};
    const properties: Record<string, object> = {};
    for (const column of table.columns) {
      const plain = propertyId(column.name);
      // `a:b` and `a_b` would be one identifier.
      const id = Object.hasOwn(schema, plain) ? hashedId(column.name) : plain;
      const isComplete = !column.values.includes(undefined);
      const name = id === column.name ? {} : { name: column.name };
      const written = storedColumn(column, buffer);
      // Texts that are empty are what stands for no text.
      stored[number]!.push(column);
      if (written === null) continue;
      schema[id] = {
        ...name,
        ...written.type,
        ...(isComplete ? { required: true } : { noData: written.noData }),
      };
      properties[id] = written.property;
    }
    const className = propertyId(table.type);
    classes[className] = { properties: schema };
    return { class: className, count: table.count, properties };
  });
  return { schema: { id: 'citymodel', classes }, propertyTables };
}

interface Stored {
  type: object;
  noData: string | number;
  property: object;
}

/** Null for a column of empty texts: a view of a buffer may not be empty. */
function storedColumn({ type, values }: TableColumn, buffer: BufferBuilder): Stored | null {
  if (type === 'STRING') {
    // Joining leaves out what is undefined.
    const bytes = Buffer.from(values.join(''));
    if (bytes.length === 0) return null;
    const offsets = offsetsOf(values, bytes.length);
    return {
      type: { type: 'STRING' },
      noData: '',
      property: {
        values: buffer.view(bytes),
        stringOffsets: buffer.view(offsets.array),
        stringOffsetType: offsets.type,
      },
    };
  }
  const numbers = values.map((value) => (value === undefined ? NO_NUMBER : Number(value)));
  const fits = numbers.every((value) => Number.isInteger(value) && Math.abs(value) <= MAX_INT32);
  const isInteger = type === 'INT32' && fits;
  return {
    type: { type: 'SCALAR', componentType: isInteger ? 'INT32' : 'FLOAT64' },
    noData: NO_NUMBER,
    property: { values: buffer.view(isInteger ? Int32Array.from(numbers) : Float64Array.from(numbers)) },
  };
}

function offsetsOf(
  texts: TableColumn['values'],
  bytes: number,
): { array: Uint8Array | Uint16Array | Uint32Array; type: string } {
  const [type, array] =
    bytes <= 0xff
      ? ['UINT8', new Uint8Array(texts.length + 1)]
      : bytes <= 0xffff
        ? ['UINT16', new Uint16Array(texts.length + 1)]
        : ['UINT32', new Uint32Array(texts.length + 1)];
  for (let i = 0; i < texts.length; i++) array[i + 1] = array[i]! + Buffer.byteLength(String(texts[i] ?? ''));
  return { array: array as Uint8Array | Uint16Array | Uint32Array, type: type as string };
}
