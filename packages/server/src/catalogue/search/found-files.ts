/** What a search has found so far. */
import { compareTexts } from '@citymodel/base';
import type { ListedFileRow, PackageRow, PlacedFileRow } from '@citymodel/store';
import type { FileGroup, FoundPackage } from './file-list.ts';

/** Files of one type in one package, and the rows while they are kept. */
export interface FoundGroup extends FileGroup {
  rows: ListedFileRow[];
}

/** What stands in an answer around the path and the extras of a file, bytes, without the address of its package. */
const FRAME_BYTES = 48;

/** How much is kept. */
export interface FoundFilesLimits {
  /** Bytes of an answer with the files. */
  maxBytes: number;
  maxFiles: number;
  /** Length of the address of a package. */
  prefixBytes(pkg: PackageRow): number;
}

/**
 * Counts the files of each type in each package, and keeps their rows as long as a whole answer of them is small
 * enough.
 */
export class FoundFiles {
  readonly #limits: FoundFilesLimits;
  readonly #packages = new Map<
    number,
    FoundPackage<FoundGroup> & { types: Map<string, FoundGroup>; prefix: number }
  >();
  #files = 0;
  #bytes = 0;
  #keepsRows = true;

  /** Without limits files are only counted, from the first on. */
  constructor(limits: FoundFilesLimits | null) {
    this.#limits = limits ?? { maxBytes: 0, maxFiles: 0, prefixBytes: () => 0 };
    this.#keepsRows = limits !== null;
  }

  /** Number of files. */
  get files(): number {
    return this.#files;
  }

  /** Bytes that an answer of the rows would have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** False once there are too many: from then on the files are only counted. */
  get keepsRows(): boolean {
    return this.#keepsRows;
  }

  add(pkg: PackageRow, row: ListedFileRow): void {
    const { group, prefix } = this.#count(pkg, row);
    if (!this.#keepsRows) return;
    group.rows.push(row);
    // Every file stands in an answer twice.
    this.#bytes += 2 * (row.extras.length + row.path.length + prefix + FRAME_BYTES);
    if (this.#bytes > this.#limits.maxBytes || this.#files > this.#limits.maxFiles) this.#dropRows();
  }

  /** Counts a file of which no more is known. */
  count(pkg: PackageRow, row: PlacedFileRow): void {
    this.#count(pkg, row);
    if (this.#keepsRows) this.#dropRows();
  }

  #count(pkg: PackageRow, row: PlacedFileRow): { group: FoundGroup; prefix: number } {
    let found = this.#packages.get(pkg.no);
    if (found === undefined) {
      found = { package: pkg, types: new Map(), prefix: this.#limits.prefixBytes(pkg) };
      this.#packages.set(pkg.no, found);
    }
    let group = found.types.get(row.type);
    if (group === undefined) {
      group = { package: pkg, type: row.type, count: 0, rows: [] };
      found.types.set(row.type, group);
    }
    group.count++;
    this.#files++;
    return { group, prefix: found.prefix };
  }

  /** The packages with files: newest year first, then by municipality code; rows by path. */
  sorted(): Array<FoundPackage<FoundGroup>> {
    const found = [...this.#packages.values()].sort(
      ({ package: a }, { package: b }) =>
        b.year - a.year ||
        compareTexts(a.cityCode, b.cityCode) ||
        compareTexts(a.wardCode ?? '', b.wardCode ?? '') ||
        Number(b.provider === 'city') - Number(a.provider === 'city') ||
        compareTexts(a.name, b.name),
    );
    for (const { types } of found) {
      for (const { rows } of types.values()) rows.sort((a, b) => compareTexts(a.path, b.path));
    }
    return found;
  }

  #dropRows(): void {
    this.#keepsRows = false;
    for (const { types } of this.#packages.values()) for (const group of types.values()) group.rows = [];
  }
}
