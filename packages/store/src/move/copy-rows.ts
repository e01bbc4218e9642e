import type { SqlDriver, SqlRow, SqlValue } from '../sql/driver.ts';
import type { MovedTable } from './moved-tables.ts';

/** Owners whose rows are copied in one transaction. */
const OWNERS = 100;

/**
 * Copies the rows of owners (packages, packs, jobs) from one database to another, in place of what that has of them.
 * Deletes the rows of owners that are gone. Owners follow each other in transactions of at most a hundred. `onCopied`
 * is called after each with the number of owners that are done. An owner that has gone meanwhile is gone in the target
 * too.
 */
export async function copyRows(
  [main, ...others]: readonly [MovedTable, ...MovedTable[]],
  keys: { changed: readonly SqlValue[]; gone: readonly SqlValue[] },
  from: SqlDriver,
  to: SqlDriver,
  onCopied: (count: number) => void = () => {},
): Promise<void> {
  const owners = [...keys.gone, ...keys.changed];
  for (let start = 0; start < owners.length; start += OWNERS) {
    const batch = owners.slice(start, start + OWNERS);
    const rows = new Map<MovedTable, SqlRow[]>();
    for (const table of [main, ...others]) rows.set(table, await rowsOf(table, batch, from));
    // What belongs to an owner that came between two of the statements is for the next look at the differences.
    const at = main.columns.indexOf(main.owner);
    const present = new Set(rows.get(main)!.map((row) => row[at]));
    await to.write('catalogue', async (tx) => {
      // With the rows that belong to it.
      await tx.run(`DELETE FROM ${main.name} WHERE ${main.owner} ${isOneOf(batch)}`, [paramOf(batch)]);
      for (const table of [main, ...others]) {
        const owner = table.columns.indexOf(table.owner);
        const whole = rows.get(table)!.filter((row) => present.has(row[owner]));
        await tx.insert(table.name, table.columns, whole);
      }
    });
    onCopied(start + batch.length);
  }
}

async function rowsOf(table: MovedTable, owners: readonly SqlValue[], from: SqlDriver): Promise<SqlRow[]> {
  const { name, columns, owner } = table;
  return from.all(`SELECT ${columns.join(', ')} FROM ${name} WHERE ${owner} ${isOneOf(owners)}`, [
    paramOf(owners),
  ]);
}

function isOneOf(owners: readonly SqlValue[]): string {
  return `IN (SELECT value FROM ${typeof owners[0] === 'number' ? 'each_int' : 'each_text'}($1))`;
}

function paramOf(owners: readonly SqlValue[]): readonly string[] | readonly number[] {
  return owners as readonly string[] | readonly number[];
}
