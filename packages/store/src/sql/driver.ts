/**
 * The little that the catalogue needs of a database. The same SQL text runs on every driver; what differs
 * between databases stays inside the driver:
 *
 * - placeholders are `$1`, `$2`, …, each usable several times;
 * - an array is one parameter and becomes a table with a column `value` by `each_text($n)` or `each_int($n)`, without
 *   alias;
 * - types are TEXT, INTEGER (32 bit), BIGINT (53 bit used) and DOUBLE PRECISION; JSON is TEXT, truth is 0 or 1;
 * - text is compared and ordered by its UTF-8 bytes, as `COLLATE BINARY` says where it matters most;
 * - `clock_ms()` and `clock_us()` are the clock of the database, ms and µs since 1970;
 * - `CROSS JOIN` asks for the tables to be read in the order written, where a database takes such wishes.
 */

import type { DatabaseFigures } from '../store-figures.ts';

export type SqlValue = string | number | null;
export type SqlParam = SqlValue | readonly string[] | readonly number[];
/** The values of one row in the order of the select list. */
export type SqlRow = readonly SqlValue[];

export interface SqlReader {
  /** All rows of one statement, which sees one state of the database. */
  all(sql: string, params?: readonly SqlParam[]): Promise<SqlRow[]>;
}

/** A write transaction. Its statements run one after the other, each awaited before the next. */
export interface SqlTransaction extends SqlReader {
  /** Runs one statement and gives the number of rows it changed. */
  run(sql: string, params?: readonly SqlParam[]): Promise<number>;
  /** Inserts many rows; each has a value per column. */
  insert(table: string, columns: readonly string[], rows: Iterable<readonly SqlValue[]>): Promise<void>;
  /** Wakes those who listen, in all processes, once the transaction is committed; where the database can. */
  announce(channel: SqlChannel): Promise<void>;
}

/** What may have changed: what is live; packs that are finished. */
export type SqlChannel = 'catalogue' | 'packs';

/**
 * What write transactions must not overlap on. Those with the same lock run one after the other, over all processes;
 * others need only what the database promises of concurrent changes to the same row. SQLite has one lock for
 * everything.
 */
export type SqlLock = 'catalogue' | 'packs' | 'jobs' | null;

export interface SqlWriteOptions {
  /**
   * The transaction changes tables that others use. In some databases a statement that waits for a table holds up
   * everybody who comes after it. There the transaction waits for a moment only, and runs again later.
   */
  changesSchema?: boolean;
}

/** Statements that all see one state of the database, whatever is written meanwhile. One runs at a time. */
export interface SqlSnapshot extends SqlReader {
  /** The rows of one statement in pages of `size`; a caller may pause between them for as long as it likes. */
  pages(sql: string, size: number): AsyncIterable<SqlRow[]>;
}

export interface SqlDriver extends SqlReader {
  /**
   * The rows of one statement in pages of `size`, all from one state of the database; the caller may pause between
   * pages.
   */
  pages(sql: string, params: readonly SqlParam[], size: number): AsyncIterable<SqlRow[]>;
  /** Runs `work` over one state of the database, that of some moment of the call. Writers do not wait for it. */
  snapshot<T>(work: (snapshot: SqlSnapshot) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction that holds `lock` to its end. The transaction is committed when `work` resolves,
   * durably (it survives a loss of power), and rolled back when it rejects. A database may roll it back for the sake of
   * another transaction; then `work` runs again from its start. So it changes nothing outside, and inserts rows that
   * can be read again.
   */
  write<T>(
    lock: SqlLock,
    work: (transaction: SqlTransaction) => Promise<T>,
    options?: SqlWriteOptions,
  ): Promise<T>;
  /**
   * Calls `heard` when somebody may have announced something, until the function that it gives is called. A call may be
   * missing or be one too many, so callers look regularly as well. A database that cannot tell never calls.
   */
  listen(channel: SqlChannel, heard: () => void): () => void;
  /** True for the error of a statement that names a table which does not exist. */
  isMissingTable(error: unknown): boolean;
  /** Absent where the database is a file of this machine. Throws StoreUnavailable. */
  figures?(): Promise<DatabaseFigures>;
  close(): Promise<void>;
}
