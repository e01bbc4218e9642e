import { setImmediate } from 'node:timers/promises';
import type { SqlParam, SqlRow, SqlSnapshot } from '../sql/driver.ts';
import { Connection } from './connection.ts';
import { translate } from './sqlite-error.ts';

/**
 * Runs `work` over one state of the database in a file, by a connection of its own on the calling thread. In WAL mode
 * nobody waits for it; the log grows until it ends. Throws StoreUnavailable.
 */
export async function withSnapshot<T>(path: string, work: (snapshot: SqlSnapshot) => Promise<T>): Promise<T> {
  const connection = orTranslated(path, () => new Connection(path, 'read'));
  try {
    return await work(new SqliteSnapshot(path, connection));
  } finally {
    // What was begun ends with the connection.
    connection.close();
  }
}

class SqliteSnapshot implements SqlSnapshot {
  readonly #path: string;
  readonly #connection: Connection;

  constructor(path: string, connection: Connection) {
    this.#path = path;
    this.#connection = connection;
    orTranslated(path, () => {
      connection.exec('BEGIN');
      // A transaction sees the state of its first read.
      for (const _ of connection.rows('SELECT count(*) FROM sqlite_schema', []));
    });
  }

  async all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    return orTranslated(this.#path, () => [...this.#connection.rows(sql, params)]);
  }

  async *pages(sql: string, size: number): AsyncGenerator<SqlRow[]> {
    const rows = orTranslated(this.#path, () => this.#connection.rows(sql, []));
    for (;;) {
      const page: SqlRow[] = [];
      orTranslated(this.#path, () => {
        for (let next = rows.next(); !next.done; next = rows.next())
          if (page.push(next.value) === size) break;
      });
      if (page.length > 0) yield page;
      if (page.length < size) return;
      await setImmediate();
    }
  }
}

function orTranslated<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error, path);
  }
}
