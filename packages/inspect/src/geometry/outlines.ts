/**
 * Outlines of features as a file hands them on: a file may have hundreds of thousands, so their numbers lie in few
 * arrays.
 *
 *   numbers of an outline: longitude, latitude, height of its place │ from, to │ line, member, level, type, rings │
 *                          length of each ring … │ x, y, x, y, …
 */
import type { Carried, Finding } from '../check.ts';
import { type Box, boxOf } from './box-pairs.ts';

/** A surface or footprint of a feature on the plane. */
export interface Outline extends Required<Pick<Finding, 'position'>> {
  id: string | null;
  type: string;
  line: number;
  /** Number of the member. */
  member: number;
  lod: number;
  /** x and y by turns, metres. */
  rings: Float64Array[];
  /** Heights between which it is, metres; the first is above the other one where they are not known. */
  from: number;
  to: number;
}

/** An outline with the file that it is of. */
export interface Placed extends Outline {
  path: string;
}

/** Plain values. */
interface Block {
  ids: Array<string | null>;
  /** Where the numbers of each begin. */
  starts: Uint32Array;
  numbers: Float64Array;
}

/** What is handed on of a file. */
export interface PackedOutlines {
  /** Names of the types, which outlines tell by their place. */
  types: string[];
  blocks: Block[];
}

/** Outlines of a block. */
const PER_BLOCK = 4096;
/** Numbers before the lengths of rings. */
const HEAD = 10;

/** Takes the outlines of a file. */
export class OutlinePacker {
  readonly #types: string[] = [];
  readonly #blocks: Block[] = [];
  #ids: Array<string | null> = [];
  readonly #starts: number[] = [];
  #numbers = new Float64Array(256);
  #used = 0;

  add({ id, type, line, member, lod, rings, from, to, position }: Outline): void {
    let place = this.#types.indexOf(type);
    if (place < 0) place = this.#types.push(type) - 1;
    const size = HEAD + rings.length + rings.reduce((sum, { length }) => sum + length, 0);
    this.#makeRoom(size);
    this.#ids.push(id);
    this.#starts.push(this.#used);
    const [lng, lat, height] = position ?? [NaN, NaN, NaN];
    const head = [lng, lat, height, from, to, line, member, lod, place, rings.length];
    this.#numbers.set(head, this.#used);
    let at = this.#used + HEAD;
    for (const { length } of rings) this.#numbers[at++] = length;
    for (const ring of rings) {
      this.#numbers.set(ring, at);
      at += ring.length;
    }
    this.#used = at;
    if (this.#ids.length === PER_BLOCK) this.#seal();
  }

  #makeRoom(size: number): void {
    if (this.#used + size <= this.#numbers.length) return;
    const larger = new Float64Array(2 * (this.#used + size));
    larger.set(this.#numbers.subarray(0, this.#used));
    this.#numbers = larger;
  }

  #seal(): void {
    const [ids, starts] = [this.#ids, Uint32Array.from(this.#starts)];
    this.#blocks.push({ ids, starts, numbers: this.#numbers.slice(0, this.#used) });
    this.#ids = [];
    this.#starts.length = 0;
    this.#used = 0;
  }

  /** All of them; undefined when there are none. */
  take(): PackedOutlines | undefined {
    if (this.#ids.length > 0) this.#seal();
    return this.#blocks.length === 0 ? undefined : { types: this.#types, blocks: this.#blocks };
  }
}

/** The outlines of several files, by their numbers from 0 on. */
export class Outlines {
  readonly #blocks: Array<Block & { path: string; types: string[]; first: number }> = [];
  readonly count: number = 0;

  constructor(files: readonly Carried<PackedOutlines>[]) {
    for (const { path, carry } of files) {
      for (const block of carry.blocks) {
        this.#blocks.push({ ...block, path, types: carry.types, first: this.count });
        this.count += block.ids.length;
      }
    }
  }

  at(n: number): Placed {
    const { path, types, ids, starts, numbers, first } = this.#blockOf(n);
    const start = starts[n - first]!;
    const [lng, lat, height, from, to, line, member, lod, type, count] = numbers.subarray(
      start,
      start + HEAD,
    );
    const position: Outline['position'] = Number.isNaN(lng!) ? null : [lng!, lat!, height!];
    const rings: Float64Array[] = [];
    let at = start + HEAD + count!;
    for (let i = 0; i < count!; i++) {
      const length = numbers[start + HEAD + i]!;
      rings.push(numbers.subarray(at, at + length));
      at += length;
    }
    return {
      path,
      id: ids[n - first]!,
      type: types[type!]!,
      position,
      line: line!,
      member: member!,
      lod: lod!,
      from: from!,
      to: to!,
      rings,
    };
  }

  #blockOf(n: number) {
    let [least, most] = [0, this.#blocks.length - 1];
    while (least < most) {
      const middle = (least + most + 1) >>> 1;
      if (this.#blocks[middle]!.first <= n) least = middle;
      else most = middle - 1;
    }
    return this.#blocks[least]!;
  }

  boxes(): Box[] {
    return Array.from({ length: this.count }, (_, n) => boxOf(this.at(n).rings));
  }
}
