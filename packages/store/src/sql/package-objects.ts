/** Objects of packages beside archives and indexes: tables of their features. */
import type { NewTable } from '../catalogue-store.ts';
import type { SqlReader, SqlTransaction } from './driver.ts';
import { PACKAGE_OBJECT } from './mapping.ts';

/** Keys of such objects of a package. */
export async function objectsOfPackage(reader: Pick<SqlReader, 'all'>, packageNo: number): Promise<string[]> {
  const rows = await reader.all(
    'SELECT object_key FROM package_object WHERE package_no = $1 ORDER BY object_key',
    [packageNo],
  );
  return rows.map(([key]) => key as string);
}

/**
 * Gives a package these tables in the place of others, whose keys it gives. The keys of these must be claimed, and the
 * package be there.
 */
export async function writeTables(
  tx: SqlTransaction,
  packageNo: number,
  tables: readonly NewTable[],
): Promise<string[]> {
  const before = await objectsOfPackage(tx, packageNo);
  await tx.run('DELETE FROM package_object WHERE package_no = $1', [packageNo]);
  await tx.run('UPDATE package SET tables = $1 WHERE no = $2', [
    JSON.stringify(tables.map(({ sums: _, ...table }) => table)),
    packageNo,
  ]);
  const rows = tables.map(({ key, sha256, sums }) => PACKAGE_OBJECT.toRow({ key, packageNo, sha256, sums }));
  if (rows.length > 0) await tx.insert(PACKAGE_OBJECT.name, PACKAGE_OBJECT.columns, rows);
  return before;
}

/** Sums of the pages of an object, base64; null for an object that no package has. */
export async function readSums(reader: Pick<SqlReader, 'all'>, key: string): Promise<string | null> {
  const [row] = await reader.all('SELECT sums FROM package_object WHERE object_key = $1', [key]);
  return (row?.[0] as string | undefined) ?? null;
}
