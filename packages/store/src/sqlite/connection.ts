import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlParam, SqlRow, SqlValue } from '../sql/driver.ts';

/** Rows are read, and inserts done, in slices of this many, so that other work gets its turn in between. */
export const SLICE = 1_000;

/**
 * How long SQLite itself waits for a lock, in ms. That wait blocks the thread, so it is short; longer waits
 * are made of several tries with pauses.
 */
const LOCK_TIMEOUT = 20;
/** Page cache per connection, KiB. */
const CACHE_KIB = 16_384;

/** SQLite's form of the notations in `sql/driver.ts`. */
function dialect(sql: string): string {
  return sql
    .replaceAll('clock_us()', "CAST(unixepoch('subsec') * 1000000 AS INTEGER)")
    .replaceAll('clock_ms()', "CAST(unixepoch('subsec') * 1000 AS INTEGER)")
    .replace(/each_(?:text|int)\((\$\d+)\)/g, 'json_each($1)')
    .replace(/\$(\d+)/g, '?$1');
}

function bindable(param: SqlParam): SqlValue {
  return typeof param === 'object' && param !== null ? JSON.stringify(param) : param;
}

/** One connection with its prepared statements. Used by one caller at a time. */
export class Connection {
  readonly #db: DatabaseSync;
  /** Not bounded: the program has a fixed set of SQL texts. */
  readonly #statements = new Map<string, StatementSync>();

  /** Opens the file, which a writer creates when it is not there. Throws what node:sqlite throws. */
  constructor(path: string, mode: 'read' | 'write') {
    this.#db = new DatabaseSync(path, { readOnly: mode === 'read', timeout: LOCK_TIMEOUT });
    try {
      if (mode === 'write') {
        this.#db.exec('PRAGMA journal_mode = WAL');
        // FULL syncs the log at each commit: what was acknowledged survives a loss of power. Commits are rare here.
        this.#db.exec('PRAGMA synchronous = FULL');
        this.#db.exec('PRAGMA journal_size_limit = 67108864');
      }
      this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  run(sql: string, params: readonly SqlParam[]): number {
    return Number(this.#prepare(sql).run(...params.map(bindable)).changes);
  }

  /**
   * The rows one by one. The statement stays active, and with it the state of the database that it sees, to the end.
   */
  rows(sql: string, params: readonly SqlParam[]): IterableIterator<SqlRow> {
    // Typed for rows as objects; `setReturnArrays` makes them arrays, which are faster and need no names.
    return this.#prepare(sql).iterate(...params.map(bindable)) as unknown as IterableIterator<SqlRow>;
  }

  /** A prepared insert, to be run for many rows. */
  inserter(table: string, columns: readonly string[]): (row: readonly SqlValue[]) => void {
    const values = columns.map((_, i) => `$${i + 1}`).join(', ');
    const statement = this.#prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`);
    return (row) => {
      statement.run(...row);
    };
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(dialect(sql));
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
