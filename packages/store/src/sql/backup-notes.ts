import type { SqlDriver } from './driver.ts';

/** The newest backup in one place. */
export interface BackupNote {
  /** Where it lies, as it was named. */
  place: string;
  /** The moment whose state it has, ms since 1970. */
  cutAt: number;
  /** Objects of packages that it lacks. */
  faults: number;
}

/** Notes a backup that is whole, for those who watch over the service. */
export async function noteBackup(driver: SqlDriver, { place, cutAt, faults }: BackupNote): Promise<void> {
  await driver.write(null, async (tx) => {
    await tx.run('DELETE FROM backup_run WHERE place = $1', [place]);
    await tx.insert('backup_run', ['place', 'cut_at', 'faults'], [[place, cutAt, faults]]);
  });
}

/** The newest backup in any place; null when there was none. */
export async function newestBackup(driver: SqlDriver): Promise<BackupNote | null> {
  const rows = await driver.all('SELECT place, cut_at, faults FROM backup_run ORDER BY cut_at DESC LIMIT 1');
  const [row] = rows as [string, number, number][];
  return row === undefined ? null : { place: row[0], cutAt: row[1], faults: row[2] };
}
