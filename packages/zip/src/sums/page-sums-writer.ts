import { crc32 } from 'node:zlib';
import { Column } from '../tables/column.ts';

/** CRC-32 of each page of an object, of bytes that come one after the other. Pages are the multiples of `pageBytes`. */
export class PageSumsWriter {
  readonly #pageBytes: number;
  readonly #sums = new Column((length) => new Uint32Array(length), 64);
  #at: number;
  #crc = 0;

  /** The first byte that comes lies at `start`, within the first page. */
  constructor(pageBytes: number, start = 0) {
    this.#pageBytes = pageBytes;
    this.#at = start;
  }

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const room = this.#pageBytes - (this.#at % this.#pageBytes);
      const part = bytes.subarray(from, from + room);
      this.#crc = crc32(part, this.#crc);
      from += part.length;
      this.#at += part.length;
      if (part.length < room) continue;
      this.#sums.push(this.#crc);
      this.#crc = 0;
    }
  }

  /** The sums of all pages, little-endian, 4 bytes each. Nothing may be pushed after it. */
  finish(): Buffer {
    if (this.#at % this.#pageBytes !== 0) this.#sums.push(this.#crc);
    const pages = this.#sums.count;
    const encoded = Buffer.alloc(4 * pages);
    for (let i = 0; i < pages; i++) encoded.writeUInt32LE(this.#sums.at(i), 4 * i);
    return encoded;
  }
}
