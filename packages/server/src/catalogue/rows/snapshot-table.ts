/**
 * An array of the catalogue as a list of blocks, whose bytes are never joined in memory. A filtered answer is a scan
 * over small integers and a copy of byte ranges.
 */

import { hash } from 'node:crypto';
import { firstWhere, type Slices } from '@citymodel/base';
import { JoinedDocument, weakEtag } from '../../base/generated-document.ts';
import { COLUMNS, type ColumnName, type ColumnValues, NO_VALUE, type RowBlock } from './row-block.ts';

export interface RowTable {
  /** In order. */
  readonly blocks: readonly RowBlock[];
  /** Rows of all blocks. */
  readonly count: number;
  /** Bytes of the rows with commas between. */
  readonly size: number;
  /** Of the bytes of all rows. */
  readonly digest: string;
  /** For each row the number of its value, in the columns that any row has. */
  readonly columns: { readonly [K in ColumnName]?: Uint32Array };
  /** West, south, east, north of each row; NaN where unknown. */
  readonly bounds: Float64Array;
  readonly values: ColumnValues;
}

/** A table of blocks that are sorted. */
export async function rowTable(
  blocks: readonly RowBlock[],
  values: ColumnValues,
  slices: Slices,
): Promise<RowTable> {
  let count = 0;
  let size = 0;
  for (const block of blocks) {
    count += block.starts.length;
    size += block.bytes.length + 1;
  }
  const columns: { [K in ColumnName]?: Uint32Array } = {};
  const bounds = new Float64Array(4 * count);
  let no = 0;
  await slices.each(blocks, (block) => {
    bounds.set(block.bounds, 4 * no);
    for (let at = 0; at < block.codes.length; no++) {
      for (let place = 0; place < COLUMNS.length; place++) {
        const code = block.codes[at++]!;
        if (code === NO_VALUE) continue;
        const name = COLUMNS[place]!;
        columns[name] ??= new Uint32Array(count);
        columns[name][no] = code;
      }
    }
  });
  const digest = hash('sha256', blocks.map((block) => block.digest).join(''), 'base64url');
  return { blocks, count, size: Math.max(0, size - 1), digest, columns, bounds, values };
}

/** The block of a key. */
export function blockOf({ blocks }: RowTable, key: string): RowBlock | undefined {
  const block = blocks[firstWhere(blocks.length, (i) => blocks[i]!.key >= key)];
  return block?.key === key ? block : undefined;
}

/** The JSON of a row of a block. */
export function rowText({ bytes, starts }: RowBlock, row: number): string {
  const end = row + 1 < starts.length ? starts[row + 1]! - 1 : bytes.length;
  return bytes.toString('utf8', starts[row]!, end);
}

/**
 * Arrays as one JSON object, its members in the order given. The entity tag comes from the digests of the blocks, so
 * that nothing has to be hashed again.
 */
export function joinTables(tables: Readonly<Record<string, RowTable>>): JoinedDocument {
  const members = Object.entries(tables).map(([name, table], i) => ({
    head: Buffer.from(`${i === 0 ? '{' : '],'}${JSON.stringify(name)}:[`),
    table,
  }));
  const tail = Buffer.from(members.length === 0 ? '{}' : ']}');
  const digests = members.map(({ head, table }) => `${head}${table.digest}`);
  const pieces = {
    *[Symbol.iterator]() {
      for (const { head, table } of members) {
        yield head;
        yield* piecesOf(table);
      }
      yield tail;
    },
  };
  const size = members.reduce((sum, { head, table }) => sum + head.length + table.size, tail.length);
  return new JoinedDocument(pieces, size, weakEtag(hash('sha256', digests.join(''), 'base64url')));
}

/** The rows of a table with commas between. */
export function* piecesOf({ blocks }: RowTable): Generator<Buffer> {
  for (let i = 0; i < blocks.length; i++) {
    if (i > 0) yield COMMA;
    yield blocks[i]!.bytes;
  }
}

const COMMA = Buffer.from(',');
