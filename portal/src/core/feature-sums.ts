/** How many features of each type were counted, and about how large they are as data. */
import { type TableBytes, type TableFormat, tableBytes } from './feature-query.ts';
import type { FileCounts } from './files.ts';

/** Features of a type, and about how large they are as data. */
export interface FeatureSum {
  features: number;
  tables: TableBytes;
}

const featureSums = new WeakMap<FileCounts, ReadonlyMap<string, FeatureSum>>();

/** Features by type of what was counted. */
export function featuresOf(counts: FileCounts): ReadonlyMap<string, FeatureSum> {
  let sums = featureSums.get(counts);
  if (sums === undefined) {
    const made = new Map<string, FeatureSum>();
    for (const { year, types } of counts.cities) {
      for (const [type, { features, bytes, max_lod: maxLod }] of Object.entries(types)) {
        addFeatures(made, type, { features, tables: tableBytes({ type, year, features, bytes, maxLod }) });
      }
    }
    sums = made;
    featureSums.set(counts, sums);
  }
  return sums;
}

/** Adds to the sum of a type. */
export function addFeatures(
  sums: Map<string, FeatureSum>,
  type: string,
  { features, tables }: FeatureSum,
): void {
  const before = sums.get(type);
  sums.set(type, {
    features: Math.round(features + (before?.features ?? 0)),
    tables: mapTables((format) => tables[format] + (before?.tables[format] ?? 0)),
  });
}

/** A share of sizes. */
export function scaled(tables: TableBytes, share: number): TableBytes {
  return mapTables((format) => tables[format] * share);
}

function mapTables(bytesOf: (format: TableFormat) => number): TableBytes {
  return { geojson: bytesOf('geojson'), csv: bytesOf('csv'), flatgeobuf: bytesOf('flatgeobuf') };
}
