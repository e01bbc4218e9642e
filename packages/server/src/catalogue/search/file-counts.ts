/** Sums of files by package and type, and the meshes that they are in. */

import { meshBounds, squareKilometres } from '@citymodel/geo';
import type { MeasuredFileRow, PackageRow } from '@citymodel/store';

export interface FileSum {
  files: number;
  /** Top-level features. */
  features: number;
  /** Uncompressed bytes. */
  bytes: number;
  maxLod: number;
}

/** Digits of a 3rd mesh. */
const THIRD = 8;

export class FileCounts {
  readonly packages = new Map<PackageRow, Map<string, FileSum>>();
  /** Codes of 3rd meshes, as numbers: a country has 400,000 of them. */
  readonly #meshes = new Set<number>();
  #km2 = 0;

  /** 3rd meshes that have files, and their square kilometres. A file of a larger mesh says of none that it is there. */
  get meshes(): { count: number; km2: number } {
    return { count: this.#meshes.size, km2: this.#km2 };
  }

  add(pkg: PackageRow, row: MeasuredFileRow): void {
    if (row.mesh.length >= THIRD) this.#addMesh(row.mesh.slice(0, THIRD));
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

  /** Adds up with each file: all meshes of a country at once would hold up the thread. */
  #addMesh(mesh: string): void {
    const code = Number(mesh);
    if (this.#meshes.has(code)) return;
    this.#meshes.add(code);
    this.#km2 += squareKilometres(meshBounds(mesh));
  }
}
