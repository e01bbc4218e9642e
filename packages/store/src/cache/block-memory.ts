import { LRUCache } from 'lru-cache';
import type { CacheFigures } from '../store-figures.ts';
import type { DiskCache } from './disk-cache.ts';

/** Blocks of objects in memory and, behind it, on the local disk. */
export class BlockMemory {
  readonly #memory: LRUCache<string, Uint8Array> | null;
  readonly #disk: DiskCache | null;
  #memoryHits = 0;
  #diskHits = 0;
  #misses = 0;

  /** `maxBytes`: of blocks in memory; 0 keeps none. */
  constructor(maxBytes: number, disk: DiskCache | null) {
    this.#memory =
      maxBytes === 0
        ? null
        : new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ length }) => length || 1 });
    this.#disk = disk;
  }

  async get(name: string): Promise<Uint8Array | null> {
    const here = this.#memory?.get(name);
    if (here !== undefined) {
      this.#memoryHits++;
      return here;
    }
    const block = (await this.#disk?.get(name)) ?? null;
    if (block === null) {
      this.#misses++;
      return null;
    }
    this.#diskHits++;
    this.#memory?.set(name, block);
    return block;
  }

  figures(): CacheFigures {
    return {
      memoryHits: this.#memoryHits,
      diskHits: this.#diskHits,
      misses: this.#misses,
      memoryBytes: this.#memory?.calculatedSize ?? 0,
    };
  }

  /** Keeps a block, which must be a piece of memory of its own. */
  put(name: string, block: Uint8Array): void {
    this.#memory?.set(name, block);
    this.#disk?.put(name, block);
  }

  /** Forgets a block whose bytes are wrong. */
  async drop(name: string): Promise<void> {
    this.#memory?.delete(name);
    await this.#disk?.drop(name);
  }

  async settle(): Promise<void> {
    await this.#disk?.settle();
  }
}
