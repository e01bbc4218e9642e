/**
 * Rows of a database in a file of lines, gzipped. A table begins with `{"table", "columns"}`; each line after it is one
 * row, a list of its values. Both databases write the same file.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { JOB_TABLES, type MovedTable, PACK_TABLES, PACKAGE_TABLES } from '../move/moved-tables.ts';
import { addRow, orderedRows } from '../move/row-differences.ts';
import type { SqlRow, SqlSnapshot, SqlValue } from '../sql/driver.ts';
import { BackupDamaged, type TableFacts } from './backup-format.ts';

/** Rows of a page, and of a batch that is inserted. */
const PAGE = 500;

/** The tables of a backup, each before those that refer to it. What others have is of moments that are over. */
export const DUMPED_TABLES: readonly MovedTable[] = [...PACKAGE_TABLES, ...PACK_TABLES, ...JOB_TABLES];

/** Rows that follow each other in a file. */
export interface DumpedRows {
  table: MovedTable;
  columns: readonly string[];
  rows: SqlRow[];
}

/** Writes the rows of one state of the database into a new file. Gives number and digest of the rows of each table. */
export async function dumpRows(snapshot: SqlSnapshot, path: string): Promise<Record<string, TableFacts>> {
  const facts: Record<string, TableFacts> = {};
  const gzip = createGzip();
  const writing = pipeline(gzip, createWriteStream(path, { flags: 'wx' }));
  // A writer that waits for room in the pipe has to hear of its end.
  const failed = writing.then(() => {});
  failed.catch(() => {});
  const write = async (line: unknown) => {
    if (!gzip.write(`${JSON.stringify(line)}\n`)) await Promise.race([once(gzip, 'drain'), failed]);
  };
  try {
    for (const table of DUMPED_TABLES) {
      await write({ table: table.name, columns: table.columns });
      const hash = createHash('sha256');
      let rows = 0;
      for await (const page of snapshot.pages(orderedRows(table), PAGE)) {
        for (const row of page) {
          addRow(hash, row);
          await write(row);
        }
        rows += page.length;
      }
      facts[table.name] = { rows, sha256: hash.digest('hex') };
    }
    gzip.end();
    await writing;
  } catch (error) {
    gzip.destroy();
    await failed.catch(() => {});
    throw error;
  }
  return facts;
}

/** The rows of a file in their order, some at a time. Throws BackupDamaged for what `dumpRows` does not write. */
export async function* readDump(path: string): AsyncGenerator<DumpedRows> {
  const known = new Map(DUMPED_TABLES.map((table) => [table.name, table]));
  let current: Omit<DumpedRows, 'rows'> | null = null;
  let rows: SqlRow[] = [];
  const gunzip = createGunzip();
  const source = createReadStream(path);
  source.on('error', (error) => gunzip.destroy(error));
  const lines = createInterface({ input: source.pipe(gunzip), crlfDelay: Number.POSITIVE_INFINITY });
  const broken = new Promise<never>((_, reject) => gunzip.once('error', reject));
  broken.catch(() => {});
  const reading = lines[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([reading.next(), broken]);
    if (next.done) break;
    const line: unknown = JSON.parse(next.value);
    if (Array.isArray(line)) {
      if (current === null || line.length !== current.columns.length)
        throw new BackupDamaged('a row of the dump has another number of values than its table has columns');
      rows.push(line as SqlValue[]);
      if (rows.length < PAGE) continue;
    }
    if (current !== null && rows.length > 0) yield { ...current, rows };
    rows = [];
    if (!Array.isArray(line)) current = headOf(line, known);
  }
  if (current !== null && rows.length > 0) yield { ...current, rows };
}

/** Names of tables and columns become parts of statements, so only known ones count. */
function headOf(line: unknown, known: ReadonlyMap<string, MovedTable>): Omit<DumpedRows, 'rows'> {
  const { table: name, columns } = line as { table: string; columns: string[] };
  const table = known.get(name);
  const unknown = table === undefined ? name : columns.find((column) => !table.columns.includes(column));
  if (table === undefined || unknown !== undefined) {
    throw new BackupDamaged(
      `the dump has ${String(unknown)}, which this program does not know: use a newer one`,
    );
  }
  return { table, columns };
}
