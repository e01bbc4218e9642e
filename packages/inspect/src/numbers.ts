/** Numbers by the million: arrays and sets of the language take several times as much memory. */

/** Numbers of one piece of a list. */
const PIECE = 1 << 15;

/** A list that grows without being copied until it is taken. */
export class Numbers {
  readonly #full: Float64Array[] = [];
  #piece = new Float64Array(256);
  #used = 0;

  get length(): number {
    return this.#full.length * PIECE + this.#used;
  }

  push(value: number): void {
    if (this.#used === this.#piece.length) this.#grow();
    this.#piece[this.#used++] = value;
  }

  #grow(): void {
    if (this.#used === PIECE) {
      this.#full.push(this.#piece);
      this.#piece = new Float64Array(PIECE);
      this.#used = 0;
    } else {
      // Most files have few: the first piece begins small.
      const larger = new Float64Array(Math.min(PIECE, 4 * this.#used));
      larger.set(this.#piece);
      this.#piece = larger;
    }
  }

  /** All of them; the list is empty then. */
  take(): Float64Array {
    const all = joined([...this.#full, this.#piece.subarray(0, this.#used)]);
    this.#full.length = 0;
    this.#used = 0;
    return all;
  }
}

/** A set of numbers that does not change. */
export class NumberSet {
  readonly #sorted: Float64Array;

  /** `sorted` in ascending order. */
  constructor(sorted: Float64Array) {
    this.#sorted = sorted;
  }

  get size(): number {
    return this.#sorted.length;
  }

  has(value: number): boolean {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#sorted[middle]! < value) from = middle + 1;
      else to = middle;
    }
    return this.#sorted[from] === value;
  }
}

/** Values that are in the lists more than once. */
export function repeatedIn(lists: readonly Float64Array[]): NumberSet {
  const all = joined(lists).sort();
  const repeated = new Numbers();
  for (let i = 1; i < all.length; i++) {
    if (all[i] === all[i - 1] && all[i] !== all[i - 2]) repeated.push(all[i]!);
  }
  return new NumberSet(repeated.take());
}

/** Values that are in the lists once. */
export function singlesIn(lists: readonly Float64Array[]): NumberSet {
  const all = joined(lists).sort();
  const singles = new Numbers();
  for (let i = 0; i < all.length; i++) {
    if (all[i] !== all[i - 1] && all[i] !== all[i + 1]) singles.push(all[i]!);
  }
  return new NumberSet(singles.take());
}

function joined(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
