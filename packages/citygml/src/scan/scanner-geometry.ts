/**
 * Boxes and footprint of one feature, gathered while its coordinates go by.
 *
 * Geometry is sorted into slots, best first: what stands for the feature in `_bbox` and in spatial queries is
 * the first slot that has any (its `lod1Solid`, else its lowest LOD; geometry beside the body or inside
 * attributes only when there is no other).
 */
import type { Crs } from '../geometry/crs.ts';
import type { FeatureGeometry } from '../geometry/feature-outline.ts';
import { FootprintBuilder } from '../geometry/footprint-builder.ts';

export const Slot = {
  lod1Solid: 0,
  /** + LOD 0 to 4; 5: the property states none. */
  body: 1,
  /** Where the shape meets the terrain. */
  aside: 7,
  /** Inside an attribute object. */
  attribute: 13,
} as const;
export const NO_LOD = 5;
const SLOTS = 19;

/** Geometries with an id, and references to them, that are remembered per feature. */
const REMEMBERED = 65_536;
/** References may lead to references (`gml:OrientableSurface`); deeper ones, or circles, end here … */
const DEPTH = 4;
/**
 * … and so do more steps than this from one to the next in one feature, beside two for each of its geometries and
 * references.
 */
const STEPS = 50_000;

export class GeometryCollector {
  private readonly boxes = new Float64Array(SLOTS * 6);
  /** 1: has coordinates; 2: names geometry elsewhere, or is implicit. */
  private readonly seen = new Uint8Array(SLOTS);
  private readonly part = new Float64Array(6);
  private readonly box = new Float64Array(6);
  private readonly extent = new Float64Array(6);
  private readonly builder = new FootprintBuilder();
  /** The best slot so far, whose vertices the builder holds. */
  private best = SLOTS;
  private storing = false;

  private ids = new Int32Array(64 * 6);
  private idCount = 0;
  private openIds = 0;
  private logged = new Float64Array(64 * 6);
  private loggedSlots = new Int32Array(64);
  private loggedCount = 0;
  private references = new Int32Array(64 * 3);
  private referenceCount = 0;
  private steps = 0;
  private allowedSteps = 0;
  /** Steps along references in all features since `begin`. */
  allSteps = 0;
  /** True when the last feature has more references to references than are followed. */
  cutShort = false;

  /** Begins a file. */
  begin(): void {
    this.allSteps = 0;
    this.clear();
  }

  clear(): void {
    this.cutShort = false;
    this.seen.fill(0);
    this.builder.clear();
    this.best = SLOTS;
    this.storing = false;
    this.idCount = 0;
    this.openIds = 0;
    this.loggedCount = 0;
    this.referenceCount = 0;
  }

  /** There is geometry in the slot that has no coordinates here. */
  mark(slot: number): void {
    this.seen[slot]! |= 2;
  }

  /** The footprint cannot be told from the vertices of this slot. */
  notPlain(slot: number): void {
    if (slot <= this.best) {
      this.improve(slot);
      this.builder.giveUp();
    }
  }

  private improve(slot: number): void {
    if (slot < this.best) {
      this.best = slot;
      this.builder.clear();
    }
  }

  /** Begins a ring, line or point. */
  beginPart(slot: number): void {
    const { part } = this;
    part[0] = part[1] = part[4] = Number.POSITIVE_INFINITY;
    part[2] = part[3] = part[5] = Number.NEGATIVE_INFINITY;
    this.improve(slot);
    this.storing = slot === this.best;
    if (this.storing) this.builder.begin();
  }

  /**
   * Adds `count` numbers, a multiple of `dimension`, in the order of the CRS. `isTurned`: degrees with longitude first.
   */
  absorb(values: Float64Array, count: number, dimension: number, crs: Crs, isTurned: boolean): void {
    const { part, builder, storing } = this;
    let west = part[0]!;
    let south = part[1]!;
    let east = part[2]!;
    let north = part[3]!;
    const first = isTurned ? 1 : 0;
    const isPlain = crs.geographic && crs.northFirst && crs.isShifted !== true;
    for (let i = 0; i < count; i += dimension) {
      let lat = values[i + first]!;
      let lng = values[i + 1 - first]!;
      if (!isPlain) [lng, lat] = crs.toLngLat(lat, lng);
      if (lng < west) west = lng;
      if (lng > east) east = lng;
      if (lat < south) south = lat;
      if (lat > north) north = lat;
      if (storing) builder.vertex(lng, lat);
    }
    part[0] = west;
    part[1] = south;
    part[2] = east;
    part[3] = north;
    if (dimension < 3) return;
    let low = part[4]!;
    let high = part[5]!;
    for (let i = 2; i < count; i += dimension) {
      const altitude = values[i]!;
      if (altitude < low) low = altitude;
      if (altitude > high) high = altitude;
    }
    part[4] = low;
    part[5] = high;
  }

  /** Ends the part. False when it lies outside the world; it is left out then. */
  endPart(slot: number, kind: number): boolean {
    const { part } = this;
    if (!(part[0]! <= part[2]!)) return true;
    if (!(part[0]! >= -180 && part[2]! <= 180 && part[1]! >= -90 && part[3]! <= 90)) return false;
    if (this.seen[slot]! & 1) {
      unite(this.boxes, slot * 6, part, 0);
    } else {
      this.seen[slot]! |= 1;
      this.boxes.set(part, slot * 6);
    }
    if (this.storing) this.builder.end(kind);
    if (this.openIds > 0) {
      if (this.loggedCount < REMEMBERED) {
        this.logged = grown(this.logged, (this.loggedCount + 1) * 6);
        this.logged.set(part, this.loggedCount * 6);
        this.loggedSlots = grown(this.loggedSlots, this.loggedCount + 1);
        this.loggedSlots[this.loggedCount] = slot;
      }
      this.loggedCount++;
    }
    return true;
  }

  /**
   * True while references may still be needed to find the feature's box: its solid has no coordinates, or not all.
   * (What stands between two solids, of which only the second names it, is missed.)
   */
  get wantsIds(): boolean {
    return this.seen[Slot.lod1Solid] !== 1;
  }

  /**
   * A geometry with a gml:id, by two hashes of it, begins; the number goes to `closeId`. -1 when there are too many.
   */
  openId(hash: number, hash2: number): number {
    this.openIds++;
    if (this.idCount === REMEMBERED) return -1;
    this.ids = grown(this.ids, (this.idCount + 1) * 6);
    const at = this.idCount * 6;
    this.ids[at] = hash;
    this.ids[at + 1] = hash2;
    this.ids[at + 2] = this.loggedCount;
    this.ids[at + 4] = this.referenceCount;
    return this.idCount++;
  }

  closeId(id: number): void {
    this.openIds--;
    if (id < 0) return;
    this.ids[id * 6 + 3] = Math.min(this.loggedCount, REMEMBERED);
    this.ids[id * 6 + 5] = this.referenceCount;
  }

  /** The slot names a geometry of the same file by two hashes of its id. */
  refer(slot: number, hash: number, hash2: number): void {
    this.seen[slot]! |= 2;
    if (this.referenceCount === REMEMBERED) return;
    this.references = grown(this.references, (this.referenceCount + 1) * 3);
    const at = this.referenceCount++ * 3;
    this.references[at] = slot;
    this.references[at + 1] = hash;
    this.references[at + 2] = hash2;
  }

  finish(): FeatureGeometry {
    const { seen, boxes } = this;
    this.resolve();
    let slot = 0;
    while (slot < SLOTS && (seen[slot]! & 1) === 0) slot++;
    const box = slot === SLOTS ? null : copy(boxes, slot, this.box);
    let lods = this.lodsFrom(Slot.body) | (seen[Slot.lod1Solid] === 0 ? 0 : 2);
    if (lods === 0) lods = this.lodsFrom(Slot.aside);
    if (lods === 0) lods = this.lodsFrom(Slot.attribute);
    let extent: Float64Array | null = null;
    for (let s = 0; s < SLOTS && (s < Slot.aside || extent === null); s++) {
      if ((seen[s]! & 1) === 0) continue;
      if (extent === null) extent = copy(boxes, s, this.extent);
      else unite(extent, 0, boxes, s * 6);
    }
    const hasAltitude = box !== null && box[4]! <= box[5]!;
    if (box !== null) zeroAltitude(box);
    if (extent !== null) zeroAltitude(extent);
    return {
      lods,
      box,
      extent,
      hasAltitude,
      solid: slot === Slot.lod1Solid,
      footprint: box !== null && slot === this.best ? this.builder.finish(box[0]!, box[1]!) : null,
    };
  }

  private lodsFrom(first: number): number {
    let lods = 0;
    for (let lod = 0; lod < 5; lod++) if (this.seen[first + lod] !== 0) lods |= 1 << lod;
    return lods;
  }

  /**
   * Gives a box to the slots that only name geometry elsewhere and come before every slot with coordinates. Where there
   * are none, the first with coordinates may name more at other levels; its footprint is then in the text.
   */
  private resolve(): void {
    if (this.referenceCount === 0 || this.idCount === 0) return;
    const unresolved: number[] = [];
    let first = 0;
    for (; first < SLOTS && (this.seen[first]! & 1) === 0; first++) {
      if (this.seen[first]! & 2) unresolved.push(first);
    }
    if (first < SLOTS && this.refersFrom(first)) unresolved.push(first);
    if (unresolved.length === 0) return;
    const byHash = new Map<number, number>();
    for (let id = 0; id < this.idCount; id++) byHash.set(this.ids[id * 6]!, id);
    const found = new Float64Array(6);
    this.steps = 0;
    this.allowedSteps = STEPS + 2 * (Math.min(this.loggedCount, REMEMBERED) + this.referenceCount);
    for (const slot of unresolved) {
      found.fill(Number.POSITIVE_INFINITY, 0, 2);
      found[4] = Number.POSITIVE_INFINITY;
      found.fill(Number.NEGATIVE_INFINITY, 2, 4);
      found[5] = Number.NEGATIVE_INFINITY;
      for (let r = 0; r < this.referenceCount; r++) {
        if (this.references[r * 3] === slot) this.follow(r, slot, byHash, found, DEPTH);
      }
      if (!(found[0]! <= found[2]!)) continue;
      if (slot === first) {
        unite(this.boxes, slot * 6, found, 0);
        this.notPlain(slot);
      } else {
        this.boxes.set(found, slot * 6);
        this.seen[slot]! |= 1;
      }
    }
    this.allSteps += this.steps;
    this.cutShort = this.steps >= this.allowedSteps;
  }

  private refersFrom(slot: number): boolean {
    if ((this.seen[slot]! & 2) === 0) return false;
    for (let r = 0; r < this.referenceCount; r++) if (this.references[r * 3] === slot) return true;
    return false;
  }

  /** Adds to `found` what the reference leads to and the slot does not have itself. */
  private follow(
    reference: number,
    slot: number,
    byHash: Map<number, number>,
    found: Float64Array,
    depth: number,
  ): void {
    const id = byHash.get(this.references[reference * 3 + 1]!);
    if (id === undefined || this.ids[id * 6 + 1] !== this.references[reference * 3 + 2]) return;
    const { allowedSteps } = this;
    for (
      let k = this.ids[id * 6 + 2]!;
      k < this.ids[id * 6 + 3]! && this.steps < allowedSteps;
      k++, this.steps++
    ) {
      if (this.loggedSlots[k] !== slot) unite(found, 0, this.logged, k * 6);
    }
    if (depth === 0) return;
    for (
      let r = this.ids[id * 6 + 4]!;
      r < this.ids[id * 6 + 5]! && this.steps < allowedSteps;
      r++, this.steps++
    ) {
      this.follow(r, slot, byHash, found, depth - 1);
    }
  }
}

function copy(boxes: Float64Array, slot: number, into: Float64Array): Float64Array {
  for (let k = 0; k < 6; k++) into[k] = boxes[slot * 6 + k]!;
  return into;
}

/** Data without heights lies at 0. */
function zeroAltitude(box: Float64Array): void {
  if (!(box[4]! <= box[5]!)) {
    box[4] = 0;
    box[5] = 0;
  }
}

function unite(into: Float64Array, at: number, from: Float64Array, index: number): void {
  if (from[index]! < into[at]!) into[at] = from[index]!;
  if (from[index + 1]! < into[at + 1]!) into[at + 1] = from[index + 1]!;
  if (from[index + 2]! > into[at + 2]!) into[at + 2] = from[index + 2]!;
  if (from[index + 3]! > into[at + 3]!) into[at + 3] = from[index + 3]!;
  if (from[index + 4]! < into[at + 4]!) into[at + 4] = from[index + 4]!;
  if (from[index + 5]! > into[at + 5]!) into[at + 5] = from[index + 5]!;
}

function grown<T extends Int32Array | Float64Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2));
  larger.set(array);
  return larger;
}
