import { crc32 } from 'node:zlib';
import { firstWhere } from '@citymodel/base';
import type { Member } from '../member.ts';
import { foldName } from '../member-name.ts';
import type { RangedSource } from '../source.ts';
import { asBuffer, readU64 } from '../zip-format.ts';
import {
  assertLittleEndian,
  columns,
  foldedHash,
  HEADER_BYTES,
  HEADER_CRC_AT,
  MAGIC,
  SECTIONS,
  TIME_UNIT,
  tableBytes,
  VERSION,
} from './member-index-format.ts';

export { MemberIndexBuilder } from './member-index-builder.ts';

/** An index that is not what its CRC-32 says. */
export class IndexDamaged extends Error {
  constructor(part: 'header' | 'table') {
    super(`the ${part} of the member index is damaged: its CRC-32 differs`);
    this.name = 'IndexDamaged';
  }
}

/** The members of an archive, read from the index object beside it; its layout is in member-index-format.ts. */
export class MemberIndex {
  readonly count: number;
  readonly #c: ReturnType<typeof columns>;

  private constructor(count: number, c: ReturnType<typeof columns>) {
    this.count = count;
    this.#c = c;
  }

  /**
   * Opens an index with two reads, header and table. Throws an Error that says what was found when it is not an
   * index, of another version, cut off or damaged.
   */
  static async open(source: RangedSource): Promise<MemberIndex> {
    assertLittleEndian();
    const header = asBuffer(await source.read(0, Math.min(HEADER_BYTES, source.size)));
    const magic = header.toString('latin1', 0, 8);
    if (magic !== MAGIC)
      throw new Error(`a member index begins with "${MAGIC}"; found ${JSON.stringify(magic)}`);
    if (header.length < HEADER_BYTES)
      throw new Error(`a member index has at least ${HEADER_BYTES} bytes; found ${header.length}`);
    const version = header.readUInt32LE(8);
    if (version !== VERSION) {
      throw new Error(
        `member indexes of format version ${VERSION} are read; found version ${version}: run reindex`,
      );
    }
    if (header.readUInt32LE(HEADER_CRC_AT) !== crc32(header.subarray(0, HEADER_CRC_AT))) {
      throw new IndexDamaged('header');
    }
    const n = header.readUInt32LE(12);
    const offset = readU64(header, 16);
    const length = readU64(header, 24);
    const pathBytes = header.readUInt32LE(32);
    const sections = header.readUInt32LE(36);
    if (length !== tableBytes(n, sections, pathBytes) || offset + length !== source.size) {
      throw new Error(
        `a member index of ${n} members has ${offset + tableBytes(n, sections, pathBytes)} bytes; found ${source.size}`,
      );
    }
    let table = await source.read(offset, length);
    if (crc32(table) !== header.readUInt32LE(40)) {
      throw new IndexDamaged('table');
    }
    if (table.byteOffset % 8 !== 0) table = Uint8Array.from(table);
    return new MemberIndex(n, columns(table.buffer, table.byteOffset, n, sections, pathBytes));
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
