import type { SqlChannel, SqlParam, SqlTransaction, SqlValue } from '../sql/driver.ts';
import { toJsonRows } from './dialect.ts';
import { channelName } from './listener.ts';
import { NotedStatements } from './noted-statements.ts';
import { timed, WRITE_STATEMENT_MS } from './statements.ts';

/** Rows of one INSERT. */
const BATCH = 1_000;

/** A transaction that has begun; the caller that began it ends it. */
export class PostgresTransaction extends NotedStatements implements SqlTransaction {
  async run(sql: string, params: readonly SqlParam[] = []): Promise<number> {
    return (await this.noting(this.client.query(this.statements.query(sql, params)))).rowCount ?? 0;
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly SqlValue[]>,
  ): Promise<void> {
    const names = columns.join(', ');
    // The table's own row type says what each column is.
    const sql = `INSERT INTO ${table} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1)`;
    let batch: Array<readonly SqlValue[]> = [];
    const flush = async () => {
      await this.run(sql, [toJsonRows(columns, batch)]);
      batch = [];
    };
    for (const row of rows) {
      if (batch.push(row) === BATCH) await flush();
    }
    if (batch.length > 0) await flush();
  }

  async announce(channel: SqlChannel): Promise<void> {
    // Sent when the transaction is committed.
    await this.noting(this.client.query(`NOTIFY ${channelName(channel)}`));
  }

  async commit(): Promise<void> {
    const { command } = await this.noting(this.client.query(timed('COMMIT', WRITE_STATEMENT_MS)));
    // So says PostgreSQL when a statement had failed and `work` did not tell.
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: a statement of it had failed');
  }
}
