/**
 * Which way a surface faces at each of its positions, so that light runs smoothly over it: the mean of the polygons
 * around, the larger ones more. Tiles that share a position see it alike, wherever the surface is cut.
 */

/** Metres of a degree of latitude. */
const METRE = 111_320;
const RADIANS = Math.PI / 180;
/** Places are told apart by so many steps to a degree, 1.1 mm, and to a metre of height. */
const STEPS = { degree: 1e8, metre: 1e3 };
const KEY = 3;
/** Part of the table that is taken before it grows. */
const FULL = 0.7;
/** Arrays grow by this part: doubled ones of millions of places would stand half empty. */
const GROWTH = 1.4;

export class SurfaceNormals {
  /** The first position, from which steps count: others are within some tens of kilometres. */
  #origin: readonly [lng: number, lat: number] | null = null;
  #keys = new Int32Array(KEY * 256);
  /** Sums of east, north and up. */
  #sums = new Float32Array(3 * 256);
  #count = 0;
  /** Open addressing: number of a place plus one. */
  #table = new Int32Array(1024);
  readonly #key = new Int32Array(KEY);

  /**
   * Adds a ring, open, of `positions` (longitude, latitude in degrees, height in metres): those from number `from` to
   * before `to`. It faces up, whichever way it runs.
   */
  add(positions: Float64Array, from: number, to: number): void {
    const normal = upward(positions, from, to);
    for (let i = from; i < to; i++) {
      const place = this.#place(positions, i) ?? this.#added();
      for (let axis = 0; axis < 3; axis++) this.#sums[3 * place + axis]! += normal[axis]!;
    }
  }

  /**
   * Unit vectors at positions from number `from` to before `to`: x, y, z by turns, as tiles have them (`TileFrame`).
   * They go straight up at a place that was not added.
   */
  of(positions: Float64Array, from: number, to: number): Float32Array {
    const normals = new Float32Array(3 * (to - from));
    for (let i = from; i < to; i++) {
      const place = this.#place(positions, i);
      const [east, north, up] =
        place === null ? [0, 0, 1] : (this.#sums.subarray(3 * place, 3 * place + 3) as unknown as number[]);
      const length = Math.hypot(east!, north!, up!);
      const unit = length > 0 ? [east! / length, north! / length, up! / length] : [0, 0, 1];
      normals.set(inTile(unit, positions[3 * i]!, positions[3 * i + 1]!), 3 * (i - from));
    }
    return normals;
  }

  /** Number of the place of a position; null, and the key is left for `#added`, where it is new. */
  #place(positions: Float64Array, i: number): number | null {
    const [lng, lat, height] = [positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!];
    this.#origin ??= [lng, lat];
    const key = this.#key;
    key[0] = Math.round((lng - this.#origin[0]) * STEPS.degree);
    key[1] = Math.round((lat - this.#origin[1]) * STEPS.degree);
    key[2] = Math.round(height * STEPS.metre);
    const entry = this.#table[this.#slot(key, 0)]!;
    return entry === 0 ? null : entry - 1;
  }

  #added(): number {
    const place = this.#count++;
    if (KEY * this.#count > this.#keys.length) {
      this.#keys = larger(this.#keys);
      this.#sums = larger(this.#sums);
    }
    this.#keys.set(this.#key, KEY * place);
    if (this.#count > FULL * this.#table.length) this.#rehash();
    else this.#table[this.#slot(this.#key, 0)] = place + 1;
    return place;
  }

  /** Slot of a key, or the free one where it belongs. */
  #slot(keys: Int32Array, at: number): number {
    const [table, known] = [this.#table, this.#keys];
    const mask = table.length - 1;
    for (let slot = hash(keys, at) & mask; ; slot = (slot + 1) & mask) {
      const entry = table[slot]!;
      if (entry === 0) return slot;
      const other = KEY * (entry - 1);
      let same = 0;
      while (same < KEY && known[other + same] === keys[at + same]) same++;
      if (same === KEY) return slot;
    }
  }

  #rehash(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    for (let place = 0; place < this.#count; place++)
      this.#table[this.#slot(this.#keys, KEY * place)] = place + 1;
  }
}

/** East, north and up of a ring by Newell's method, turned up; its length is twice the area in square metres. */
function upward(positions: Float64Array, from: number, to: number): [number, number, number] {
  const lat = positions[3 * from + 1]!;
  // Counted from the first position: products of large numbers lose digits.
  const [lng, height] = [positions[3 * from]!, positions[3 * from + 2]!];
  const metre = METRE * Math.cos(lat * RADIANS);
  const at = (i: number): [number, number, number] => [
    (positions[3 * i]! - lng) * metre,
    (positions[3 * i + 1]! - lat) * METRE,
    positions[3 * i + 2]! - height,
  ];
  let [east, north, up] = [0, 0, 0];
  let before = at(to - 1);
  for (let i = from; i < to; i++) {
    const own = at(i);
    east += (before[1] - own[1]) * (before[2] + own[2]);
    north += (before[2] - own[2]) * (before[0] + own[0]);
    up += (before[0] - own[0]) * (before[1] + own[1]);
    before = own;
  }
  return up < 0 ? [-east, -north, -up] : [east, north, up];
}

/** True for a ring that runs clockwise as it is seen from above. */
export function isClockwise(positions: Float64Array, from: number, to: number): boolean {
  let doubled = 0;
  for (let i = from; i < to; i++) {
    const next = i + 1 === to ? from : i + 1;
    doubled +=
      (positions[3 * i]! - positions[3 * from]!) * (positions[3 * next + 1]! - positions[3 * from + 1]!) -
      (positions[3 * next]! - positions[3 * from]!) * (positions[3 * i + 1]! - positions[3 * from + 1]!);
  }
  return doubled < 0;
}

/** East, north and up at a place as x, y and z of a tile. */
function inTile([east, north, up]: readonly number[], lng: number, lat: number): [number, number, number] {
  const [sinLng, cosLng] = [Math.sin(lng * RADIANS), Math.cos(lng * RADIANS)];
  const [sinLat, cosLat] = [Math.sin(lat * RADIANS), Math.cos(lat * RADIANS)];
  const outwards = up! * cosLat - north! * sinLat;
  return [
    outwards * cosLng - east! * sinLng,
    up! * sinLat + north! * cosLat,
    -(outwards * sinLng + east! * cosLng),
  ];
}

function hash(keys: Int32Array, at: number): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < KEY; i++) value = Math.imul(value ^ keys[at + i]!, 0x01000193) ^ (value >>> 15);
  return value ^ (value >>> 16);
}

function larger<T extends Float32Array | Int32Array>(array: T): T {
  const copy = new (array.constructor as new (length: number) => T)(
    KEY * Math.ceil((GROWTH * array.length) / KEY),
  );
  copy.set(array);
  return copy;
}
