/** What each of the last versions of the catalogue changed, for readers that follow and for caches before the service. */
import { randomUUID } from 'node:crypto';
import type { PackageChange } from '../catalogue-store.ts';
import type { PackageRow, PackageState } from '../rows.ts';
import type { SqlReader, SqlRow, SqlTransaction, SqlValue } from './driver.ts';

/** Versions whose changes are kept. */
const KEPT_CHANGES = 1_000;

type Located = NonNullable<PackageChange['located']>;

/** A package that a transaction changes, with its state before; '' for one that was not there. */
export type Changing = Located & { no: number; was: PackageState | '' };

const LOCATED_COLUMNS = ['name', 'asset_path', 'pref_code', 'city_code', 'ward_code', 'archive_key'] as const;

/** Packages as they are before a transaction changes them, by `no`; numbers that nobody has are passed over. */
export async function changing(tx: SqlReader, nos: readonly number[]): Promise<Changing[]> {
  const rows = await tx.all(
    `SELECT no, state, ${LOCATED_COLUMNS.join(', ')} FROM package WHERE no IN (SELECT value FROM each_int($1)) ORDER BY no`,
    [nos],
  );
  return rows.map(([no, was, ...located]) => ({
    no: no as number,
    was: was as PackageState,
    ...locatedOf(located)!,
  }));
}

/** Raises the version, gives it an identity and its time, and notes which packages it changed. */
export async function noteChange(
  tx: SqlTransaction,
  packages: ReadonlyArray<Pick<PackageRow, keyof Located | 'no'> & { was: PackageState | '' }>,
): Promise<void> {
  const [row] = await tx.all(
    'UPDATE catalogue_version SET version = version + 1 RETURNING version, clock_ms()',
  );
  const [version, time] = row as [number, number];
  const byNo = new Map(packages.map((each) => [each.no, each]));
  await tx.insert(
    'catalogue_change',
    ['version', 'package_no', 'was', ...LOCATED_COLUMNS],
    [...byNo.values()].map((each) => [version, each.no, each.was, ...valuesOf(each)]),
  );
  await tx.run('DELETE FROM catalogue_change WHERE version <= $1', [version - KEPT_CHANGES]);
  await tx.insert('catalogue_state', ['version', 'identity', 'changed_at'], [[version, randomUUID(), time]]);
  await tx.run('DELETE FROM catalogue_state WHERE version < $1', [version - KEPT_CHANGES]);
  await tx.announce('catalogue');
}

/** See `CatalogueStore.changeLog`. */
export async function changesAfter(reader: SqlReader, since: number): Promise<PackageChange[] | null> {
  // One statement, so that all of it is of one state of the database.
  const rows = await reader.all(
    'SELECT v.version, h.version, c.version, s.changed_at, c.package_no, c.was, p.state, ' +
      `${LOCATED_COLUMNS.map((column) => `coalesce(c.${column}, p.${column})`).join(', ')} FROM catalogue_version v ` +
      'LEFT JOIN catalogue_state h ON h.version = $1 ' +
      'LEFT JOIN catalogue_change c ON c.version > $1 ' +
      'LEFT JOIN catalogue_state s ON s.version = c.version ' +
      'LEFT JOIN package p ON p.no = c.package_no WHERE v.one = 1 ORDER BY c.version, c.package_no',
    [since],
  );
  const [current, known] = rows[0]!;
  const kept = (current as number) - KEPT_CHANGES;
  // Programs of older versions note changes, but no states.
  if (since > (current as number) || (known === null && since < Math.max(kept, 0))) return null;
  return rows.filter(([, , version]) => version !== null).map(changeOf);
}

function changeOf([, , version, changedAt, no, was, state, ...located]: SqlRow): PackageChange {
  return {
    version: version as number,
    changedAt: changedAt as number | null,
    packageNo: no as number,
    was: was as PackageChange['was'],
    now: (state as PackageState | null) ?? 'forgotten',
    located: locatedOf(located),
  };
}

function locatedOf([name, assetPath, prefCode, cityCode, wardCode, archiveKey]: SqlRow): Located | null {
  if (typeof name !== 'string') return null;
  return { name, assetPath, prefCode, cityCode, wardCode, archiveKey } as Located;
}

function valuesOf({ name, assetPath, prefCode, cityCode, wardCode, archiveKey }: Located): SqlValue[] {
  return [name, assetPath, prefCode, cityCode, wardCode, archiveKey];
}
