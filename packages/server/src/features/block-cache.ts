import { BlockInflater, PartsThread } from '@citymodel/zip';
import { LRUCache } from 'lru-cache';
import { Scratch } from './scratch.ts';

/**
 * Blocks of which it is remembered that they were asked for: about as many as are kept. With more, callers all over a
 * large file would find each block seen, and fill the cache with blocks that nobody asks for again.
 */
const MAX_SEEN = 50;

/**
 * Inflated blocks of all archives, bounded by their bytes. A block is kept when it is requested a second time. What is
 * requested once, as in a listing of a city, replaces nothing, and is inflated only as far as needed.
 */
export class BlockCache {
  readonly inflater = new BlockInflater();
  /** For data of blocks, and texts, of all answers. */
  readonly scratch = new Scratch();
  /** For answers out of many blocks. */
  readonly thread: PartsThread;
  readonly #maxBytes: number;
  readonly #blocks: LRUCache<string, Uint8Array> | null;
  readonly #seen = new LRUCache<string, true>({ max: MAX_SEEN });

  /** `maxBytes`: of text; 0 keeps nothing. */
  constructor(maxBytes: number, thread = new PartsThread()) {
    this.#maxBytes = maxBytes;
    this.thread = thread;
    this.#blocks =
      maxBytes === 0
        ? null
        : new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ length }) => length || 1 });
  }

  get(key: string): Uint8Array | undefined {
    return this.#blocks?.get(key);
  }

  /** True when the block has been asked for before and would be worth keeping. Every second call says so. */
  wants(key: string, bytes: number): boolean {
    if (bytes > this.#maxBytes / 2) return false;
    if (this.#seen.delete(key)) return true;
    this.#seen.set(key, true);
    return false;
  }

  /** True when the block is kept, or would be the next time that it is asked for. */
  expects(key: string): boolean {
    return this.#blocks?.has(key) === true || this.#seen.has(key);
  }

  put(key: string, text: Uint8Array): void {
    if (this.#blocks?.has(key) === false) this.#blocks.set(key, text);
  }
}
