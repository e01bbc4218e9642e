import { hash } from 'node:crypto';

/** Ids that are remembered; the table then takes 16 MB. */
const MAX_IDS = 2 ** 20;

/**
 * Which gml:ids an answer has had, in little and bounded memory: 64 bits of each id's hash in an open table. Two of a
 * million ids have the same bits once in 37 million answers. When the table is full, later ids are no longer noticed.
 */
export class IdSet {
  readonly #maxIds: number;
  #count = 0;
  /** Two words an id; both zero where there is none. */
  #table = new Uint32Array(2 * 1_024);

  constructor(maxIds = MAX_IDS) {
    this.#maxIds = maxIds;
  }

  /** True when the id was not there yet. */
  add(id: string): boolean {
    const digest = hash('sha1', id, 'buffer');
    const low = digest.readUInt32LE(0) || 1;
    const high = digest.readUInt32LE(4);
    const at = this.#find(low, high);
    if (this.#table[at] !== 0) return false;
    if (this.#count >= this.#maxIds) return true;
    this.#table[at] = low;
    this.#table[at + 1] = high;
    this.#count++;
    if (this.#count * 4 > this.#table.length) this.#grow();
    return true;
  }

  /** Where the words stand, or where they would go. */
  #find(low: number, high: number): number {
    const mask = this.#table.length / 2 - 1;
    let slot = high & mask;
    for (;;) {
      const at = slot * 2;
      if (this.#table[at] === 0 || (this.#table[at] === low && this.#table[at + 1] === high)) return at;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] === 0) continue;
      const at = this.#find(old[i]!, old[i + 1]!);
      this.#table[at] = old[i]!;
      this.#table[at + 1] = old[i + 1]!;
    }
  }
}
