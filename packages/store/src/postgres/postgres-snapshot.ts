import type pg from 'pg';
import type { SqlParam, SqlRow, SqlSnapshot, SqlValue } from '../sql/driver.ts';
import { type Statements, timed, WRITE_STATEMENT_MS } from './statements.ts';

const CURSOR = 'snapshot_rows';

/**
 * Begins a transaction that sees one state, that of its first statement. Its caller may pause for long, and a statement
 * that sorts a large table may take long.
 */
export const BEGIN_SNAPSHOT =
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0; ' +
  `SET LOCAL statement_timeout = ${WRITE_STATEMENT_MS}; SELECT 1`;

/** Statements of a transaction that has begun so; the caller that began it ends it. */
export class PostgresSnapshot implements SqlSnapshot {
  readonly #client: pg.PoolClient;
  readonly #statements: Statements;
  readonly #watched: <T>(answer: Promise<T>) => Promise<T>;
  /** The first error of the database, or of the way to it; null while there is none. */
  fault: unknown = null;

  /** `watched` gives the answer of a statement, or rejects when the connection is found dead. */
  constructor(client: pg.PoolClient, statements: Statements, watched: <T>(answer: Promise<T>) => Promise<T>) {
    this.#client = client;
    this.#statements = statements;
    this.#watched = watched;
  }

  async all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    return (await this.#noting(this.#client.query<SqlValue[]>(this.#statements.query(sql, params)))).rows;
  }

  async *pages(sql: string, size: number): AsyncGenerator<SqlRow[]> {
    const declare = `DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${this.#statements.text(sql)}`;
    await this.#noting(this.#client.query(timed(declare, WRITE_STATEMENT_MS)));
    for (;;) {
      const page = await this.all(`FETCH ${size} FROM ${CURSOR}`);
      if (page.length > 0) yield page;
      if (page.length < size) break;
    }
    await this.#noting(this.#client.query(timed(`CLOSE ${CURSOR}`, WRITE_STATEMENT_MS)));
  }

  async #noting<T>(answer: Promise<T>): Promise<T> {
    try {
      return await this.#watched(answer);
    } catch (error) {
      this.fault ??= error;
      throw error;
    }
  }
}
