/** Brings the rows of a backup into an empty database. */
import { randomUUID } from 'node:crypto';
import { JOB_TABLES, PACK_TABLES } from '../move/moved-tables.ts';
import { tableDigest } from '../move/row-differences.ts';
import { setDatabaseIdentity } from '../sql/database-identity.ts';
import type { SqlDriver, SqlRow, SqlTransaction } from '../sql/driver.ts';
import { BackupDamaged, type BackupDescription } from './backup-format.ts';
import { DUMPED_TABLES, type DumpedRows, readDump } from './row-dump.ts';

/** Tables whose rows may name objects that end by themselves, and those that belong to them. */
const ENDING: ReadonlySet<string> = new Set([...PACK_TABLES, ...JOB_TABLES].map(({ name }) => name));

/** The database that a backup is to be restored into has something. */
export class DatabaseInUse extends Error {
  constructor(what: string) {
    super(`the database of DATABASE_URL is not empty: it has ${what}. Restore into an empty one`);
    this.name = 'DatabaseInUse';
  }
}

/** Throws DatabaseInUse. */
export async function assertEmpty(database: SqlDriver): Promise<void> {
  const [[version]] = (await database.all('SELECT version FROM catalogue_version')) as [[number]];
  if (version > 0) throw new DatabaseInUse(`version ${version} of a catalogue`);
  for (const { name } of DUMPED_TABLES) {
    const [[count]] = (await database.all(`SELECT count(*) FROM ${name}`)) as [[number]];
    if (count > 0) throw new DatabaseInUse(`${count} rows of ${name}`);
  }
}

/**
 * Inserts all rows of a dump in one transaction, so that a program that is killed leaves an empty database. The
 * database gets an identity, and its catalogue a state of its own: servers that have shown another one read everything
 * again. Leaves out packs and jobs whose objects had ended. Throws DatabaseInUse, BackupDamaged, StoreUnavailable.
 */
export async function restoreRows(
  database: SqlDriver,
  backup: BackupDescription,
  dump: string,
  identity: string,
): Promise<{ leftOut: number }> {
  const ended = new Set(backup.ended);
  let leftOut = 0;
  await assertEmpty(database);
  await database.write('catalogue', async (tx) => {
    leftOut = 0;
    const packs = new Set<unknown>();
    for await (const { table, columns, rows } of readDump(dump)) {
      const whole = rows.filter((row) => !refersTo(ended, packs, { table, columns, rows }, row));
      leftOut += rows.length - whole.length;
      await tx.insert(table.name, columns, whole);
    }
    await setState(tx, backup, identity);
  });
  for (const table of DUMPED_TABLES) {
    // Of these the rows of what had ended are missing.
    if (ended.size > 0 && ENDING.has(table.name)) continue;
    const digest = await tableDigest(table, database);
    if (digest === backup.tables[table.name]?.sha256) continue;
    throw new BackupDamaged(
      `the rows of ${table.name} are not those that were backed up; drop this database`,
    );
  }
  return { leftOut };
}

/** Whether a row is of a pack or a job whose object had ended. */
function refersTo(
  ended: ReadonlySet<string>,
  packs: Set<unknown>,
  { table, columns }: DumpedRows,
  row: SqlRow,
): boolean {
  if (ended.size === 0) return false;
  if (table.name === 'pack_source') return packs.has(row[columns.indexOf('pack')]);
  const at = columns.indexOf('object_key');
  if (at < 0 || !ended.has(row[at] as string)) return false;
  if (table.name === 'pack') packs.add(row[columns.indexOf('id')]);
  return true;
}

async function setState(tx: SqlTransaction, backup: BackupDescription, identity: string): Promise<void> {
  const { catalogueVersion, lastPackageNo } = backup;
  await setDatabaseIdentity(tx, identity);
  await tx.run('UPDATE catalogue_version SET version = $1, last_package_no = $2', [
    catalogueVersion,
    lastPackageNo,
  ]);
  await tx.run('DELETE FROM catalogue_state');
  await tx.insert('catalogue_state', ['version', 'identity'], [[catalogueVersion, randomUUID()]]);
  await tx.announce('catalogue');
}
