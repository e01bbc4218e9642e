/** Triangles that share vertices: one vertex for equal position, normal, texture coordinates, colour and feature. */

/** Triangles of one draw call. */
export interface TriangleMesh {
  /** x, y, z by turns, y up. */
  positions: Float32Array;
  /** Unit vectors. */
  normals: Float32Array;
  /** From the upper left, as glTF counts them; null without a texture. */
  uvs: Float32Array | null;
  /** Linear red, green, blue and opacity, 0 to 255; null where all are white. */
  colours: Uint8Array | null;
  /** Row of the property table. */
  features: Uint16Array;
  indices: Uint32Array;
}

/** Positions that are nearer than this, metres, are the same. */
const WELD = 0.0005;
/** Steps of normals and texture coordinates that count as equal. */
const NORMAL_STEPS = 512;
const UV_STEPS = 65_536;
/** Numbers of a vertex's key: position, normal, texture coordinates, colour, feature. */
const KEY = 10;
const WHITE = 0xffffffff;

/** A vertex on its way in: positions and normals in the tile, colour as 32 bits of RGBA. */
export class MeshBuilder {
  readonly #textured: boolean;
  readonly #step: number | null;
  #positions = new Float32Array(3 * 256);
  #normals = new Float32Array(3 * 256);
  #uvs = new Float32Array(2 * 256);
  #colours = new Uint32Array(256);
  #features = new Uint16Array(256);
  #keys = new Int32Array(KEY * 256);
  #indices = new Uint32Array(3 * 512);
  #count = 0;
  #indexCount = 0;
  #coloured = false;
  /** Open addressing: number of a vertex plus one. */
  #table = new Int32Array(1024);
  readonly #key = new Int32Array(KEY);

  /** `step`: metres that positions are rounded to; null to keep them. */
  constructor(textured: boolean, step: number | null) {
    this.#textured = textured;
    this.#step = step;
  }

  get vertices(): number {
    return this.#count;
  }

  /** Number of the vertex; `normal` is a unit vector. */
  vertex(
    x: number,
    y: number,
    z: number,
    normal: readonly [number, number, number],
    u: number,
    v: number,
    colour: number,
    feature: number,
  ): number {
    const key = this.#key;
    key[0] = Math.round(x / WELD);
    key[1] = Math.round(y / WELD);
    key[2] = Math.round(z / WELD);
    key[3] = Math.round(normal[0] * NORMAL_STEPS);
    key[4] = Math.round(normal[1] * NORMAL_STEPS);
    key[5] = Math.round(normal[2] * NORMAL_STEPS);
    key[6] = this.#textured ? Math.round(u * UV_STEPS) : 0;
    key[7] = this.#textured ? Math.round(v * UV_STEPS) : 0;
    key[8] = colour | 0;
    key[9] = feature;
    const found = this.#find();
    if (this.#table[found]! > 0) return this.#table[found]! - 1;
    const number = this.#count++;
    if (number === this.#features.length) this.#grow();
    this.#table[found] = number + 1;
    this.#keys.set(key, KEY * number);
    this.#positions[3 * number] = this.#rounded(x);
    this.#positions[3 * number + 1] = this.#rounded(y);
    this.#positions[3 * number + 2] = this.#rounded(z);
    this.#normals.set(normal, 3 * number);
    this.#uvs[2 * number] = u;
    this.#uvs[2 * number + 1] = v;
    this.#colours[number] = colour;
    this.#features[number] = feature;
    if (colour >>> 0 !== WHITE) this.#coloured = true;
    if (2 * this.#count > this.#table.length) this.#rehash();
    return number;
  }

  /** A triangle of three vertices; one without an area after welding is dropped. */
  triangle(a: number, b: number, c: number): void {
    if (a === b || b === c || a === c) return;
    if (this.#indexCount + 3 > this.#indices.length) this.#indices = larger(this.#indices);
    this.#indices[this.#indexCount++] = a;
    this.#indices[this.#indexCount++] = b;
    this.#indices[this.#indexCount++] = c;
  }

  /** Null when there are no triangles. */
  finish(): TriangleMesh | null {
    if (this.#indexCount === 0) return null;
    const count = this.#count;
    return {
      positions: this.#positions.slice(0, 3 * count),
      normals: this.#normals.slice(0, 3 * count),
      uvs: this.#textured ? this.#uvs.slice(0, 2 * count) : null,
      colours: this.#coloured ? this.#bytesOfColours() : null,
      features: this.#features.slice(0, count),
      indices: this.#indices.slice(0, this.#indexCount),
    };
  }

  /** Here, before 32-bit floats round it: two tiles would else round one place to two. */
  #rounded(value: number): number {
    return this.#step === null ? value : Math.round(value / this.#step) * this.#step;
  }

  #bytesOfColours(): Uint8Array {
    const bytes = new Uint8Array(4 * this.#count);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < this.#count; i++) view.setUint32(4 * i, this.#colours[i]!, false);
    return bytes;
  }

  /** Slot of the key, or the free one where it belongs. */
  #find(): number {
    const [table, keys, key] = [this.#table, this.#keys, this.#key];
    const mask = table.length - 1;
    let slot = hash(key, 0) & mask;
    for (;;) {
      const entry = table[slot]!;
      if (entry === 0) return slot;
      const at = KEY * (entry - 1);
      let same = 0;
      while (same < KEY && keys[at + same] === key[same]) same++;
      if (same === KEY) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #rehash(): void {
    const table = new Int32Array(2 * this.#table.length);
    const mask = table.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = hash(this.#keys, KEY * number) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = number + 1;
    }
    this.#table = table;
  }

  #grow(): void {
    this.#positions = larger(this.#positions);
    this.#normals = larger(this.#normals);
    this.#uvs = larger(this.#uvs);
    this.#colours = larger(this.#colours);
    this.#features = larger(this.#features);
    this.#keys = larger(this.#keys);
  }
}

function hash(keys: Int32Array, at: number): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < KEY; i++) value = Math.imul(value ^ keys[at + i]!, 0x01000193) ^ (value >>> 15);
  return value ^ (value >>> 16);
}

function larger<T extends Float32Array | Uint32Array | Uint16Array | Int32Array>(array: T): T {
  const copy = new (array.constructor as new (length: number) => T)(2 * array.length);
  copy.set(array);
  return copy;
}
