/**
 * The arrays of the catalogue in one buffer: the bytes of their rows with commas between, and where each row starts. The few
 * columns that filters look at have a number in place of each value. A filtered answer is then a scan over small integers and a
 * copy of byte ranges.
 */
import { createHash } from 'node:crypto';
import { weakEtag } from '../../base/generated-document.ts';
import type { Slices } from '../../base/turns.ts';
import { COLUMNS, type ColumnName, type RowBlock } from './row-block.ts';

export interface Column {
  /** The distinct values; '' stands for a row without one. Several types are joined with `,`. */
  values: string[];
  /** For each row, the place of its value in `values`. */
  codes: Uint32Array;
}

export interface RowTable {
  count: number;
  /** The rows with commas between. */
  bytes: Buffer;
  /** Row i is `bytes[starts[i], starts[i + 1] - 1)`. */
  starts: Uint32Array;
  columns: Partial<Record<ColumnName, Column>>;
  /** West, south, east, north of each row; NaN where unknown. */
  bounds: Float64Array;
}

/**
 * Joins arrays to one JSON object, its members in the order given. The blocks of each array are sorted, and belong to the new
 * document afterwards. The entity tag comes from the digests of the blocks, so that nothing has to be hashed again.
 */
export async function joinTables<K extends string>(
  arrays: Readonly<Record<K, readonly RowBlock[]>>,
  slices: Slices,
): Promise<{ body: Buffer; etag: string; tables: Record<K, RowTable> }> {
  const names = Object.keys(arrays) as K[];
  const heads = names.map((name, i) => Buffer.from(`${i === 0 ? '{' : '],'}${JSON.stringify(name)}:[`));
  const tail = Buffer.from(names.length === 0 ? '{}' : ']}');
  let size = tail.length;
  for (const [i, name] of names.entries()) size += heads[i]!.length + sizeOf(arrays[name]);
  const body = Buffer.allocUnsafeSlow(size);
  const digest = createHash('sha256');
  const tables = {} as Record<K, RowTable>;
  let at = 0;
  for (const [i, name] of names.entries()) {
    at += heads[i]!.copy(body, at);
    digest.update(heads[i]!);
    const end = at + sizeOf(arrays[name]);
    tables[name] = await joinTable(arrays[name], body.subarray(at, end), digest, slices);
    at = end;
  }
  tail.copy(body, at);
  return { body, etag: weakEtag(digest.digest('base64url')), tables };
}

/** Bytes of blocks with commas between. */
function sizeOf(blocks: readonly RowBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.bytes.length + 1, 0) - Math.min(blocks.length, 1);
}

async function joinTable(
  blocks: readonly RowBlock[],
  bytes: Buffer,
  digest: { update(text: string): unknown },
  slices: Slices,
): Promise<RowTable> {
  const count = blocks.reduce((sum, block) => sum + block.keys.length, 0);
  const starts = new Uint32Array(count + 1);
  const bounds = new Float64Array(4 * count).fill(Number.NaN);
  const columns = new ColumnWriter(count);
  let no = 0;
  let at = 0;
  for (const block of blocks) {
    if (at > 0) bytes[at++] = COMMA;
    digest.update(block.digest);
    block.bytes.copy(bytes, at);
    block.bytes = bytes.subarray(at, at + block.bytes.length);
    // No iterator: it would leave an object for each row of the country.
    for (let i = 0; i < block.keys.length; i++) {
      const keys = block.keys[i]!;
      starts[no] = at + block.starts[i]!;
      if (keys.bounds !== null) {
        bounds[4 * no] = keys.bounds.west;
        bounds[4 * no + 1] = keys.bounds.south;
        bounds[4 * no + 2] = keys.bounds.east;
        bounds[4 * no + 3] = keys.bounds.north;
      }
      columns.add(no++, keys);
    }
    at += block.bytes.length;
    if (slices.due()) await slices.pause();
  }
  starts[count] = at + 1;
  return { count, bytes, starts, columns: columns.columns, bounds };
}

const COMMA = 0x2c;

class ColumnWriter {
  readonly columns: Partial<Record<ColumnName, Column>> = {};
  readonly #count: number;
  readonly #places = new Map<ColumnName, Map<string, number>>();

  constructor(count: number) {
    this.#count = count;
  }

  add(no: number, keys: { [K in ColumnName]?: string }): void {
    for (let i = 0; i < COLUMNS.length; i++) {
      const name = COLUMNS[i]!;
      const value = keys[name];
      if (value === undefined) continue;
      let places = this.#places.get(name);
      if (places === undefined) {
        places = new Map([['', 0]]);
        this.#places.set(name, places);
        this.columns[name] = { values: [''], codes: new Uint32Array(this.#count) };
      }
      const column = this.columns[name]!;
      let place = places.get(value);
      if (place === undefined) {
        place = column.values.push(value) - 1;
        places.set(value, place);
      }
      column.codes[no] = place;
    }
  }
}
