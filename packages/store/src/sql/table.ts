import type { SqlRow, SqlTransaction, SqlValue } from './driver.ts';

/** A table as this program sees it: the columns it names, and how an object becomes their values. */
export interface Table<T> {
  readonly name: string;
  readonly columns: readonly string[];
  toRow(object: T): SqlValue[];
}

/**
 * Values of a row by position. They are what `toRow` put there, which types cannot say, so each fits where it is used.
 */
export type Values = ReadonlyArray<never>;

/** A table by its columns, each with the value that goes in; and where each column stands in a row. */
export function table<T, Column extends string>(
  name: string,
  fields: Record<Column, (object: T) => SqlValue>,
): { table: Table<T>; at: Record<Column, number> } {
  const columns = Object.keys(fields) as Column[];
  const values = Object.values<(object: T) => SqlValue>(fields);
  return {
    table: { name, columns, toRow: (object) => values.map((value) => value(object)) },
    at: Object.fromEntries(columns.map((column, i) => [column, i])) as Record<Column, number>,
  };
}

/** The values of a row, to be read by position. */
export function valuesOf(row: SqlRow): Values {
  return row as Values;
}

/** Inserts rows of objects. */
export function insert<T>(tx: SqlTransaction, table: Table<T>, objects: Iterable<T>): Promise<void> {
  return tx.insert(table.name, table.columns, mapped(objects, table.toRow));
}

/** All columns of a table, for a SELECT that calls it so. */
export function qualified(table: Table<never>, alias: string): string {
  return table.columns.map((column) => `${alias}.${column}`).join(', ');
}

function* mapped<T>(items: Iterable<T>, row: (item: T) => SqlValue[]): Generator<SqlValue[]> {
  for (const item of items) yield row(item);
}
