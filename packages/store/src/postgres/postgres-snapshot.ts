import type { SqlRow, SqlSnapshot } from '../sql/driver.ts';
import { NotedStatements } from './noted-statements.ts';
import { timed, WRITE_STATEMENT_MS } from './statements.ts';

const CURSOR = 'snapshot_rows';

/**
 * Begins a transaction that sees one state, that of its first statement. Its caller may pause for long, and a statement
 * that sorts a large table may take long.
 */
export const BEGIN_SNAPSHOT =
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0; ' +
  `SET LOCAL statement_timeout = ${WRITE_STATEMENT_MS}; SELECT 1`;

/** Statements of a transaction that has begun so; the caller that began it ends it. */
export class PostgresSnapshot extends NotedStatements implements SqlSnapshot {
  async *pages(sql: string, size: number): AsyncGenerator<SqlRow[]> {
    const declare = `DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${this.statements.text(sql)}`;
    await this.noting(this.client.query(timed(declare, WRITE_STATEMENT_MS)));
    for (;;) {
      const page = await this.all(`FETCH ${size} FROM ${CURSOR}`);
      if (page.length > 0) yield page;
      if (page.length < size) break;
    }
    await this.noting(this.client.query(timed(`CLOSE ${CURSOR}`, WRITE_STATEMENT_MS)));
  }
}
