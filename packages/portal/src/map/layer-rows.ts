/** The layers that the map offers: one row for what a place has of a type, with its years and LODs inside. */
import type { DatasetRow } from '../core/catalogue.ts';

export interface LayerRow {
  name: string;
  /** The newest first, and of a year the highest LOD. */
  datasets: DatasetRow[];
  /** Whether LODs tell its datasets apart. */
  hasLods: boolean;
  hasYears: boolean;
}

/**
 * Rows in the order in which the datasets come.
 *
 * @param nameOf title of a dataset, the same for all years and LODs
 */
export function layerRows(datasets: readonly DatasetRow[], nameOf: (row: DatasetRow) => string): LayerRow[] {
  const byName = Map.groupBy(datasets, nameOf);
  return [...byName].map(([name, rows]) => ({
    name,
    datasets: rows.toSorted((a, b) => b.year - a.year || Number(b.lod) - Number(a.lod)),
    hasLods: new Set(rows.map(({ lod }) => lod)).size > 1,
    hasYears: new Set(rows.map((row) => row.year)).size > 1,
  }));
}
