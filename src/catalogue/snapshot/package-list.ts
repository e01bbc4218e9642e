/** Packages by number. A change makes a new list in one copy of an array, where a map would leave megabytes of garbage for a country. */
import type { PackageRow } from '../../store/rows.ts';

export class PackageList {
  /** Ascending by `no`. */
  readonly all: readonly PackageRow[];

  /** Rows in any order, each `no` once. */
  constructor(rows: readonly PackageRow[] = []) {
    this.all = rows.toSorted((a, b) => a.no - b.no);
  }

  get(no: number): PackageRow | undefined {
    const row = this.all[this.#placeOf(no)];
    return row?.no === no ? row : undefined;
  }

  /** Another list with other rows at these numbers; `undefined` takes one out. */
  with(changes: Iterable<readonly [no: number, row: PackageRow | undefined]>): PackageList {
    const rest = new Map(changes);
    if (rest.size === 0) return this;
    const rows: PackageRow[] = [];
    for (let i = 0; i < this.all.length; i++) {
      const old = this.all[i]!;
      if (!rest.has(old.no)) rows.push(old);
      else {
        const row = rest.get(old.no);
        if (row !== undefined) rows.push(row);
        rest.delete(old.no);
      }
    }
    for (const row of rest.values()) if (row !== undefined) rows.push(row);
    return new PackageList(rows);
  }

  /** Where a number stands or would stand. */
  #placeOf(no: number): number {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.all[middle]!.no < no) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
