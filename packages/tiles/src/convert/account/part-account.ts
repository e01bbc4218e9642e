/**
 * What becomes of everything in one GML file: a maker counts what it reads, what it draws, and under which issue the
 * rest is. Accounts of all makers of a file are put together by `run/conversion-account.ts`.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LODS } from '@citymodel/base';
import { AttributeAccount, type PartAttributes } from './attribute-account.ts';
import { emptyTally, type Tally } from './tally.ts';

/** Surfaces of one type at one level of detail; areas in square metres. */
export interface SurfaceTally extends Tally {
  type: string;
  lod: number;
  areaIn: number;
  areaOut: number;
  areaRest: Record<string, number>;
}

/**
 * Places of a feature's geometry: levels of detail 0 to 4, and one for geometry that states none, or for no geometry at
 * all.
 */
export const LEVELS = LODS.length + 1;
export const NO_LOD = LODS.length;

/** What became of a feature's geometry at a level; from `LOST` on, the number of a code counts on. */
export const Fate = {
  /** The feature has nothing there. */
  none: 0,
  /** It is in the file, and the maker makes nothing of this level. */
  there: 1,
  /** The maker is about to draw it. */
  claimed: 2,
  shown: 3,
} as const;
export const LOST = 4;

/** The account of a part: plain JSON. */
export interface PartAccount {
  features: number;
  /** Qualified names of elements. */
  types: string[];
  /** Codes of issues. */
  codes: string[];
  /** Deflated, as base64: for each feature the number of its type, then for each level the fate of all features. */
  fates: string;
  surfaces: SurfaceTally[];
  /** Of images that appearances name; null for a maker without images. */
  images: Tally | null;
  attributes: PartAttributes;
}

export class PartAccountBuilder {
  images: Tally | null = null;
  readonly attributes = new AttributeAccount();
  readonly #types: string[] = [];
  readonly #typeNumbers = new Map<string, number>();
  readonly #codes: string[] = [];
  readonly #codeNumbers = new Map<string, number>();
  /** By level of detail, of each type. */
  readonly #surfaces = new Map<string, SurfaceTally[]>();
  #typeOf = new Uint8Array(256);
  #fates = new Uint8Array(256 * LEVELS);
  #features = 0;

  /** A feature that was read: its place among those of the file, from 0. */
  feature(number: number, type: string): void {
    while (number >= this.#typeOf.length) {
      this.#typeOf = doubled(this.#typeOf);
      this.#fates = doubled(this.#fates);
    }
    this.#features = Math.max(this.#features, number + 1);
    let of = this.#typeNumbers.get(type);
    if (of === undefined) {
      // A file has a handful of types; those beyond what a byte counts share a name.
      of = Math.min(this.#types.length, 255);
      this.#types[of] = of === 255 ? 'others' : type;
      this.#typeNumbers.set(type, of);
    }
    this.#typeOf[number] = of;
  }

  /** What is `shown` once stays so. */
  fate(number: number, level: number, fate: (typeof Fate)[keyof typeof Fate]): void {
    const at = number * LEVELS + level;
    if (this.#fates[at] !== Fate.shown) this.#fates[at] = fate;
  }

  /** The geometry of a level is in no output, for which the issue of this code says the reason. */
  lost(number: number, level: number, code: string): void {
    let of = this.#codeNumbers.get(code);
    if (of === undefined) {
      of = this.#codes.push(code) - 1;
      this.#codeNumbers.set(code, of);
    }
    const at = number * LEVELS + level;
    if (this.#fates[at] !== Fate.shown) this.#fates[at] = LOST + of;
  }

  /** As `lost`, for all levels that the feature has something at. */
  lostWhole(number: number, code: string): void {
    for (let level = 0; level < LEVELS; level++) {
      if (this.#fates[number * LEVELS + level] !== Fate.none) this.lost(number, level, code);
    }
  }

  /** True when the feature has something at the level. */
  has(number: number, level: number): boolean {
    return this.#fates[number * LEVELS + level] !== Fate.none;
  }

  /** True for geometry that is in the file and of which nobody said anything yet. */
  isOpen(number: number, level: number): boolean {
    return this.#fates[number * LEVELS + level] === Fate.there;
  }

  surfaces(type: string, lod: number): SurfaceTally {
    let byLod = this.#surfaces.get(type);
    if (byLod === undefined) {
      byLod = [];
      this.#surfaces.set(type, byLod);
    }
    byLod[lod] ??= { type, lod, ...emptyTally(), areaIn: 0, areaOut: 0, areaRest: {} };
    return byLod[lod];
  }

  finish(): PartAccount {
    const count = this.#features;
    const bytes = new Uint8Array(count * (LEVELS + 1));
    bytes.set(this.#typeOf.subarray(0, count));
    for (let number = 0; number < count; number++) {
      for (let level = 0; level < LEVELS; level++)
        bytes[(level + 1) * count + number] = this.#fates[number * LEVELS + level]!;
    }
    return {
      features: count,
      types: this.#types,
      codes: this.#codes,
      fates: deflateRawSync(bytes).toString('base64'),
      surfaces: [...this.#surfaces.values()].flatMap((byLod) => byLod.filter(Boolean).map(rounded)),
      images: this.images,
      attributes: this.attributes.finish(),
    };
  }
}

/** The features of an account, one by one: the type of each, and its fates by level, which the next call overwrites. */
export function* featuresOf(account: PartAccount): Generator<{ type: string; fates: Uint8Array }> {
  const { features: count, types } = account;
  const bytes = inflateRawSync(Buffer.from(account.fates, 'base64'));
  const fates = new Uint8Array(LEVELS);
  for (let number = 0; number < count; number++) {
    for (let level = 0; level < LEVELS; level++) fates[level] = bytes[(level + 1) * count + number]!;
    yield { type: types[bytes[number]!]!, fates };
  }
}

/** Square metres to the square centimetre, so that sums of floats are short. */
function rounded(tally: SurfaceTally): SurfaceTally {
  const short = (area: number) => Math.round(area * 1e4) / 1e4;
  const areaRest = Object.fromEntries(
    Object.entries(tally.areaRest).map(([code, area]) => [code, short(area)]),
  );
  return { ...tally, areaIn: short(tally.areaIn), areaOut: short(tally.areaOut), areaRest };
}

function doubled(array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * array.length);
  larger.set(array);
  return larger;
}
