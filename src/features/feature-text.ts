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

/** Inflated blocks of all archives, or their beginnings as far as they were needed, bounded by their bytes. */
export class BlockCache {
  readonly #blocks: PromiseLru<Uint8Array>;

  /** `maxBytes`: of text. */
  constructor(maxBytes: number) {
    this.#blocks = new PromiseLru({
      max: maxBytes === 0 ? 0 : MAX_BLOCKS,
      maxWeight: maxBytes,
      // A text holds on to the memory that it was inflated into, which is that of its whole block.
      weigh: (text) => text.buffer.byteLength,
    });
  }

  /** At least `needed` bytes of the block for the key. `make` is called for as many when that much is not kept. */
  async get(key: string, needed: number, make: (needed: number) => Promise<Uint8Array>): Promise<Uint8Array> {
    const kept = await this.#blocks.get(key, () => make(needed));
    if (kept.length >= needed) return kept;
    this.#blocks.drop((other) => other === key);
    // Who comes back for more of a block will want the rest as well.
    return this.#blocks.get(key, () => make(Number.POSITIVE_INFINITY));
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
  /** Blocks that were begun before they are needed, with how much of them. */
  readonly #ahead = new Map<number, { needed: number; text: Promise<Uint8Array> }>();

  /** The block behind which others were begun last. */
  #aheadOf = -1;

  /** `key` names the member among all archives, and changes with its bytes. */
  constructor(cache: BlockCache, archive: OpenArchive, member: Member, blocks: BlockTable, key: string) {
    this.#cache = cache;
    this.#archive = archive;
    this.#member = member;
    this.#blocks = blocks;
    this.#key = key;
    this.size = member.size;
  }

  /**
   * Begins to read and inflate the blocks of features beside other work: those that are given, in the order of the text,
   * up to so many blocks after the one that holds `from`. What lies before it is let go.
   */
  prefetch(ranges: readonly TextRange[], from: number, count: number): void {
    const first = this.#blocks.find(ranges[from]!.start);
    if (first === this.#aheadOf) return;
    this.#aheadOf = first;
    for (const i of this.#ahead.keys()) if (i < first) this.#ahead.delete(i);
    for (let n = from; n < ranges.length && this.#ahead.size < count; n++) {
      const i = this.#blocks.find(ranges[n]!.start);
      const end = this.#blocks.textOffset(i + 1);
      // As much of the block as the last of the features in it needs.
      let needed = 0;
      for (; n < ranges.length && ranges[n]!.start < end; n++) needed = Math.min(ranges[n]!.end, end);
      n--;
      if (this.#ahead.has(i)) continue;
      needed -= this.#blocks.textOffset(i);
      const text = this.#block(i, needed, true);
      text.catch(() => {});
      this.#ahead.set(i, { needed, text });
    }
  }

  /** The bytes of a range. What lies in one block is not copied and must not be changed. */
  async read({ start, end }: TextRange): Promise<Uint8Array> {
    const first = this.#blocks.find(start);
    if (end <= this.#blocks.textOffset(first + 1)) {
      const base = this.#blocks.textOffset(first);
      return (await this.#block(first, end - base, false)).subarray(start - base, end - base);
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
    const begin = (i: number) => {
      const text = this.#block(
        i,
        Math.min(end, this.#blocks.textOffset(i + 1)) - this.#blocks.textOffset(i),
        true,
      );
      text.catch(() => {});
      return text;
    };
    let next: Promise<Uint8Array> | null = begin(this.#blocks.find(start));
    try {
      for (let i = this.#blocks.find(start); i <= last; i++) {
        const text: Uint8Array = await next!;
        next = i < last ? begin(i + 1) : null;
        const base = this.#blocks.textOffset(i);
        yield text.subarray(Math.max(start - base, 0), Math.min(end - base, text.length));
      }
    } finally {
      // The archive may be given back now; nothing must still be reading it.
      await next?.catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#ahead.values()].map(({ text }) => text));
  }

  #block(i: number, needed: number, pooled: boolean): Promise<Uint8Array> {
    const ahead = this.#ahead.get(i);
    if (ahead !== undefined && ahead.needed >= needed) return ahead.text;
    return this.#cache.get(`${this.#key}\n${i}`, needed, (much) =>
      blockText(this.#archive.archive, this.#member, this.#blocks, i, { needed: much, pooled }),
    );
  }
}
