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

/**
 * Rows that make every table of a migrated database large: packages with files, places and issues, packs, jobs, garbage. Those of
 * packages are added to what is there only when `packages` is above 0.
 */
export async function fillTables(driver: SqlDriver, { packages }: { packages: number }): Promise<void> {
  await driver.write(null, async (tx) => {
    const fill = (table: string, columns: Record<string, string>, rows: number, from = '') =>
      tx.run(
        `INSERT INTO ${table} (${Object.keys(columns).join(', ')}) ` +
          `SELECT ${Object.values(columns).join(', ')} FROM generate_series(1, ${rows}) i${from}`,
      );
    if (packages > 0) {
      await fill('package', filledPackage(), packages);
      await tx.run(`UPDATE catalogue_version SET version = ${packages}, last_package_no = ${packages}`);
      await fill('catalogue_change', { version: `${packages} - i + 1`, package_no: 'i' }, 1_000);
      await fill('gml_file', FILLED_FILE, packages, `, generate_series(1, 10) j`);
      await fill(
        'place',
        { ...FILLED_BOX, name: "'町' || i % 1000", package_no: 'i', kind: "'town'" },
        packages,
      );
    }
    const first = 'SELECT min(no) FROM package';
    await fill(
      'issue',
      {
        package_no: `(${first}) + i % 10`,
        position: '1000000 + i',
        code: "'C'",
        severity: "'info'",
        message: "'m'",
      },
      20_000,
    );
    await fill('pack', FILLED_PACK, 20_000);
    await fill('pack_source', FILLED_SOURCE, 20_000);
    await fill('job', FILLED_JOB, 20_000);
    await fill('garbage', { key: "'garbage/' || i", since: '1' }, 20_000);
  });
  await driver.write(null, (tx) => tx.run('ANALYZE'));
}

const FILLED_BOX = { west: '139', south: '35', east: '140', north: '36' };
const FILLED_FILE = {
  ...FILLED_BOX,
  package_no: 'i',
  type: "CASE WHEN j % 2 = 0 THEN 'bldg' ELSE 'tran' END",
  path: "'udx/' || j",
  mesh: "'5339' || lpad(((i * 10 + j) % 10000)::text, 4, '0')",
  mesh_guessed: '0',
  size: '1',
  features: '1',
  max_lod: '1',
  sha256: "'h'",
  area_codes: "'13101'",
  well_formed: '1',
  extras: "repeat('x', 300)",
};
const FILLED_PACK = {
  id: "'pack-' || i",
  status: "'succeeded'",
  progress: '1',
  run: '1',
  tries: '1',
  content: "'c'",
  accepted_at: 'i',
  expires_at: '1900000000000 + i',
  materialised: '0',
  missing: "'[]'",
  missing_count: '0',
  bytes: '1000',
};
const FILLED_SOURCE = {
  pack: "'pack-' || i",
  position: '0',
  package_id: "'p'",
  directory: "'d'",
  archive_key: "'archive-' || i",
  index_key: "'index-' || i",
  archive_sha256: "'h'",
  files: "'[]'",
  metadata: "'[]'",
};
const FILLED_JOB = {
  id: "'job-' || i",
  kind: "'ingest'",
  label: "'l'",
  payload: "'{}'",
  state: "CASE WHEN i % 100 = 0 THEN 'dead' ELSE 'succeeded' END",
  attempts: '1',
  max_attempts: '3',
  run: '1',
  object_key: "'incoming/' || i",
  created_at: 'i',
  position: '0',
  available_at: 'i',
  finished_at: '1900000000000 + i',
  cancelling: '0',
  result: "'null'",
};

/** Values of every column of a package that must have one: what it is does not matter here, except that it is never the same. */
function filledPackage(): Record<string, string> {
  const own = ['id', 'identity', 'name', 'asset_path', 'archive_key', 'index_key', 'upload_digest'];
  const words = [
    'kind',
    'pref_code',
    'pref',
    'city_code',
    'city',
    'provider',
    'spec',
    'revision',
    'root_prefix',
  ];
  const numbers = [
    'year',
    'registration_year',
    'archive_size',
    'member_count',
    'member_bytes',
    'features',
    'files',
  ];
  const more = ['errors', 'warnings', 'infos'];
  return {
    no: 'i',
    ...Object.fromEntries(own.map((column) => [column, `'${column}-' || i`])),
    ...Object.fromEntries(
      [...words, 'archive_sha256', 'upload_name', 'ingested_at'].map((column) => [column, "'w'"]),
    ),
    ...Object.fromEntries([...numbers, ...more].map((column) => [column, '1'])),
    ...Object.fromEntries(['area_names', 'part_names'].map((column) => [column, "'{}'"])),
    ...Object.fromEntries(['types', 'guessed', 'metadata_zips'].map((column) => [column, "'[]'"])),
    state: "CASE WHEN i % 50 = 0 THEN 'retired' ELSE 'live' END",
    left_at: 'CASE WHEN i % 50 = 0 THEN 1900000000000 ELSE NULL END',
  };
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
    'SELECT c.relname, a.attname, (i.indpred IS NOT NULL)::int FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid ' +
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
 * The tables that a plan reads from end to end, in their own order or in that of an index: without a condition on the first column
 * of the index. One in the order of an index below a LIMIT ends early, and a partial index has few rows.
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
  // Garbage is a list of what to do: whoever sweeps reads it all.
  /^(SELECT key|DELETE) FROM garbage (ORDER BY key$|WHERE (?!.*key IN))/,
  /^SELECT coalesce\(sum\(bytes\), 0\) FROM pack$/,
  /^SELECT state, count\(\*\) FROM job GROUP BY state$/,
];
