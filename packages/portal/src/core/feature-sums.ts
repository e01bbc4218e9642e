/** How many features of each type were counted, and about how large they are as data. */
import { type SizedFormat, type TableBytes, tableBytes } from './feature-query.ts';
import type { FileCounts } from './files.ts';

/** Features of a type, and about how large they are as data. */
export interface FeatureSum {
  features: number;
  /** Null where nobody knows. */
  tables: TableBytes | null;
}

const featureSums = new WeakMap<FileCounts, ReadonlyMap<string, FeatureSum>>();

/** Features by type of what was counted. */
export function featuresOf(counts: FileCounts): ReadonlyMap<string, FeatureSum> {
  let sums = featureSums.get(counts);
  if (sums === undefined) {
    const byName = new Map<string, FeatureSum>();
    for (const { year, types } of counts.cities) {
      for (const [type, { features, bytes, max_lod: maxLod }] of Object.entries(types)) {
        addFeatures(byName, type, { features, tables: tableBytes({ type, year, features, bytes, maxLod }) });
      }
    }
    sums = byName;
    featureSums.set(counts, sums);
  }
  return sums;
}

/** Adds to the sum of a type, which nobody knows once a part of it is unknown. */
export function addFeatures(
  sums: Map<string, FeatureSum>,
  type: string,
  { features, tables }: FeatureSum,
): void {
  const before = sums.get(type) ?? { features: 0, tables: NOTHING };
  sums.set(type, {
    features: Math.round(features + before.features),
    tables: combined(tables, before.tables, (a, b) => a + b),
  });
}

/** A share of sizes. */
export function scaled(tables: TableBytes | null, share: number): TableBytes | null {
  return combined(tables, NOTHING, (bytes) => bytes * share);
}

const NOTHING: TableBytes = { geojson: 0, csv: 0, flatgeobuf: 0 };

function combined(
  a: TableBytes | null,
  b: TableBytes | null,
  of: (a: number, b: number) => number,
): TableBytes | null {
  if (a === null || b === null) return null;
  const bytesOf = (format: SizedFormat) => of(a[format], b[format]);
  return { geojson: bytesOf('geojson'), csv: bytesOf('csv'), flatgeobuf: bytesOf('flatgeobuf') };
}
