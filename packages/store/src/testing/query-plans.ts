/** How PostgreSQL would read: the plan of every statement that the stores run. */
import type { SqlDriver, SqlParam, SqlReader, SqlRow, SqlTransaction, SqlValue } from '../sql/driver.ts';

export interface StatementPlan {
  sql: string;
  /** Lines as EXPLAIN prints them. */
  plan: string;
  /** What PostgreSQL expects it to cost, in its own unit: about a page read in order. */
  cost: number;
}

/** A driver that takes the plan of each statement, with its parameters, before it runs it. */
export class ExplainingDriver implements SqlDriver {
  readonly #driver: SqlDriver;
  /** By the text of the statement; of several runs the costliest. */
  readonly plans = new Map<string, StatementPlan>();

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    await this.#explain(this.#driver, sql, params);
    return this.#driver.all(sql, params);
  }

  async *pages(sql: string, params: readonly SqlParam[], size: number): AsyncGenerator<SqlRow[]> {
    await this.#explain(this.#driver, sql, params);
    yield* this.#driver.pages(sql, params, size);
  }

  /** Reads whole tables on purpose, so that no plan of it is bad. */
  snapshot: SqlDriver['snapshot'] = (work) => this.#driver.snapshot(work);

  write: SqlDriver['write'] = (lock, work, options) =>
    this.#driver.write(lock, (tx) => work(this.#explaining(tx)), options);

  listen: SqlDriver['listen'] = (channel, heard) => this.#driver.listen(channel, heard);

  isMissingTable(error: unknown): boolean {
    return this.#driver.isMissingTable(error);
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  #explaining(tx: SqlTransaction): SqlTransaction {
    return {
      all: async (sql, params = []) => {
        await this.#explain(tx, sql, params);
        return tx.all(sql, params);
      },
      run: async (sql, params = []) => {
        await this.#explain(tx, sql, params);
        return tx.run(sql, params);
      },
      insert: (table, columns, rows: Iterable<readonly SqlValue[]>) => tx.insert(table, columns, rows),
      announce: (channel) => tx.announce(channel),
    };
  }

  async #explain(reader: SqlReader, sql: string, params: readonly SqlParam[]): Promise<void> {
    const rows = await reader.all(`EXPLAIN ${sql}`, params);
    const plan = rows.map(([line]) => line).join('\n');
    const cost = Number(/cost=[\d.]+\.\.([\d.]+)/.exec(plan)?.[1]);
    const known = this.plans.get(sql);
    if (known !== undefined && known.cost >= cost) return;
    this.plans.set(sql, { sql, plan, cost });
  }
}

/** A statement that reads tables from end to end. */
export interface Scan extends StatementPlan {
  tables: string[];
}

/** Statements that read a large table from end to end although they need not. */
export async function needlessScans(driver: SqlDriver, plans: Iterable<StatementPlan>): Promise<Scan[]> {
  const rows = await driver.all(`SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > ${LARGE}`);
  const large = new Set(rows.map(([name]) => name as string));
  const indexes = await driver.all(
    'SELECT c.relname, a.attname, (i.indpred IS NOT NULL)::int FROM pg_index i JOIN pg_class c ON c.oid = ' +
      'i.indexrelid ' +
      'JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]',
  );
  const firstColumns = new Map(indexes.map(([name, column]) => [name as string, column as string]));
  const partial = new Set(
    indexes.filter(([, , isPartial]) => isPartial === 1).map(([name]) => name as string),
  );
  const scans: Scan[] = [];
  for (const plan of plans) {
    if (READS_ALL.some((pattern) => pattern.test(plan.sql))) continue;
    const tables = scannedTables(plan.plan, firstColumns, partial).filter((table) => large.has(table));
    if (tables.length > 0) scans.push({ ...plan, tables });
  }
  return scans;
}

/**
 * The tables that a plan reads from end to end, in their own order or in that of an index: without a condition on the
 * first column of the index. One in the order of an index below a LIMIT ends early, and a partial index has few rows.
 */
function scannedTables(
  plan: string,
  firstColumns: ReadonlyMap<string, string>,
  partial: ReadonlySet<string>,
): string[] {
  const tables = new Set<string>();
  // One that sorts all rows first has to read them all.
  const isLimited = /^ *Limit /.test(plan) && !/^ *-> {2}Sort /m.test(plan);
  const scan =
    /(?:Seq Scan|(?:Index Scan|Index Only Scan|Bitmap Index Scan)(?: Backward)? (?:using|on) (\w+))(?: on (\w+))?.*(?:\n *Index Cond: (.*))?/g;
  for (const [, index, table, condition = ''] of plan.matchAll(scan)) {
    // A bitmap's table stands above it; its index leads there by a condition, or there would be no bitmap.
    if (table === undefined) continue;
    if (index !== undefined) {
      const isLed = new RegExp(`\\b${firstColumns.get(index)}\\b`).test(condition);
      if (isLed || isLimited || partial.has(index)) continue;
    }
    tables.add(table);
  }
  return [...tables];
}

/** Rows from which a table is large. */
const LARGE = 5_000;
/** Statements whose answer is about every row. */
const READS_ALL = [
  /FROM package WHERE state IN \(SELECT value FROM each_text\(\$1\)\) ORDER BY no$/,
  /LEFT JOIN package p ON p\.state IN \('live', 'retired'\) WHERE v\.one = 1 ORDER BY p\.no$/,
  // Garbage is a list of what to do: a sweep reads it all.
  /^(SELECT key|DELETE) FROM garbage (ORDER BY key$|WHERE (?!.*key IN))/,
  /^SELECT coalesce\(sum\(bytes\), 0\) FROM pack$/,
  /^SELECT state, kind, count\(\*\) FROM job GROUP BY state, kind$/,
];
