import { crc32 } from 'node:zlib';
import { MemberDamaged } from '../member-damaged.ts';
import type { RangedSource, StreamOptions } from '../source.ts';
import { STREAM_BUFFERS } from '../tables/shared-buffers.ts';

/** What is known of the pages of an object. */
export interface PageSumsOf {
  /** What messages call the object. */
  readonly name: string;
  /** Pages are the multiples of it in the object. */
  readonly pageBytes: number;
  /**
   * The CRC-32 of pages `first` to `past` (exclusive), by their number. Null for a page whose sum nobody keeps, since
   * nobody uses its bytes. Asked again and again for the same pages, it answers from memory. Throws what reading the
   * sums throws.
   */
  load(first: number, past: number): Promise<(page: number) => number | null>;
}

/**
 * An object of which no page ends before it was compared with its CRC-32. Reads are widened to whole pages. A page that
 * differs is dropped from what is kept, and read once more; MemberDamaged is thrown when it differs again.
 */
export class CheckedPages implements RangedSource {
  readonly size: number;
  readonly #inner: RangedSource;
  readonly #sums: PageSumsOf;

  constructor(inner: RangedSource, sums: PageSumsOf) {
    this.size = inner.size;
    this.#inner = inner;
    this.#sums = sums;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length <= 0) return this.#inner.read(offset, length);
    const { first, past, from, to } = this.#around(offset, length);
    const [bytes] = await Promise.all([this.#inner.read(from, to - from), this.#sums.load(first, past)]);
    const right = await this.#compared(bytes, from, false);
    return right.subarray(offset - from, offset - from + length);
  }

  async readInto(target: Uint8Array, offset: number): Promise<void> {
    const { length } = target;
    if (length === 0) return;
    if (this.#inner.readInto === undefined) {
      target.set(await this.read(offset, length));
      return;
    }
    const { first, past, from, to } = this.#around(offset, length);
    if (from === offset && to === offset + length) {
      await Promise.all([this.#inner.readInto(target, offset), this.#sums.load(first, past)]);
      await this.#compared(target, offset, true);
      return;
    }
    // Where reading fails, something may still write into the buffer: then nobody gets it again.
    const buffer = STREAM_BUFFERS.take(to - from);
    const whole = buffer.subarray(0, to - from);
    await Promise.all([this.#inner.readInto(whole, from), this.#sums.load(first, past)]);
    await this.#compared(whole, from, true);
    target.set(whole.subarray(offset - from, offset - from + length));
    STREAM_BUFFERS.give(buffer);
  }

  async *stream(
    offset: number,
    length: number,
    options: StreamOptions = {},
  ): AsyncGenerator<Uint8Array, void, void> {
    if (length <= 0) return;
    const { pageBytes } = this.#sums;
    const { first, from, to } = this.#around(offset, length);
    const clipped = (bytes: Uint8Array, start: number) =>
      bytes.subarray(Math.max(0, offset - start), Math.min(bytes.length, offset + length - start));
    // The sums come while the first bytes do.
    this.#sums.load(first, first + 1).catch(() => {});
    let at = from;
    /** The beginning of a page that is not whole yet. */
    let held = Buffer.allocUnsafeSlow(Math.min(pageBytes, to - from));
    let heldBytes = 0;
    for await (const chunk of this.#inner.stream(from, to - from, options)) {
      let rest = chunk;
      if (heldBytes > 0) {
        const wanted = Math.min(pageBytes, to - at) - heldBytes;
        const part = chunk.subarray(0, wanted);
        held.set(part, heldBytes);
        heldBytes += part.length;
        rest = chunk.subarray(part.length);
        if (part.length < wanted) continue;
        yield clipped(await this.#compared(held.subarray(0, heldBytes), at, true), at);
        at += heldBytes;
        // A chunk that is not lent is the consumer's from now on.
        if (options.lent !== true) held = Buffer.allocUnsafeSlow(Math.min(pageBytes, to - from));
      }
      const whole = at + rest.length === to ? rest.length : rest.length - (rest.length % pageBytes);
      if (whole > 0) {
        yield clipped(await this.#compared(rest.subarray(0, whole), at, false), at);
        at += whole;
      }
      held.set(rest.subarray(whole));
      heldBytes = rest.length - whole;
    }
    if (at !== to) throw new Error(`${this.#sums.name} gave ${at - from} bytes at ${from}, of ${to - from}`);
  }

  async damaged(offset: number, length: number): Promise<void> {
    await this.#inner.damaged?.(offset, length);
  }

  /** The whole pages around a range. */
  #around(offset: number, length: number) {
    const { pageBytes } = this.#sums;
    const end = offset + length;
    if (!(offset >= 0 && end <= this.size)) {
      throw new RangeError(`bytes ${offset}+${length} lie outside ${this.#sums.name} of ${this.size} bytes`);
    }
    const first = Math.floor(offset / pageBytes);
    const past = Math.ceil(end / pageBytes);
    return { first, past, from: first * pageBytes, to: Math.min(this.size, past * pageBytes) };
  }

  /**
   * Bytes of whole pages that begin at `offset`, each that differs read once more: in place where the memory `isOwn`,
   * else in a copy. Throws MemberDamaged.
   */
  async #compared(bytes: Uint8Array, offset: number, isOwn: boolean): Promise<Uint8Array> {
    const { pageBytes } = this.#sums;
    const first = offset / pageBytes;
    const sumOf = await this.#sums.load(first, first + Math.ceil(bytes.length / pageBytes));
    let right = bytes;
    for (let from = 0, page = first; from < bytes.length; from += pageBytes, page++) {
      const sum = sumOf(page);
      if (sum === null || crc32(bytes.subarray(from, from + pageBytes)) === sum) continue;
      const again = await this.#again(page, Math.min(pageBytes, bytes.length - from), sum);
      if (right === bytes && !isOwn) right = Uint8Array.from(bytes);
      right.set(again, from);
    }
    return right;
  }

  /** A page that came damaged. */
  async #again(page: number, length: number, sum: number): Promise<Uint8Array> {
    const offset = page * this.#sums.pageBytes;
    await this.#inner.damaged?.(offset, length);
    const bytes = await this.#inner.read(offset, length);
    if (crc32(bytes) === sum) return bytes;
    await this.#inner.damaged?.(offset, length);
    throw new MemberDamaged(
      'CRC_MISMATCH',
      this.#sums.name,
      `The CRC-32 of bytes ${offset}+${length} is not what it was when they were written.`,
    );
  }
}
