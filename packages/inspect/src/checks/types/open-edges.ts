/**
 * Edges of triangles as they go by, of which those are kept that have come once so far. Triangles of relief come in
 * strips, so that few edges are open at a time; of all others a hash is left, for those that come a third time.
 */

/** Numbers of an edge: its ends, and when it came. */
const WIDTH = 3;
/** Place of an edge that came more than once. */
const CLOSED = -1;

export class OpenEdges {
  /** Hashes in open addressing, one above what they are: 0 marks a free slot. */
  #slots = new Float64Array(1024);
  /** Where the edge of each slot lies. */
  #places = new Int32Array(1024);
  #size = 0;
  #edges = new Float64Array(1024 * WIDTH);
  readonly #free: number[] = [];
  #used = 0;
  #came = 0;

  /** `hash` is the same whichever way an edge runs, below 2^53; `from` and `to` are those of its ends. */
  add(hash: number, from: number, to: number): void {
    const at = slotOf(this.#slots, hash + 1);
    this.#came++;
    if (this.#slots[at] !== 0) {
      const place = this.#places[at]!;
      if (place !== CLOSED) this.#free.push(place);
      this.#places[at] = CLOSED;
      return;
    }
    this.#slots[at] = hash + 1;
    this.#places[at] = this.#keep(from, to);
    this.#size++;
    if (this.#size * 4 > this.#slots.length * 3) this.#grow();
  }

  #keep(from: number, to: number): number {
    const place = this.#free.pop() ?? this.#used++;
    if (this.#used * WIDTH > this.#edges.length) {
      const larger = new Float64Array(2 * this.#edges.length);
      larger.set(this.#edges);
      this.#edges = larger;
    }
    this.#edges[place * WIDTH] = from;
    this.#edges[place * WIDTH + 1] = to;
    this.#edges[place * WIDTH + 2] = this.#came;
    return place;
  }

  #grow(): void {
    const slots = new Float64Array(2 * this.#slots.length);
    const places = new Int32Array(slots.length);
    for (let i = 0; i < this.#slots.length; i++) {
      if (this.#slots[i] === 0) continue;
      const at = slotOf(slots, this.#slots[i]!);
      slots[at] = this.#slots[i]!;
      places[at] = this.#places[i]!;
    }
    this.#slots = slots;
    this.#places = places;
  }

  /** The ends of those that came once, in the order in which they came. */
  singles(): Array<{ from: number; to: number }> {
    const places: number[] = [];
    for (let i = 0; i < this.#slots.length; i++) {
      if (this.#slots[i] !== 0 && this.#places[i] !== CLOSED) places.push(this.#places[i]!);
    }
    const edges = this.#edges;
    return places
      .sort((a, b) => edges[a * WIDTH + 2]! - edges[b * WIDTH + 2]!)
      .map((place) => ({ from: edges[place * WIDTH]!, to: edges[place * WIDTH + 1]! }));
  }
}

/** The slot that has a key, or the free one where it belongs. */
function slotOf(slots: Float64Array, key: number): number {
  const mask = slots.length - 1;
  let at = key & mask;
  while (slots[at] !== 0 && slots[at] !== key) at = (at + 1) & mask;
  return at;
}
