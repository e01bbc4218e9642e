/**
 * CRC-32 of those pages of an object that a pack needs. Little-endian throughout:
 *
 *     0  u32 CRC-32 of everything behind it     4  u32 bytes of a page     8  u32 number of runs r
 *    12  r × (u32 first page, u32 number of pages), ascending
 *     …  u32 CRC-32 of each of these pages
 */
import { crc32 } from 'node:zlib';
import { firstWhere } from '@citymodel/base';
import { MemberDamaged, type PageSumsOf } from '@citymodel/zip';

const HEADER_BYTES = 12;
const RUN_BYTES = 8;

/** Sums of pages in runs, each known from its first page on. */
export class KnownPages {
  readonly pageBytes: number;
  /** First page and number of pages of each run, ascending. */
  readonly #runs: Uint32Array;
  readonly #sums: Uint32Array;
  /** Number of the first sum of each run. */
  readonly #starts: Uint32Array;

  private constructor(pageBytes: number, runs: Uint32Array, sums: Uint32Array) {
    this.pageBytes = pageBytes;
    this.#runs = runs;
    this.#sums = sums;
    this.#starts = new Uint32Array(runs.length / 2);
    for (let i = 1; i < this.#starts.length; i++) this.#starts[i] = this.#starts[i - 1]! + runs[2 * i - 1]!;
  }

  /**
   * The pages that these ranges of an object touch; the ranges come in the order of their offsets. Throws what loading
   * sums throws.
   */
  static async touched(
    sums: PageSumsOf,
    ranges: Iterable<{ offset: number; compressedSize: number }>,
  ): Promise<KnownPages> {
    const { pageBytes } = sums;
    const runs: number[] = [];
    let end = 0;
    for (const { offset, compressedSize } of ranges) {
      if (compressedSize === 0) continue;
      const first = Math.max(end, Math.floor(offset / pageBytes));
      const past = Math.ceil((offset + compressedSize) / pageBytes);
      if (past <= first) continue;
      if (first === end && runs.length > 0) runs[runs.length - 1]! += past - first;
      else runs.push(first, past - first);
      end = past;
    }
    const known: number[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const first = runs[i]!;
      const past = first + runs[i + 1]!;
      const sumOf = await sums.load(first, past);
      known.push(Array.from({ length: past - first }, (_, k) => sumOf(first + k)!));
    }
    return new KnownPages(pageBytes, Uint32Array.from(runs), Uint32Array.from(known.flat()));
  }

  /** All pages of an object, from their sums as `PageSumsWriter` gives them. */
  static all(pageBytes: number, encoded: Buffer): KnownPages {
    const count = encoded.length / 4;
    const sums = Uint32Array.from({ length: count }, (_, i) => encoded.readUInt32LE(4 * i));
    return new KnownPages(pageBytes, Uint32Array.from(count === 0 ? [] : [0, count]), sums);
  }

  /** Throws MemberDamaged, with the name of the object, for anything but what `encode` gives. */
  static decode(encoded: Uint8Array, name: string): KnownPages {
    const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length);
    if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) {
      throw new MemberDamaged('CRC_MISMATCH', name, 'The sums of its pages are damaged.');
    }
    const word = (i: number) => bytes.readUInt32LE(4 * i);
    const runWords = 2 * word(2);
    const runs = Uint32Array.from({ length: runWords }, (_, i) => word(3 + i));
    const count = bytes.length / 4 - 3 - runWords;
    return new KnownPages(
      word(1),
      runs,
      Uint32Array.from({ length: count }, (_, i) => word(3 + runWords + i)),
    );
  }

  encode(): Buffer {
    const words = [this.pageBytes, this.#runs.length / 2];
    const bytes = Buffer.alloc(HEADER_BYTES + (this.#runs.length / 2) * RUN_BYTES + 4 * this.#sums.length);
    let at = 4;
    for (const part of [words, this.#runs, this.#sums]) {
      for (const word of part) at = bytes.writeUInt32LE(word, at);
    }
    bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
    return bytes;
  }

  /** Bytes that it takes in memory, about. */
  get byteLength(): number {
    return this.#sums.byteLength + this.#runs.byteLength;
  }

  /** For reading the object of this name. */
  of(name: string): PageSumsOf {
    const sumOf = (page: number) => {
      const run = firstWhere(this.#starts.length, (i) => this.#runs[2 * i]! > page) - 1;
      if (run < 0) return null;
      const k = page - this.#runs[2 * run]!;
      return k < this.#runs[2 * run + 1]! ? this.#sums[this.#starts[run]! + k]! : null;
    };
    return { name, pageBytes: this.pageBytes, load: async () => sumOf };
  }
}
