/**
 * Whether a set may have a hash, in 10 bits for each of its own (a Bloom filter with seven places for each): one in a
 * hundred strangers is taken for one of them, and none of them for a stranger.
 */
const BITS_EACH = 10;
const PLACES = 7;
/** Odd, so that a hash gives another step for each of its values. */
const STEP = 0x9e3779b1;

export class IdFilter {
  readonly #words: Uint32Array;

  constructor(hashes: Iterable<Uint32Array>) {
    const lists = [...hashes];
    const count = lists.reduce((sum, { length }) => sum + length, 0);
    this.#words = new Uint32Array(Math.ceil((Math.max(1, count) * BITS_EACH) / 32));
    for (const list of lists) {
      for (const hash of list) {
        this.#places(hash, (word, bit) => {
          this.#words[word]! |= bit;
          return true;
        });
      }
    }
  }

  /** Bytes that it takes. */
  get byteLength(): number {
    return this.#words.byteLength;
  }

  mayHave(hash: number): boolean {
    return this.#places(hash, (word, bit) => (this.#words[word]! & bit) !== 0);
  }

  /** Visits the places of a hash as long as the visitor says so; false when it did not at one of them. */
  #places(hash: number, visit: (word: number, bit: number) => boolean): boolean {
    const bits = this.#words.length * 32;
    const step = (Math.imul(hash, STEP) >>> 0) | 1;
    for (let n = 0; n < PLACES; n++) {
      // Below 2^35, so the sum is exact.
      const place = (hash + n * (step >>> 0)) % bits;
      if (!visit(place >>> 5, 1 << (place & 31))) return false;
    }
    return true;
  }
}
