/** Objects of packages beside archives and indexes: tables of their features, and pictures. */
import type { NewTable } from '../catalogue-store.ts';
import type { PackagePictures, PackageTable } from '../rows.ts';
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
  const [row] = await tx.all('SELECT tables FROM package WHERE no = $1', [packageNo]);
  const before = parsed<PackageTable[]>(row?.[0]) ?? [];
  await tx.run('UPDATE package SET tables = $1 WHERE no = $2', [
    JSON.stringify(tables.map(({ sums: _, ...table }) => table)),
    packageNo,
  ]);
  return replaceObjects(tx, packageNo, before, tables);
}

/** Gives a package these pictures, as `writeTables`. They have no sums of pages: a reader compares the hash. */
export async function writePictures(
  tx: SqlTransaction,
  packageNo: number,
  pictures: PackagePictures,
): Promise<string[]> {
  const [row] = await tx.all('SELECT pictures FROM package WHERE no = $1', [packageNo]);
  const before = parsed<PackagePictures>(row?.[0])?.images ?? [];
  await tx.run('UPDATE package SET pictures = $1 WHERE no = $2', [JSON.stringify(pictures), packageNo]);
  const images = pictures.images.map(({ key, sha256 }) => ({ key, sha256, sums: '' }));
  return replaceObjects(tx, packageNo, before, images);
}

async function replaceObjects(
  tx: SqlTransaction,
  packageNo: number,
  before: ReadonlyArray<{ key: string }>,
  after: ReadonlyArray<{ key: string; sha256: string; sums: string }>,
): Promise<string[]> {
  const keys = before.map(({ key }) => key);
  await tx.run('DELETE FROM package_object WHERE object_key IN (SELECT value FROM each_text($1))', [keys]);
  const rows = after.map(({ key, sha256, sums }) => PACKAGE_OBJECT.toRow({ key, packageNo, sha256, sums }));
  if (rows.length > 0) await tx.insert(PACKAGE_OBJECT.name, PACKAGE_OBJECT.columns, rows);
  return keys;
}

function parsed<T>(json: unknown): T | null {
  return JSON.parse((json as string | null) ?? 'null') as T | null;
}

/** Sums of the pages of an object, base64; null for an object that no package has. */
export async function readSums(reader: Pick<SqlReader, 'all'>, key: string): Promise<string | null> {
  const [row] = await reader.all('SELECT sums FROM package_object WHERE object_key = $1', [key]);
  return (row?.[0] as string | undefined) ?? null;
}
