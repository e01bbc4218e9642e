import { crc32 } from 'node:zlib';
import { firstWhere } from '@citymodel/base';
import type { ByteRange, Member } from '../member.ts';
import { foldName } from '../member-name.ts';
import type { RangedSource } from '../source.ts';
import { CheckedSections } from './checked-sections.ts';
import { IndexDamaged } from './index-damaged.ts';
import { type IndexFacts, readFooter, readHeader } from './index-facts.ts';
import {
  ARCHIVE_SUMS,
  assertLittleEndian,
  columns,
  FOOTER_BYTES,
  foldedHash,
  SECTIONS,
  sectionNumber,
  TIME_UNIT,
} from './member-index-format.ts';
import { PageSums, sumsBytes } from './page-sums.ts';

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
   * Opens an index with two reads: its footer, then the sums of its pages with its table. One of before there were
   * footers takes three, with its header. Throws IndexDamaged, which says what was found, for anything but a whole
   * index, and an Error for one of another version.
   */
  static async open(source: RangedSource): Promise<MemberIndex> {
    assertLittleEndian();
    const footer = await readFooter(source);
    if (footer !== null) {
      const index = await readTable(source, footer, FOOTER_BYTES);
      if (index !== null) return index;
    }
    const header = await readHeader(source);
    return (await readTable(source, header, 0))!;
  }

  /** Used by what opens an index. */
  static of(count: number, c: ReturnType<typeof columns>, sums: PageSums | null): MemberIndex {
    return new MemberIndex(count, c, sums);
  }

  /** Where the sections end whose pages have sums, bytes; null for an index of before there were sums. */
  get sectionsEnd(): number | null {
    return this.#sums?.end ?? null;
  }

  /** The section with the CRC-32 of each page of the archive; null for an index of before there were any. */
  get archiveSums(): ByteRange | null {
    return this.#section(this.count * 4 + ARCHIVE_SUMS);
  }

  #section(number: number): ByteRange | null {
    const { sectionOwner, sectionOffset, sectionBytes } = this.#c;
    const k = firstWhere(sectionOwner.length, (x) => (sectionOwner[x] as number) >= number);
    if (sectionOwner[k] !== number) return null;
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
    const pieces =
      sections.blocks === undefined ? null : this.#section(sectionNumber(this.count, i, 'pieces'));
    if (pieces !== null) sections.pieces = pieces;
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

/**
 * The index behind what its header says, or its footer, which has so many bytes. Throws IndexDamaged; null when the
 * last path of an index of before there were footers looks like one.
 */
async function readTable(
  source: RangedSource,
  facts: IndexFacts,
  footerBytes: number,
): Promise<MemberIndex | null> {
  const { n, sections, pathBytes, tableOffset: offset, tableBytes: length, pages } = facts;
  const end = offset - sumsBytes(pages);
  const bytes = await source.read(end, offset + length - end);
  let table = bytes.subarray(offset - end);
  if (crc32(table.subarray(0, length - footerBytes)) !== facts.tableCrc)
    throw new IndexDamaged('The CRC-32 of its table differs.');
  const sums = bytes.subarray(0, offset - end);
  if (pages > 0 && crc32(sums) !== facts.sumsCrc) {
    throw new IndexDamaged('The CRC-32 of the sums of its pages differs.');
  }
  if (table.byteOffset % 8 !== 0) table = Uint8Array.from(table);
  const c = columns(table.buffer, table.byteOffset, n, sections, pathBytes);
  const pathsEnd = n === 0 ? 0 : (c.pathEnd[n - 1] as number);
  if (footerBytes > 0 && pathsEnd !== pathBytes - footerBytes) return null;
  return MemberIndex.of(n, c, pages === 0 ? null : new PageSums(sums, end));
}
