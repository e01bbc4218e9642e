/** Seeded random numbers: the same seed gives the same country on every machine. */
import { createHash } from 'node:crypto';

/** Numbers in [0, 1) from any text (mulberry32 over the text's digest). */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(among: readonly T[]): T {
    return among[Math.floor(this.next() * among.length)]!;
  }

  /** Many small and few large numbers around 1: what sizes of cities and files look like. */
  skewed(): number {
    return Math.exp((this.next() + this.next() + this.next() - 1.5) * 1.6);
  }
}

/** Lower-case hex SHA-256 of a text. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
