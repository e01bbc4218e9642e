import type { RangedSource } from '../source.ts';
import { IndexDamaged } from './index-damaged.ts';
import { PAGE_BYTES, type PageSums } from './page-sums.ts';

/** What a stream reads at once, bytes: whole pages. */
const STREAM_BYTES = 32 * PAGE_BYTES;

/**
 * An index object of which no byte is given before its page was compared. Reads are widened to whole pages; those that
 * differ are dropped from what is kept, and read once more. Throws IndexDamaged when they differ again.
 */
export class CheckedSections implements RangedSource {
  readonly size: number;
  readonly #inner: RangedSource;
  readonly #sums: PageSums;

  constructor(inner: RangedSource, sums: PageSums) {
    this.size = inner.size;
    this.#inner = inner;
    this.#sums = sums;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const pages = this.#sums.around(offset, length);
    if (pages === null) return this.#inner.read(offset, length);
    for (let isLast = false; ; isLast = true) {
      const bytes = await this.#inner.read(pages.offset, pages.length);
      if (this.#sums.areRight(bytes, pages.offset)) {
        return bytes.subarray(offset - pages.offset, offset - pages.offset + length);
      }
      await this.#inner.damaged?.(pages.offset, pages.length);
      if (isLast)
        throw new IndexDamaged(`The CRC-32 of a page in bytes ${offset}+${length} is not what it says.`);
    }
  }

  async *stream(offset: number, length: number): AsyncGenerator<Uint8Array, void, void> {
    const end = offset + length;
    for (let at = offset; at < end; ) {
      const next = Math.min(end, (Math.floor(at / STREAM_BYTES) + 1) * STREAM_BYTES);
      yield await this.read(at, next - at);
      at = next;
    }
  }

  async damaged(offset: number, length: number): Promise<void> {
    await this.#inner.damaged?.(offset, length);
  }
}
