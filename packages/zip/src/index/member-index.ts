import { crc32 } from 'node:zlib';
import { firstWhere } from '@citymodel/base';
import type { ByteRange, Member } from '../member.ts';
import { foldName } from '../member-name.ts';
import type { RangedSource } from '../source.ts';
import { asBuffer, readU64 } from '../zip-format.ts';
import { CheckedSections } from './checked-sections.ts';
import { IndexDamaged } from './index-damaged.ts';
import {
  ARCHIVE_SUMS,
  assertLittleEndian,
  columns,
  foldedHash,
  HEADER_BYTES,
  HEADER_CRC_AT,
  MAGIC,
  PAGES_AT,
  SECTIONS,
  SUMS_CRC_AT,
  TIME_UNIT,
  tableBytes,
  VERSION,
  WHOLE_HEADER_CRC_AT,
} from './member-index-format.ts';
import { PageSums, pagesUpTo, sumsBytes } from './page-sums.ts';

export { IndexDamaged } from './index-damaged.ts';
export { MemberIndexBuilder } from './member-index-builder.ts';

/** The members of an archive, read from the index object beside it; its layout is in member-index-format.ts. */
export class MemberIndex {
  readonly count: number;
  readonly #c: ReturnType<typeof columns>;
  readonly #sums: PageSums | null;

  private constructor(count: number, c: ReturnType<typeof columns>, sums: PageSums | null) {
    this.count = count;
    this.#c = c;
    this.#sums = sums;
  }

  /**
   * Opens an index with two reads: its header, then the sums of its pages with its table. Throws IndexDamaged, which
   * says what was found, for anything but a whole index, and an Error for one of another version.
   */
  static async open(source: RangedSource): Promise<MemberIndex> {
    assertLittleEndian();
    const header = asBuffer(await source.read(0, Math.min(HEADER_BYTES, source.size)));
    const magic = header.toString('latin1', 0, 8);
    if (magic !== MAGIC)
      throw new IndexDamaged(`a member index begins with "${MAGIC}"; found ${JSON.stringify(magic)}`);
    if (header.length < HEADER_BYTES)
      throw new IndexDamaged(`a member index has at least ${HEADER_BYTES} bytes; found ${header.length}`);
    const version = header.readUInt32LE(8);
    const isRight = header.readUInt32LE(HEADER_CRC_AT) === crc32(header.subarray(0, HEADER_CRC_AT));
    if (version !== VERSION) {
      const found = `member indexes of format version ${VERSION} are read; found version ${version}: run reindex`;
      throw isRight ? new Error(found) : new IndexDamaged(found);
    }
    if (!isRight) throw new IndexDamaged('The CRC-32 of its header differs.');
    const n = header.readUInt32LE(12);
    const offset = readU64(header, 16);
    const length = readU64(header, 24);
    const pathBytes = header.readUInt32LE(32);
    const sections = header.readUInt32LE(36);
    if (length !== tableBytes(n, sections, pathBytes) || offset + length !== source.size) {
      throw new IndexDamaged(
        `a member index of ${n} members has ${offset + tableBytes(n, sections, pathBytes)} bytes; found ${source.size}`,
      );
    }
    const pages = pagesOf(header, offset);
    const end = offset - sumsBytes(pages);
    const bytes = await source.read(end, offset + length - end);
    let table = bytes.subarray(offset - end);
    if (crc32(table) !== header.readUInt32LE(40)) throw new IndexDamaged('The CRC-32 of its table differs.');
    const sums = bytes.subarray(0, offset - end);
    if (pages > 0 && crc32(sums) !== header.readUInt32LE(SUMS_CRC_AT)) {
      throw new IndexDamaged('The CRC-32 of the sums of its pages differs.');
    }
    if (table.byteOffset % 8 !== 0) table = Uint8Array.from(table);
    const c = columns(table.buffer, table.byteOffset, n, sections, pathBytes);
    return new MemberIndex(n, c, pages === 0 ? null : new PageSums(sums, end));
  }

  /** Where the sections end whose pages have sums, bytes; null for an index of before there were sums. */
  get sectionsEnd(): number | null {
    return this.#sums?.end ?? null;
  }

  /** The section with the CRC-32 of each page of the archive; null for an index of before there were any. */
  get archiveSums(): ByteRange | null {
    const { sectionOwner, sectionOffset, sectionBytes } = this.#c;
    const owner = this.count * 4 + ARCHIVE_SUMS;
    const k = firstWhere(sectionOwner.length, (x) => (sectionOwner[x] as number) >= owner);
    if (sectionOwner[k] !== owner) return null;
    return { offset: sectionOffset[k] as number, length: sectionBytes[k] as number };
  }

  /** The object of this index, of which bytes are compared before they are given, as far as it has sums. */
  checked(source: RangedSource): RangedSource {
    return this.#sums === null ? source : new CheckedSections(source, this.#sums);
  }

  /** The member with exactly this path, or undefined. About 3 µs among half a million. */
  find(path: string): Member | undefined {
    const bytes = Buffer.from(path, 'utf8');
    const i = this.#lowerBound(bytes);
    return i < this.count && this.#compare(i, bytes) === 0 ? this.at(i) : undefined;
  }

  /**
   * The member with this path but for letter case and Unicode form: the exact one when it is there, else the
   * first in the order of paths. Code lists are referred to in other letter case than they are named.
   */
  findLoosely(path: string): Member | undefined {
    const exact = this.find(path);
    if (exact !== undefined) return exact;
    const folded = foldName(path);
    const hash = foldedHash(path);
    const { foldedHash: hashes, folded: numbers } = this.#c;
    for (let k = firstWhere(this.count, (x) => (hashes[x] as number) >= hash); hashes[k] === hash; k++) {
      const i = numbers[k] as number;
      if (foldName(this.path(i)) === folded) return this.at(i);
    }
    return undefined;
  }

  /** Members whose path begins with the prefix, in the order of their paths' bytes. */
  *members(prefix = ''): IterableIterator<Member> {
    for (const i of this.#numbers(prefix)) yield this.at(i);
  }

  /** Paths that begin with the prefix, in the order of their bytes. */
  *paths(prefix = ''): IterableIterator<string> {
    for (const i of this.#numbers(prefix)) yield this.path(i);
  }

  /** Path of member `i` in the order of paths. */
  path(i: number): string {
    return this.#c.paths.toString('utf8', this.#pathStart(i), this.#c.pathEnd[i]);
  }

  /** Member `i` in the order of paths. Throws a RangeError outside. */
  at(i: number): Member {
    if (!(i >= 0 && i < this.count)) throw new RangeError(`member ${i} of ${this.count}`);
    const c = this.#c;
    const sections: Member['sections'] = {};
    const owned = (k: number) => c.sectionOwner[k] as number;
    for (
      let k = firstWhere(c.sectionOwner.length, (x) => owned(x) >= i * 4);
      k < c.sectionOwner.length;
      k++
    ) {
      const name = SECTIONS[owned(k) - i * 4];
      if (name === undefined) break;
      sections[name] = { offset: c.sectionOffset[k] as number, length: c.sectionBytes[k] as number };
    }
    return {
      path: this.path(i),
      method: c.method[i] as 0 | 8,
      offset: c.offset[i] as number,
      compressedSize: c.compressedSize[i] as number,
      size: c.size[i] as number,
      crc32: c.crc32[i] as number,
      sha256: c.sha256.slice(32 * i, 32 * i + 32),
      modified: (c.modified[i] as number) * TIME_UNIT,
      sections,
    };
  }

  /** Numbers of the members whose path begins with the prefix: they follow each other. */
  *#numbers(prefix: string): IterableIterator<number> {
    const bytes = Buffer.from(prefix, 'utf8');
    for (let i = this.#lowerBound(bytes); i < this.count; i++) {
      const start = this.#pathStart(i);
      const length = Math.min(bytes.length, (this.#c.pathEnd[i] as number) - start);
      if (bytes.compare(this.#c.paths, start, start + length) !== 0) return;
      yield i;
    }
  }

  #pathStart(i: number): number {
    return i === 0 ? 0 : (this.#c.pathEnd[i - 1] as number);
  }

  #compare(i: number, bytes: Buffer): number {
    return this.#c.paths.compare(bytes, 0, bytes.length, this.#pathStart(i), this.#c.pathEnd[i]);
  }

  #lowerBound(bytes: Buffer): number {
    return firstWhere(this.count, (i) => this.#compare(i, bytes) >= 0);
  }
}

/** How many pages have sums in an index whose table begins at `tableOffset`; 0 for one of before there were sums. */
function pagesOf(header: Buffer, tableOffset: number): number {
  if (header.subarray(PAGES_AT).every((byte) => byte === 0)) return 0;
  const pages = header.readUInt32LE(PAGES_AT);
  const isRight = header.readUInt32LE(WHOLE_HEADER_CRC_AT) === crc32(header.subarray(0, WHOLE_HEADER_CRC_AT));
  if (!isRight || pages !== pagesUpTo(tableOffset - sumsBytes(pages))) {
    throw new IndexDamaged('The end of its header is damaged.');
  }
  return pages;
}
