import { randomBytes } from 'node:crypto';

/**
 * A hash set of names that lie elsewhere as bytes: it keeps 8 bytes a slot and no name of its own, so half a
 * million names cost 8 to 16 MB. Open addressing with linear probing; the hash is seeded at random, so that
 * nobody can prepare names that collide.
 */
export class NameSet {
  readonly #seed = randomBytes(4).readUInt32LE();
  /** Number of the name plus one, 0 for an empty slot; always a power of two, at most half full. */
  #slots: Uint32Array;
  #hashes: Uint32Array;
  #count = 0;

  constructor(expected = 0) {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(expected, 8) * 2));
    this.#slots = new Uint32Array(capacity);
    this.#hashes = new Uint32Array(capacity);
  }

  /**
   * Adds the name with the given number unless an equal one is there. `same(other)` tells whether the name
   * numbered `other` equals this one. Returns the number of the equal name, or -1 when this one was added.
   */
  add(bytes: Uint8Array, number: number, same: (other: number) => boolean): number {
    const hash = this.#hash(bytes);
    const at = this.#slotOf(hash, same);
    const occupant = this.#slots[at] as number;
    if (occupant !== 0) return occupant - 1;
    this.#slots[at] = number + 1;
    this.#hashes[at] = hash;
    if (++this.#count * 2 > this.#slots.length) this.#grow();
    return -1;
  }

  /** Number of the equal name, or -1; `same` as for `add`. */
  find(bytes: Uint8Array, same: (other: number) => boolean): number {
    return (this.#slots[this.#slotOf(this.#hash(bytes), same)] as number) - 1;
  }

  /** The slot of the equal name, or the empty one where it would go. */
  #slotOf(hash: number, same: (other: number) => boolean): number {
    const mask = this.#slots.length - 1;
    let at = hash & mask;
    for (;;) {
      const occupant = this.#slots[at] as number;
      if (occupant === 0 || (this.#hashes[at] === hash && same(occupant - 1))) return at;
      at = (at + 1) & mask;
    }
  }

  #grow(): void {
    const slots = this.#slots;
    const hashes = this.#hashes;
    this.#slots = new Uint32Array(slots.length * 2);
    this.#hashes = new Uint32Array(slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let i = 0; i < slots.length; i++) {
      if (slots[i] === 0) continue;
      let at = (hashes[i] as number) & mask;
      while (this.#slots[at] !== 0) at = (at + 1) & mask;
      this.#slots[at] = slots[i] as number;
      this.#hashes[at] = hashes[i] as number;
    }
  }

  /** FNV-1a from a random start, with the final mixing of MurmurHash3. */
  #hash(bytes: Uint8Array): number {
    let h = this.#seed;
    for (let i = 0; i < bytes.length; i++) h = Math.imul(h ^ (bytes[i] as number), 0x01000193);
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  }
}
