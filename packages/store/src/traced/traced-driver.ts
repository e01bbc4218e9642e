import { traced, tracedParts } from '@citymodel/base';
import type { SqlDriver, SqlParam, SqlRow, SqlTransaction, SqlValue } from '../sql/driver.ts';

/**
 * A driver whose statements are spans. Their texts are told, which are those of the program; what they are asked with
 * is not.
 */
export class TracedDriver implements SqlDriver {
  readonly #inner: SqlDriver;
  readonly #system: string;
  readonly figures?: NonNullable<SqlDriver['figures']>;

  /** `system`: name of the database (https://opentelemetry.io/docs/specs/semconv/database/). */
  constructor(inner: SqlDriver, system: 'postgresql' | 'sqlite') {
    this.#inner = inner;
    this.#system = system;
    if (inner.figures !== undefined) this.figures = inner.figures.bind(inner);
  }

  all(sql: string, params?: readonly SqlParam[]): Promise<SqlRow[]> {
    return traced(
      verbOf(sql),
      () => this.#told(sql),
      () => this.#inner.all(sql, params),
    );
  }

  pages(sql: string, params: readonly SqlParam[], size: number): AsyncIterable<SqlRow[]> {
    return tracedParts(
      verbOf(sql),
      () => this.#told(sql),
      () => this.#inner.pages(sql, params, size),
    );
  }

  snapshot: SqlDriver['snapshot'] = (work) => this.#inner.snapshot(work);

  write: SqlDriver['write'] = (lock, work, options) =>
    traced(
      'transaction',
      () => ({ 'db.system.name': this.#system, 'citymodel.lock': lock ?? '' }),
      () => this.#inner.write(lock, (tx) => work(this.#within(tx)), options),
    );

  listen: SqlDriver['listen'] = (channel, heard) => this.#inner.listen(channel, heard);

  isMissingTable(error: unknown): boolean {
    return this.#inner.isMissingTable(error);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #within(tx: SqlTransaction): SqlTransaction {
    return {
      all: (sql, params) =>
        traced(
          verbOf(sql),
          () => this.#told(sql),
          () => tx.all(sql, params),
        ),
      run: (sql, params) =>
        traced(
          verbOf(sql),
          () => this.#told(sql),
          () => tx.run(sql, params),
        ),
      insert: (table: string, columns: readonly string[], rows: Iterable<readonly SqlValue[]>) =>
        traced(
          'INSERT',
          () => this.#told(`INSERT INTO ${table}`),
          () => tx.insert(table, columns, rows),
        ),
      announce: (channel) => tx.announce(channel),
    };
  }

  #told(sql: string): Record<string, string> {
    return { 'db.system.name': this.#system, 'db.query.text': sql };
  }
}

/** The first word of a statement. */
function verbOf(sql: string): string {
  return /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
}
