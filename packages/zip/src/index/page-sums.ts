/**
 * CRC-32 of each page of an index object, so that whatever range is read can be compared before it is used. Pages are
 * the multiples of `PAGE_BYTES` in the object; the first begins behind the header, and the last ends with the sections.
 */
import { crc32 } from 'node:zlib';
import { asBuffer } from '../zip-format.ts';
import { HEADER_BYTES, SECTION_UNIT } from './member-index-format.ts';

/** Part of the format. Small enough for reads by ranges; the sums take a two-thousandth of the index. */
export const PAGE_BYTES = 8 * 1024;

/** Bytes that the sums of so many pages take in an index. */
export function sumsBytes(pages: number): number {
  return Math.ceil((4 * pages) / SECTION_UNIT) * SECTION_UNIT;
}

/** Number of pages of an index whose sections end at `end`. */
export function pagesUpTo(end: number): number {
  return Math.ceil(end / PAGE_BYTES);
}

/** The sums of an index. */
export class PageSums {
  /** Where the sections end, bytes from the start of the index. */
  readonly end: number;
  readonly #sums: Uint32Array;

  /** `encoded`: whole, of an index whose sections end at `end`. */
  constructor(encoded: Uint8Array, end: number) {
    this.end = end;
    const bytes = asBuffer(encoded);
    this.#sums = Uint32Array.from({ length: pagesUpTo(end) }, (_, i) => bytes.readUInt32LE(4 * i));
  }

  /**
   * The smallest range of whole pages around a range of the sections; null for one that lies elsewhere, or is empty.
   */
  around(offset: number, length: number): { offset: number; length: number } | null {
    if (length <= 0 || offset < HEADER_BYTES || offset + length > this.end) return null;
    const first = Math.floor(offset / PAGE_BYTES);
    const last = Math.floor((offset + length - 1) / PAGE_BYTES);
    const from = Math.max(HEADER_BYTES, first * PAGE_BYTES);
    return { offset: from, length: Math.min(this.end, (last + 1) * PAGE_BYTES) - from };
  }

  /** Whether bytes that begin at `offset` and are whole pages are what was written. */
  areRight(bytes: Uint8Array, offset: number): boolean {
    for (let from = 0; from < bytes.length; ) {
      const page = Math.floor((offset + from) / PAGE_BYTES);
      const to = Math.min(bytes.length, (page + 1) * PAGE_BYTES - offset);
      if (crc32(bytes.subarray(from, to)) !== this.#sums[page]) return false;
      from = to;
    }
    return true;
  }
}
