/** Numbers that look random and are the same for the same key, on every machine and in every run. */

/** 32-bit FNV-1a of the text, then mixed so that near keys give far values. Unsigned. */
export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A small generator (sfc32) that is started from a key; drawing in the same order gives the same values. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(key: string) {
    const h = hash32(key);
    this.#a = h;
    this.#b = Math.imul(h, 0x9e3779b1) ^ 0x243f6a88;
    this.#c = Math.imul(h ^ 0x5bd1e995, 0x85ebca77) ^ key.length;
    for (let i = 0; i < 8; i++) this.uint32();
  }

  /** 0 to 2^32 - 1. */
  uint32(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + t) | 0;
    return t >>> 0;
  }

  /** `low` inclusive to `high` exclusive. */
  between(low: number, high: number): number {
    return low + (this.uint32() / 0x1_0000_0000) * (high - low);
  }

  /** A whole number, both ends included. */
  int(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)]!;
  }

  /** Shaped like a random UUID (RFC 9562, version 4). */
  uuid(): string {
    const hex = (value: number) => value.toString(16).padStart(8, '0');
    const [a, b, c, d] = [hex(this.uint32()), hex(this.uint32()), hex(this.uint32()), hex(this.uint32())];
    const variant = '89ab'[Number.parseInt(c[0]!, 16) & 3];
    return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
  }
}
