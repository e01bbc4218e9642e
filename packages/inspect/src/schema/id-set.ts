/**
 * A set of ids that keeps 53 bits of each in open addressing: a file may have millions. Two ids of a million share them
 * with 1 in 18,000.
 */
import { hashOf } from '../hash.ts';

export class IdSet {
  #slots = new Float64Array(1024);
  #size = 0;

  /** False for an id that is there already. */
  add(id: string): boolean {
    // 0 marks a free slot.
    const hash = hashOf(id) + 1;
    if (!this.#put(this.#slots, hash)) return false;
    this.#size++;
    if (this.#size * 2 > this.#slots.length) {
      const larger = new Float64Array(this.#slots.length * 2);
      for (const one of this.#slots) if (one !== 0) this.#put(larger, one);
      this.#slots = larger;
    }
    return true;
  }

  #put(slots: Float64Array, hash: number): boolean {
    const mask = slots.length - 1;
    for (let at = hash % slots.length; ; at = (at + 1) & mask) {
      if (slots[at] === hash) return false;
      if (slots[at] === 0) {
        slots[at] = hash;
        return true;
      }
    }
  }
}
