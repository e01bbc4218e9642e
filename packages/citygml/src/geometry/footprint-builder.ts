import { encodeFootprint, type FootprintParts, PartKind } from './footprint.ts';

/** What is kept while a feature is read; beyond it the footprint is left in the text. */
const RAW_PARTS = 512;
const RAW_VERTICES = 2048;
/** What the index keeps. */
const KEPT_PARTS = 64;
const KEPT_VERTICES = 512;

/**
 * Gathers the horizontal projection of one feature's geometry and reduces it without changing the set of
 * points that it covers: vertical surfaces project to segments and go where an edge of a polygon covers them;
 * a top that projects onto its bottom is kept once. A block model is left with its bottom face.
 */
export class FootprintBuilder {
  private readonly vertices = new Float64Array(RAW_VERTICES * 2);
  private readonly kinds = new Uint8Array(RAW_PARTS);
  private readonly starts = new Int32Array(RAW_PARTS);
  private readonly lengths = new Int32Array(RAW_PARTS);
  /** Sum over the vertices, the same in whatever order they come. */
  private readonly sums = new Float64Array(RAW_PARTS);
  private readonly kept = new Int32Array(RAW_PARTS);
  private readonly result: FootprintParts = {
    count: 0,
    kinds: new Uint8Array(KEPT_PARTS),
    starts: new Int32Array(KEPT_PARTS),
    lengths: new Int32Array(KEPT_PARTS),
    vertices: this.vertices,
  };
  private count = 0;
  private used = 0;
  /** True when there was more than fits. */
  private overflow = false;
  /** True while the last exterior was vertical: its holes are in its projection already. */
  private wall = false;
  private open = 0;

  clear(): void {
    this.count = 0;
    this.used = 0;
    this.open = 0;
    this.overflow = false;
    this.wall = false;
  }

  /** The geometry cannot be told from its vertices alone. */
  giveUp(): void {
    this.overflow = true;
  }

  begin(): void {
    this.open = this.used;
  }

  vertex(lng: number, lat: number): void {
    if (this.open < RAW_VERTICES) {
      const at = this.open++ * 2;
      this.vertices[at] = lng;
      this.vertices[at + 1] = lat;
    } else {
      this.overflow = true;
    }
  }

  /** Ends the part that `begin` began. */
  end(kind: number): void {
    const { vertices } = this;
    const start = this.used;
    let length = this.open - start;
    if (this.overflow || length === 0) return;
    if (this.count === RAW_PARTS) {
      this.overflow = true;
      return;
    }
    const at = (i: number) => (start + i) * 2;
    const same = (i: number, j: number) =>
      vertices[at(i)] === vertices[at(j)] && vertices[at(i) + 1] === vertices[at(j) + 1];
    let asKind = kind;
    if (kind === PartKind.polygon || kind === PartKind.hole) {
      if (length > 1 && same(0, length - 1)) length--;
      if (kind === PartKind.hole && this.wall) return;
      let other = 1;
      while (other < length && same(0, other)) other++;
      let vertical = true;
      for (let i = other + 1; i < length && vertical; i++) vertical = same(i, 0) || same(i, other);
      if (kind === PartKind.polygon) this.wall = vertical;
      else if (vertical) return;
      if (vertical) {
        if (other < length) {
          vertices.copyWithin(at(1), at(other), at(other) + 2);
          length = 2;
        } else {
          length = 1;
        }
        asKind = PartKind.line;
      }
    }
    if (length === 1) asKind = PartKind.point;
    let sum = 0;
    for (let i = at(0); i < at(length); i++) sum += vertices[i]!;
    this.kinds[this.count] = asKind;
    this.starts[this.count] = start;
    this.lengths[this.count] = length;
    this.sums[this.count++] = sum;
    this.used = start + length;
  }

  /** The encoded footprint; null when it is too large for the index, or there is none. */
  finish(west: number, south: number): Uint8Array | null {
    if (this.overflow || this.count === 0) return null;
    const { kept, result } = this;
    let keptCount = 0;
    for (let i = 0; i < this.count; i++) {
      if (this.kinds[i] !== PartKind.polygon) continue;
      let isKnown = false;
      for (let k = 0; k < keptCount && !isKnown; k++) {
        isKnown = this.kinds[kept[k]!] === PartKind.polygon && this.samePolygon(kept[k]!, i);
      }
      if (isKnown) continue;
      const next = this.nextPolygon(i);
      for (let part = i; part < next; part++) kept[keptCount++] = part;
    }
    for (let i = 0; i < this.count; i++) {
      const kind = this.kinds[i]!;
      if (kind === PartKind.polygon || kind === PartKind.hole) continue;
      let covered = false;
      for (let k = 0; k < keptCount && !covered; k++) covered = this.covers(kept[k]!, i);
      if (!covered) kept[keptCount++] = i;
    }
    if (keptCount > KEPT_PARTS) return null;
    let total = 0;
    for (let k = 0; k < keptCount; k++) {
      result.kinds[k] = this.kinds[kept[k]!]!;
      result.starts[k] = this.starts[kept[k]!]!;
      result.lengths[k] = this.lengths[kept[k]!]!;
      total += result.lengths[k]!;
    }
    result.count = keptCount;
    return total > KEPT_VERTICES ? null : encodeFootprint(result, west, south);
  }

  /** First part after polygon `i` and its holes; holes follow their exterior directly. */
  private nextPolygon(i: number): number {
    let next = i + 1;
    while (next < this.count && this.kinds[next] === PartKind.hole) next++;
    return next;
  }

  private samePolygon(i: number, j: number): boolean {
    const rings = this.nextPolygon(i) - i;
    if (this.nextPolygon(j) - j !== rings) return false;
    for (let r = 0; r < rings; r++) if (!this.sameRing(i + r, j + r)) return false;
    return true;
  }

  /** True when the rings run through the same vertices, from any of them, in either direction. */
  private sameRing(i: number, j: number): boolean {
    const length = this.lengths[i]!;
    if (this.lengths[j] !== length) return false;
    // Sums of the same numbers in another order differ by rounding only.
    if (Math.abs(this.sums[i]! - this.sums[j]!) > 1e-6) return false;
    const v = this.vertices;
    const a = this.starts[i]! * 2;
    const b = this.starts[j]! * 2;
    for (let offset = 0; offset < length; offset++) {
      if (v[a] !== v[b + offset * 2] || v[a + 1] !== v[b + offset * 2 + 1]) continue;
      for (const step of [1, length - 1]) {
        let k = 1;
        let at = offset;
        for (; k < length; k++) {
          at = (at + step) % length;
          if (v[a + k * 2] !== v[b + at * 2] || v[a + k * 2 + 1] !== v[b + at * 2 + 1]) break;
        }
        if (k === length) return true;
      }
    }
    return false;
  }

  /** True when part `i` has the segment or point `j` on its boundary as an edge or vertex. */
  private covers(i: number, j: number): boolean {
    const kind = this.kinds[i]!;
    const length = this.lengths[i]!;
    if (this.lengths[j]! > 2 || kind === PartKind.point) return this.sameRing(i, j);
    const v = this.vertices;
    const a = this.starts[i]! * 2;
    const b = this.starts[j]! * 2;
    const single = this.lengths[j] === 1;
    const edges = kind === PartKind.line ? length - 1 : length;
    for (let k = 0; k < length; k++) {
      const p = a + k * 2;
      if (single) {
        if (v[p] === v[b] && v[p + 1] === v[b + 1]) return true;
        continue;
      }
      if (k >= edges) break;
      const q = a + ((k + 1) % length) * 2;
      const forwards = v[p] === v[b] && v[p + 1] === v[b + 1] && v[q] === v[b + 2] && v[q + 1] === v[b + 3];
      const backwards = v[q] === v[b] && v[q + 1] === v[b + 1] && v[p] === v[b + 2] && v[p + 1] === v[b + 3];
      if (forwards || backwards) return true;
    }
    return false;
  }
}
