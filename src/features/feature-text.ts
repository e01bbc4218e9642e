/** The text of features out of the blocks of a GML member, with the blocks that were inflated last kept. */
import { PromiseLru } from '../base/lru.ts';
import type { OpenArchive } from '../store/archives.ts';
import type { BlockTable } from '../zip/block-table.ts';
import { blockText } from '../zip/block-text.ts';
import type { Member } from '../zip/member.ts';

/** Inflated blocks that are kept, whatever their size. */
const MAX_BLOCKS = 4_096;

/** Where a feature's element lies in the text of its file, bytes; `end` is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

/** Inflated blocks of all archives, bounded by their bytes. */
export class BlockCache {
  readonly #blocks: PromiseLru<Uint8Array>;

  /** `maxBytes`: of text. */
  constructor(maxBytes: number) {
    this.#blocks = new PromiseLru({
      max: maxBytes === 0 ? 0 : MAX_BLOCKS,
      maxWeight: maxBytes,
      weigh: (text) => text.length,
    });
  }

  /** The block for the key; `make` is called when it is not kept. */
  get(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    return this.#blocks.get(key, make);
  }
}

/**
 * One GML member whose features are read. The archive must stay open until this has been closed: blocks that are
 * being read ahead may outlive the caller's interest.
 */
export class FeatureText implements AsyncDisposable {
  /** Bytes of the whole text. */
  readonly size: number;
  readonly #cache: BlockCache;
  readonly #archive: OpenArchive;
  readonly #member: Member;
  readonly #blocks: BlockTable;
  readonly #key: string;
  /** Blocks that were begun before they are needed. */
  readonly #ahead = new Map<number, Promise<Uint8Array>>();

  /** `key` names the member among all archives, and changes with its bytes. */
  constructor(cache: BlockCache, archive: OpenArchive, member: Member, blocks: BlockTable, key: string) {
    this.#cache = cache;
    this.#archive = archive;
    this.#member = member;
    this.#blocks = blocks;
    this.#key = key;
    this.size = member.size;
  }

  /** Begins to read and inflate the blocks of a range beside other work. */
  prefetch({ start, end }: TextRange): void {
    for (let i = this.#blocks.find(start); i <= this.#blocks.find(end - 1); i++) {
      if (this.#ahead.has(i)) continue;
      const block = this.#block(i, true);
      block.catch(() => {});
      this.#ahead.set(i, block);
    }
  }

  /** Lets go of the blocks before the offset that were begun ahead. */
  release(before: number): void {
    const first = this.#blocks.find(before);
    for (const i of this.#ahead.keys()) if (i < first) this.#ahead.delete(i);
  }

  /** The bytes of a range. What lies in one block is not copied and must not be changed. */
  async read({ start, end }: TextRange): Promise<Uint8Array> {
    const first = this.#blocks.find(start);
    const last = this.#blocks.find(end - 1);
    if (first === last) {
      const base = this.#blocks.textOffset(first);
      return (await this.#block(first, false)).subarray(start - base, end - base);
    }
    const bytes = Buffer.allocUnsafe(end - start);
    let at = 0;
    for await (const part of this.stream({ start, end })) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** The bytes of a range, block by block; the next is inflated while the consumer has this one. */
  async *stream({ start, end }: TextRange): AsyncGenerator<Uint8Array, void, void> {
    const last = this.#blocks.find(end - 1);
    let next: Promise<Uint8Array> | null = this.#block(this.#blocks.find(start), true);
    try {
      for (let i = this.#blocks.find(start); i <= last; i++) {
        const text = await next!;
        next = i < last ? this.#block(i + 1, true) : null;
        next?.catch(() => {});
        const base = this.#blocks.textOffset(i);
        yield text.subarray(Math.max(start - base, 0), Math.min(end - base, text.length));
      }
    } finally {
      // The archive may be given back now; nothing must still be reading it.
      await next?.catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#ahead.values());
  }

  #block(i: number, pooled: boolean): Promise<Uint8Array> {
    const ahead = this.#ahead.get(i);
    if (ahead !== undefined) return ahead;
    return this.#cache.get(`${this.#key}\n${i}`, () =>
      blockText(this.#archive.archive, this.#member, this.#blocks, i, pooled),
    );
  }
}
