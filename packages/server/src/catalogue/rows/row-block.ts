/**
 * Neighbouring rows of one array of the catalogue, serialised once and kept from one snapshot to the next: a
 * publication makes the blocks of its own city only.
 */

import { hash } from 'node:crypto';
import { compareTexts } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';

/** The columns that filters look at. */
export const COLUMNS = ['pref', 'city', 'ward', 'types', 'format', 'lod', 'year'] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** What filters see of a row. A key that is missing in every row of a table is a column that it does not carry. */
export type RowKeys = { [K in ColumnName]?: string } & { bounds: Bounds | null };

/** Lists of numbers, since a country has too many rows for objects of their own. */
export interface RowBlock {
  /** Blocks of one array stand in the order of their keys, and their rows then in the order of the array. */
  readonly key: string;
  /** The rows with commas between. */
  readonly bytes: Buffer;
  /** Of `bytes`. */
  readonly digest: string;
  /** Where each row begins in `bytes`. */
  readonly starts: readonly number[];
  /** Numbers of the values that each row has in `COLUMNS`, as `ColumnValues` gives them. */
  readonly codes: readonly number[];
  /** West, south, east, north of each row; NaN where unknown. */
  readonly bounds: readonly number[];
}

/** Number of a column that a row lacks. */
export const NO_VALUE = 0;

/**
 * The distinct values of the columns with a number for each. Numbers stay, so that blocks of all snapshots share them.
 */
export class ColumnValues {
  readonly #columns = COLUMNS.map(() => ({ values: [''], codes: new Map<string, number>() }));

  /** Of a value in the column at this place of `COLUMNS`. */
  codeOf(column: number, value: string | undefined): number {
    if (value === undefined) return NO_VALUE;
    const { values, codes } = this.#columns[column]!;
    let code = codes.get(value);
    if (code === undefined) {
      code = values.push(value) - 1;
      codes.set(value, code);
    }
    return code;
  }

  /** By number; '' stands for a row without one. Several types are joined with `,`. */
  valuesOf(column: ColumnName): readonly string[] {
    return this.#columns[COLUMNS.indexOf(column)]!.values;
  }
}

/** A block of rows that are in order; null for none. */
export function rowBlock(
  key: string,
  rows: ReadonlyArray<{ row: object; keys: RowKeys }>,
  values: ColumnValues,
): RowBlock | null {
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
    codes: rows.flatMap(({ keys }) => COLUMNS.map((name, column) => values.codeOf(column, keys[name]))),
    bounds: rows.flatMap(({ keys: { bounds: b } }) =>
      b === null ? UNKNOWN : [b.west, b.south, b.east, b.north],
    ),
  };
}

const UNKNOWN = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];

/** For sorting blocks. */
export function compareBlocks(a: RowBlock, b: RowBlock): number {
  return compareTexts(a.key, b.key);
}
