/**
 * The little that the catalogue needs of a database. The same SQL text runs on every driver; what differs
 * between databases stays inside the driver:
 *
 * - placeholders are `$1`, `$2`, …, each usable several times;
 * - an array is one parameter and becomes a table with a column `value` by `each_text($n)` or `each_int($n)`;
 * - types are TEXT, INTEGER (32 bit), BIGINT (53 bit used) and DOUBLE PRECISION; JSON is TEXT, truth is 0 or 1;
 * - `COLLATE BINARY` orders text by its UTF-8 bytes.
 */

export type SqlValue = string | number | null;
export type SqlParam = SqlValue | readonly string[] | readonly number[];
/** The values of one row in the order of the select list. */
export type SqlRow = readonly SqlValue[];

export interface SqlReader {
  /** All rows of one statement, which sees one state of the database. */
  all(sql: string, params?: readonly SqlParam[]): Promise<SqlRow[]>;
}

/** A write transaction. */
export interface SqlTransaction extends SqlReader {
  /** Runs one statement and gives the number of rows it changed. */
  run(sql: string, params?: readonly SqlParam[]): Promise<number>;
  /** Inserts many rows; each has a value per column. Gives their number. */
  insert(table: string, columns: readonly string[], rows: Iterable<readonly SqlValue[]>): Promise<number>;
}

export interface SqlDriver extends SqlReader {
  /** The rows of one statement in pages of `size`, all from one state of the database; the caller may pause between pages. */
  pages(sql: string, params: readonly SqlParam[], size: number): AsyncIterable<SqlRow[]>;
  /**
   * Runs `work` in a transaction that is committed when it resolves, durably (it survives a loss of power), and
   * rolled back when it rejects. Write transactions run one after the other, over all processes.
   */
  write<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
