/**
 * Neighbouring rows of one array of the catalogue, serialised once and kept from one snapshot to the next: what a
 * publication does not touch is copied as bytes.
 */
import { hash } from 'node:crypto';
import type { Bounds } from '../../geo/bounds.ts';

export const COLUMNS = ['pref', 'city', 'ward', 'types', 'format', 'lod', 'year'] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** What filters see of a row. A key that is missing in every row of a table is a column that it does not carry. */
export type RowKeys = { [K in ColumnName]?: string } & { bounds: Bounds | null };

export interface RowBlock {
  /** Blocks of one array stand in the order of their keys, and their rows then in the order of the array. */
  readonly key: string;
  /** The rows with commas between. Moves into each new document, so that an old one can be forgotten. */
  bytes: Buffer;
  /** Of `bytes`. */
  readonly digest: string;
  /** Where each row begins in `bytes`. */
  readonly starts: readonly number[];
  readonly keys: readonly RowKeys[];
}

/** A block of rows that are in order; null for none. */
export function rowBlock(key: string, rows: ReadonlyArray<{ row: object; keys: RowKeys }>): RowBlock | null {
  if (rows.length === 0) return null;
  const texts = rows.map(({ row }) => JSON.stringify(row));
  const starts: number[] = [];
  let at = 0;
  for (const text of texts) {
    starts.push(at);
    at += Buffer.byteLength(text) + 1;
  }
  const bytes = Buffer.from(texts.join(','));
  return {
    key,
    bytes,
    digest: hash('sha256', bytes, 'base64url'),
    starts,
    keys: rows.map(({ keys }) => keys),
  };
}

/** For sorting blocks. */
export function compareBlocks(a: RowBlock, b: RowBlock): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
