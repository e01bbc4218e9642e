/** Which cities a change of the catalogue touches, and their packages with the names that code lists know. */
import type { Slices } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { cityAreaOf } from '../rows/snapshot-dataset.ts';
import type { PackageList } from './package-list.ts';
import type { SnapshotState } from './snapshot-state.ts';

/** What code lists of live packages call areas, the newest year's name where they differ. */
export async function namesOf(rows: PackageList, slices: Slices): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const years = new Map<string, number>();
  await slices.each(rows.all, (row) => {
    if (row.state !== 'live') return;
    for (const code in row.areaNames) {
      if (row.year < (years.get(code) ?? 0)) continue;
      names.set(code, row.areaNames[code]!);
      years.set(code, row.year);
    }
  });
  return names;
}

/** Cities with a package that has come, gone or changed, or is called otherwise. */
export async function dirtyCities(
  before: SnapshotState,
  rows: PackageList,
  touched: readonly number[],
  names: ReadonlyMap<string, string>,
  slices: Slices,
): Promise<Set<string>> {
  const dirty = new Set<string>();
  for (const no of touched) {
    for (const row of [before.rows.get(no), rows.get(no)]) {
      if (row?.state === 'live') dirty.add(cityAreaOf(row));
    }
  }
  const renamed = new Set<string>();
  for (const [code, name] of names) if (before.names.get(code) !== name) renamed.add(code);
  for (const code of before.names.keys()) if (!names.has(code)) renamed.add(code);
  if (renamed.size === 0) return dirty;
  if (slices.due()) await slices.pause();
  await slices.each(rows.all, (row) => {
    if (row.state !== 'live' || row.guessed.length === 0) return;
    if (renamed.has(row.cityCode) || renamed.has(row.wardCode ?? '')) dirty.add(cityAreaOf(row));
  });
  return dirty;
}

/** Live packages of the dirty cities, by `no`, named as far as code lists know. */
export async function livePackages(
  before: SnapshotState,
  rows: PackageList,
  touched: readonly number[],
  dirty: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
  slices: Slices,
): Promise<Map<string, PackageRow[]>> {
  const numbers = new Set(touched);
  for (const city of dirty) for (const { no } of before.cities.get(city)?.packages ?? []) numbers.add(no);
  const packages = new Map<string, PackageRow[]>();
  await slices.each(
    [...numbers].sort((a, b) => a - b),
    (no) => {
      const row = rows.get(no);
      if (row?.state !== 'live') return;
      const city = cityAreaOf(row);
      const list = packages.get(city);
      const named = withKnownNames(row, names);
      if (list) list.push(named);
      else packages.set(city, [named]);
    },
  );
  return packages;
}

/** A row whose municipality or ward was named by guess gets the name that another package's code list knows. */
function withKnownNames(row: PackageRow, names: ReadonlyMap<string, string>): PackageRow {
  const city = row.guessed.includes('city') ? names.get(row.cityCode) : undefined;
  const ward = row.guessed.includes('ward') ? names.get(row.wardCode ?? '') : undefined;
  if (city === undefined && ward === undefined) return row;
  return { ...row, city: city ?? row.city, ward: ward ?? row.ward };
}
