/** Which package an asset URL is of: part of a snapshot, made from that of the snapshot before. */
import type { Slices } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import type { CityPart } from './city-part.ts';
import type { PackageList } from './package-list.ts';
import type { SnapshotState } from './snapshot-state.ts';

/** Which package an asset directory is of: the live one that was published last, else the first retired one. */
export async function indexAssets(
  before: SnapshotState,
  rows: PackageList,
  touched: readonly number[],
  dirty: ReadonlySet<string>,
  cities: ReadonlyMap<string, CityPart>,
  live: PackageList,
  slices: Slices,
): Promise<SnapshotState['byAsset']> {
  const byAsset = new Map(before.byAsset);
  const fresh = new Map<string, Map<string, PackageRow>>();
  const shelfOf = (path: string): Map<string, PackageRow> => {
    const name = assetShelf(path);
    let shelf = fresh.get(name);
    if (shelf === undefined) {
      shelf = new Map(before.byAsset.get(name));
      fresh.set(name, shelf);
      byAsset.set(name, shelf);
    }
    return shelf;
  };
  const paths = new Set<string>();
  const forget = (row: PackageRow | undefined) => {
    if (row === undefined) return;
    paths.add(row.assetPath);
    shelfOf(row.assetPath).delete(assetKey(row.assetPath, row.name));
  };
  await slices.each(touched, (no) => {
    forget(before.rows.get(no));
    forget(rows.get(no));
  });
  for (const city of dirty) {
    for (const row of cities.get(city)?.packages ?? []) forget(row);
    if (slices.due()) await slices.pause();
  }
  await slices.each(rows.all, (row) => {
    if (!paths.has(row.assetPath)) return;
    const key = assetKey(row.assetPath, row.name);
    const shelf = shelfOf(row.assetPath);
    const current = live.get(row.no);
    if (current !== undefined) shelf.set(key, current);
    else if (!shelf.has(key)) shelf.set(key, row);
  });
  return byAsset;
}

/** The two hexadecimal digits that a path begins with. */
export function assetShelf(assetPath: string): string {
  return assetPath.slice(0, 2);
}

/** The key of a package in the shelf of its path. */
export function assetKey(assetPath: string, name: string): string {
  return `${assetPath}/${name}`;
}
