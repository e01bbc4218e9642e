/**
 * Packages by number. A change makes a new list out of runs of the one before: a map would leave megabytes of garbage
 * for a country, and looking at each package would take milliseconds.
 */
import { firstWhere } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';

export class PackageList {
  /** Ascending by `no`. */
  readonly all: readonly PackageRow[];

  private constructor(sorted: readonly PackageRow[]) {
    this.all = sorted;
  }

  /** Rows in any order, each `no` once. */
  static of(rows: readonly PackageRow[]): PackageList {
    return new PackageList(rows.toSorted((a, b) => a.no - b.no));
  }

  get(no: number): PackageRow | undefined {
    const row = this.all[this.#placeOf(no)];
    return row?.no === no ? row : undefined;
  }

  /** Another list with other rows at these numbers; `undefined` takes one out. */
  with(changes: ReadonlyMap<number, PackageRow | undefined>): PackageList {
    if (changes.size === 0) return this;
    const runs: Array<readonly PackageRow[]> = [];
    let from = 0;
    for (const [no, row] of [...changes].sort(([a], [b]) => a - b)) {
      const place = this.#placeOf(no);
      runs.push(this.all.slice(from, place));
      if (row !== undefined) runs.push([row]);
      from = this.all[place]?.no === no ? place + 1 : place;
    }
    runs.push(this.all.slice(from));
    return new PackageList(runs.flat());
  }

  /** Where a number stands or would stand. */
  #placeOf(no: number): number {
    return firstWhere(this.all.length, (i) => this.all[i]!.no >= no);
  }
}
