/** Sums of files by package and type. */
import type { MeasuredFileRow, PackageRow } from '../../store/rows.ts';

export interface FileSum {
  files: number;
  /** Top-level features. */
  features: number;
  /** Uncompressed bytes. */
  bytes: number;
  maxLod: number;
}

export class FileCounts {
  readonly packages = new Map<PackageRow, Map<string, FileSum>>();

  add(pkg: PackageRow, row: MeasuredFileRow): void {
    let types = this.packages.get(pkg);
    if (types === undefined) {
      types = new Map();
      this.packages.set(pkg, types);
    }
    let sum = types.get(row.type);
    if (sum === undefined) {
      sum = { files: 0, features: 0, bytes: 0, maxLod: 0 };
      types.set(row.type, sum);
    }
    sum.files++;
    sum.features += row.features;
    sum.bytes += row.size;
    sum.maxLod = Math.max(sum.maxLod, row.maxLod);
  }
}
