import type pg from 'pg';
import type { SqlParam, SqlRow, SqlValue } from '../sql/driver.ts';
import type { Statements } from './statements.ts';

/** Statements of a transaction, with the first of their faults. */
export class NotedStatements {
  protected readonly client: pg.PoolClient;
  protected readonly statements: Statements;
  readonly #watched: <T>(answer: Promise<T>) => Promise<T>;
  /** The first error of the database, or of the way to it; null while there is none. */
  fault: unknown = null;

  /** `watched` gives the answer of a statement, or rejects when the connection is found dead. */
  constructor(client: pg.PoolClient, statements: Statements, watched: <T>(answer: Promise<T>) => Promise<T>) {
    this.client = client;
    this.statements = statements;
    this.#watched = watched;
  }

  /** See `SqlReader.all`. */
  async all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    return (await this.noting(this.client.query<SqlValue[]>(this.statements.query(sql, params)))).rows;
  }

  /** The answer of a statement; its error is noted where it is the first. */
  protected async noting<T>(answer: Promise<T>): Promise<T> {
    try {
      return await this.#watched(answer);
    } catch (error) {
      this.fault ??= error;
      throw error;
    }
  }
}
