/**
 * What each of the last versions of the catalogue changed, for readers that follow and for caches before the service.
 */

import { randomUUID } from 'node:crypto';
import type { CatalogueChanges, CatalogueState, DatedState, PackageChange } from '../catalogue-store.ts';
import type { PackageRow, PackageState, PackageTable } from '../rows.ts';
import type { SqlReader, SqlRow, SqlTransaction, SqlValue } from './driver.ts';
import { PACKAGE, PackageReader } from './mapping.ts';
import { qualified } from './table.ts';

/** Versions whose changes are kept. */
const KEPT_CHANGES = 1_000;

/** The state that the catalogue is in: `v.version` and, where it has one, `s.identity`. */
export const CURRENT_STATE = 'catalogue_version v LEFT JOIN catalogue_state s ON s.version = v.version';

type Located = NonNullable<PackageChange['located']>;

/** A package that a transaction changes, with its state before; '' for one that was not there. */
export type Changing = Located & { no: number; was: PackageState | '' };

const LOCATED_COLUMNS = ['name', 'asset_path', 'pref_code', 'city_code', 'ward_code', 'archive_key'] as const;

/** Packages as they are before a transaction changes them, by `no`; numbers that nobody has are passed over. */
export async function changing(tx: SqlReader, nos: readonly number[]): Promise<Changing[]> {
  const rows = await tx.all(
    `SELECT no, state, ${LOCATED_COLUMNS.join(', ')} FROM package WHERE no IN (SELECT value FROM each_int($1)) ` +
      `ORDER BY no`,
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
  const byNo = new Map(packages.map((pkg) => [pkg.no, pkg]));
  await tx.insert(
    'catalogue_change',
    ['version', 'package_no', 'was', ...LOCATED_COLUMNS],
    [...byNo.values()].map((pkg) => [version, pkg.no, pkg.was, ...valuesOf(pkg)]),
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
    'SELECT v.version, h.version, c.version, s.changed_at, c.package_no, c.was, p.state, p.tables, ' +
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

/** See `CatalogueStore.changesSince` without `until`. */
export async function changesUntilNow(
  reader: SqlReader,
  from: CatalogueState,
): Promise<CatalogueChanges | null> {
  const { version, identity } = from;
  // One statement, so that all of it is of one state of the database.
  const rows = await reader.all(
    `SELECT v.version, s.identity, h.version, c.package_no, ${qualified(PACKAGE, 'p')} FROM ${CURRENT_STATE} ` +
      'LEFT JOIN catalogue_state h ON h.version = $1 AND h.identity = $2 ' +
      'LEFT JOIN (SELECT DISTINCT package_no FROM catalogue_change WHERE version > $1) c ON h.version = $1 ' +
      "LEFT JOIN package p ON p.no = c.package_no AND p.state <> 'removed' WHERE v.one = 1 ORDER BY c.package_no",
    [version, identity],
  );
  const state = stateOf(rows[0]!);
  if (rows[0]![2] === null) return null;
  const packages = new PackageReader();
  const added: PackageRow[] = [];
  const gone: number[] = [];
  for (const [, , , changed, ...row] of rows) {
    if (row[0] !== null) added.push(packages.read(row));
    else if (changed !== null) gone.push(changed as number);
  }
  return { state, added, gone };
}

/**
 * See `CatalogueStore.changesSince` with `until`. A package that changed after the later state had the state then that
 * it was in before the first of those changes.
 */
export async function changesBetween(
  reader: SqlReader,
  from: CatalogueState,
  until: CatalogueState,
): Promise<CatalogueChanges | null> {
  const columns = PACKAGE.columns.map((column) => `p.${column}`).join(', ');
  const rows = await reader.all(
    `SELECT f.version, u.version, c.package_no, w.version, w.was, ${columns} FROM catalogue_version v ` +
      'LEFT JOIN catalogue_state f ON f.version = $1 AND f.identity = $2 ' +
      'LEFT JOIN catalogue_state u ON u.version = $3 AND u.identity = $4 ' +
      'LEFT JOIN (SELECT DISTINCT package_no FROM catalogue_change WHERE version > $5 AND version <= $6) c ' +
      'ON f.version = $1 AND u.version = $3 ' +
      'LEFT JOIN catalogue_change w ON w.package_no = c.package_no AND w.version = (SELECT min(x.version) ' +
      'FROM catalogue_change x WHERE x.package_no = c.package_no AND x.version > $3) ' +
      'LEFT JOIN package p ON p.no = c.package_no WHERE v.one = 1 ORDER BY c.package_no',
    [
      from.version,
      from.identity,
      until.version,
      until.identity,
      Math.min(from.version, until.version),
      Math.max(from.version, until.version),
    ],
  );
  const [first] = rows;
  if (first![0] === null || first![1] === null) return null;
  const packages = new PackageReader();
  const changes: CatalogueChanges = { state: until, added: [], gone: [] };
  for (const [, , no, later, was, ...row] of rows) {
    if (no === null) continue;
    if (later !== null && was === null) return null;
    const isKnown = row[0] !== null;
    const known = isKnown ? packages.read(row) : null;
    const state = later === null ? (known?.state ?? 'removed') : (was as PackageState | '');
    // Of a package that is forgotten since, the row is gone; it had left the lists an hour before, and its files answer
    // no more.
    if (known === null || state === 'removed' || state === '') changes.gone.push(no as number);
    else changes.added.push(known.state === state ? known : { ...known, state });
  }
  return changes;
}

/** See `CatalogueStore.statesFrom`. */
export async function statesFrom(
  reader: SqlReader,
  from: number,
): Promise<{ states: DatedState[]; version: number; clock: number }> {
  const rows = await reader.all(
    'SELECT clock_us(), v.version, s.version, s.identity, s.changed_at FROM catalogue_version v ' +
      'LEFT JOIN catalogue_state s ON s.version >= $1 AND s.version <= v.version WHERE v.one = 1 ORDER BY s.version',
    [from],
  );
  const states = rows.filter(([, , no]) => no !== null);
  return {
    clock: (rows[0]![0] as number) / 1_000,
    version: rows[0]![1] as number,
    states: states.map(([, , no, identity, changedAt]) => ({
      version: no as number,
      identity: identity as string,
      changedAt: changedAt as number | null,
    })),
  };
}

function changeOf([, , version, changedAt, no, was, state, tables, ...located]: SqlRow): PackageChange {
  const known = JSON.parse((tables as string | null) ?? '[]') as PackageTable[];
  return {
    version: version as number,
    changedAt: changedAt as number | null,
    packageNo: no as number,
    was: was as PackageChange['was'],
    now: (state as PackageState | null) ?? 'forgotten',
    located: locatedOf(located),
    tableKeys: state === null ? null : known.map(({ key }) => key),
  };
}

function locatedOf([name, assetPath, prefCode, cityCode, wardCode, archiveKey]: SqlRow): Located | null {
  if (typeof name !== 'string') return null;
  return { name, assetPath, prefCode, cityCode, wardCode, archiveKey } as Located;
}

function valuesOf({ name, assetPath, prefCode, cityCode, wardCode, archiveKey }: Located): SqlValue[] {
  return [name, assetPath, prefCode, cityCode, wardCode, archiveKey];
}

/** Of a row that begins with version and identity. */
export function stateOf([version, identity]: SqlRow): CatalogueState {
  return { version: version as number, identity: (identity as string | null) ?? '' };
}
