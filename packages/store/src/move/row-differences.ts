import { createHash, type Hash } from 'node:crypto';
import type { SqlDriver, SqlRow, SqlValue } from '../sql/driver.ts';
import type { MovedTable } from './moved-tables.ts';

/** Rows per page; of packages some hundred kilobytes. */
const PAGE = 500;

/** Rows of one table by their key, in two databases. */
export interface Differences {
  /** Keys of rows that the target lacks or has otherwise. */
  changed: SqlValue[];
  /** Keys of rows that only the target has. */
  gone: SqlValue[];
}

/** Compares the rows of a table whose primary key is its owner column. */
export async function differencesOf(table: MovedTable, from: SqlDriver, to: SqlDriver): Promise<Differences> {
  const there = new Map<SqlValue, string>();
  for await (const [key, digest] of digestsOf(table, to)) there.set(key, digest);
  const changed: SqlValue[] = [];
  for await (const [key, digest] of digestsOf(table, from)) {
    if (there.get(key) !== digest) changed.push(key);
    there.delete(key);
  }
  return { changed, gone: [...there.keys()] };
}

/** SHA-256 over all rows of a table in the order of its primary key, lower-case hex. */
export async function tableDigest(table: MovedTable, database: SqlDriver): Promise<string> {
  const hash = createHash('sha256');
  for await (const page of pagesOf(table, database)) for (const row of page) addRow(hash, row);
  return hash.digest('hex');
}

async function* digestsOf(table: MovedTable, database: SqlDriver): AsyncGenerator<[SqlValue, string]> {
  const at = table.columns.indexOf(table.owner);
  for await (const page of pagesOf(table, database)) {
    for (const row of page) {
      const hash = createHash('sha256');
      addRow(hash, row);
      yield [row[at]!, hash.digest('base64')];
    }
  }
}

function pagesOf(table: MovedTable, database: SqlDriver): AsyncIterable<SqlRow[]> {
  return database.pages(orderedRows(table), [], PAGE);
}

/** The statement that reads all rows of a table, by its primary key. */
export function orderedRows({ name, columns, owner, order }: MovedTable): string {
  return `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${[owner, ...order].join(', ')}`;
}

/** Adds a row to a digest. Texts are as PostgreSQL can keep them, so that both databases have the same digest. */
export function addRow(hash: Hash, row: SqlRow): void {
  const values = row.map((value) =>
    typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value,
  );
  hash.update(JSON.stringify(values)).update('\n');
}
