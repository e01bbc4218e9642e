import { crc32 } from 'node:zlib';
import { type ArchiveSink, BufferedSink } from '../buffered-sink.ts';
import type { Member, SectionName } from '../member.ts';
import { PageSumsWriter } from '../sums/page-sums-writer.ts';
import { Column } from '../tables/column.ts';
import { writeU64 } from '../zip-format.ts';
import {
  ARCHIVE_SUMS,
  assertLittleEndian,
  columns,
  FOOTER_BYTES,
  FOOTER_MAGIC,
  foldedHash,
  HEADER_BYTES,
  HEADER_CRC_AT,
  MAGIC,
  MAX_MEMBERS,
  PAGES_AT,
  SECTION_ORDER,
  SECTION_UNIT,
  SECTIONS_CRC_AT,
  SUMS_CRC_AT,
  sectionNumber,
  TABLE_CRC_AT,
  TIME_UNIT,
  tableBytes,
  VERSION,
  WHOLE_HEADER_CRC_AT,
} from './member-index-format.ts';
import { MemberTable } from './member-table.ts';
import { PAGE_BYTES, sumsBytes } from './page-sums.ts';

/** Members that somebody else notes: those of an archive that is being written at the same time. */
export interface NotedMembers {
  /** The caller adds each member just before it is added here. */
  members: MemberTable;
  /** What their names have before the path, with `/` at its end, or ''. */
  root: string;
}

/**
 * Builds an index object. Sections go to the sink as they are added; of the members only the table's columns
 * are kept. The header is written last, as a patch, so that an unfinished object cannot be opened.
 */
export class MemberIndexBuilder {
  readonly #sink: BufferedSink;
  readonly #members: MemberTable;
  readonly #rootBytes: number;
  /** True when the table is filled by somebody else. */
  readonly #noted: boolean;
  /** 32 bytes a member. */
  readonly #shas: Column<Uint8Array<ArrayBuffer>>;
  /** Per section: the member as it was added, and its kind, as a place in SECTION_ORDER. */
  readonly #owners = new Column((length) => new Uint32Array(length), 1024);
  readonly #kinds = new Column((length) => new Uint8Array(length), 1024);
  readonly #offsets = new Column((length) => new Float64Array(length), 1024);
  readonly #lengths = new Column((length) => new Uint32Array(length), 1024);
  #count = 0;
  /** Where the next section goes. */
  #end = HEADER_BYTES;
  #sectionsCrc = 0;
  readonly #sums = new PageSumsWriter(PAGE_BYTES, HEADER_BYTES);
  #writes: Promise<void>;

  constructor(sink: ArchiveSink, noted?: NotedMembers) {
    this.#members = noted?.members ?? new MemberTable();
    this.#rootBytes = Buffer.byteLength(noted?.root ?? '', 'utf8');
    this.#noted = noted !== undefined;
    this.#shas = new Column((length) => new Uint8Array(length), SHA_BYTES * this.#members.expected);
    this.#sink = new BufferedSink(sink);
    this.#writes = this.#sink.write(new Uint8Array(HEADER_BYTES));
    this.#writes.catch(() => {});
  }

  /**
   * Adds a member in any order. The promise resolves when its sections have been written; awaiting it bounds
   * memory, and an error shows in `finish` even when it is not awaited.
   * Throws a RangeError for values that the table cannot hold.
   */
  add(member: Omit<Member, 'sections'>, sections: Partial<Record<SectionName, Uint8Array>>): Promise<void> {
    const modified = member.modified / TIME_UNIT;
    if (!Number.isInteger(modified) || modified < 0 || modified > 0xffffffff || member.sha256.length !== 32) {
      throw new RangeError(
        `${member.path} needs a time of even seconds since 1970 and a SHA-256 of 32 bytes; found ${member.modified} ` +
          `ms and ${member.sha256.length} bytes`,
      );
    }
    const i = this.#count;
    if (i === MAX_MEMBERS) throw new RangeError(`an index holds at most ${MAX_MEMBERS} members`);
    if (!this.#noted) this.#members.push(Buffer.from(member.path, 'utf8'), member, member.offset, false);
    else if (this.#members.count !== i + 1 || this.#members.offset(i) !== member.offset) {
      throw new RangeError(`${member.path} is not the member that the archive was given last`);
    }
    this.#count++;
    this.#shas.append(member.sha256);
    for (const [kind, name] of SECTION_ORDER.entries()) {
      const bytes = sections[name];
      if (bytes !== undefined) this.#addSection(i, kind, bytes);
    }
    return this.#writes;
  }

  #addSection(owner: number, kind: number, bytes: Uint8Array): void {
    this.#owners.push(owner);
    this.#kinds.push(kind);
    this.#offsets.push(this.#end);
    this.#lengths.push(bytes.length);
    this.#sums.push(bytes);
    this.#sums.push(this.#append(bytes));
  }

  #path(i: number): Buffer {
    return this.#members.names.at(i).subarray(this.#rootBytes);
  }

  /** Writes bytes and pads them; returns the padding. */
  #append(bytes: Uint8Array): Uint8Array {
    const padding = new Uint8Array(-bytes.length & (SECTION_UNIT - 1));
    this.#end += bytes.length + padding.length;
    this.#sectionsCrc = crc32(padding, crc32(bytes, this.#sectionsCrc));
    this.#writes = this.#writes.then(async () => {
      await this.#sink.write(bytes);
      await this.#sink.write(padding);
    });
    this.#writes.catch(() => {});
    return padding;
  }

  /**
   * Writes table and header. `archiveSums`: CRC-32 of each page of the finished archive, as `PageSumsWriter` gives them
   * for pages of `ARCHIVE_PAGE_BYTES`. Throws an Error when a path was added twice or the sink failed.
   */
  async finish(archiveSums?: Uint8Array): Promise<{ size: number; count: number }> {
    assertLittleEndian();
    if (archiveSums !== undefined) this.#addSection(this.#count, ARCHIVE_SUMS, archiveSums);
    const ownSums = this.#sums.finish();
    const pages = ownSums.length / 4;
    const encoded = Buffer.concat([ownSums], sumsBytes(pages));
    this.#append(encoded);
    await this.#writes;
    const n = this.#count;
    const { names } = this.#members;
    const sectionCount = this.#owners.count;
    const pathBytes = names.byteLength - n * this.#rootBytes + FOOTER_BYTES;
    // All names begin with the root, so that the order of the names is that of the paths.
    const order = sortedBy(n, (i, j) => names.compare(i, j));
    for (let k = 1; k < n; k++) {
      if (names.compare(order[k - 1] as number, order[k] as number) === 0) {
        throw new Error(`the member ${this.#path(order[k] as number)} was added to the index twice`);
      }
    }
    const table = this.#table(order, pathBytes);
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(MAGIC, 0, 'latin1');
    header.writeUInt32LE(VERSION, 8);
    header.writeUInt32LE(n, 12);
    writeU64(header, this.#end, 16);
    writeU64(header, table.length, 24);
    header.writeUInt32LE(pathBytes, 32);
    header.writeUInt32LE(sectionCount, 36);
    header.writeUInt32LE(this.#sectionsCrc, SECTIONS_CRC_AT);
    header.writeUInt32LE(pages, PAGES_AT);
    header.writeUInt32LE(crc32(encoded), SUMS_CRC_AT);
    const tableEnd = table.length - FOOTER_BYTES;
    const footer = Buffer.from(header);
    footer.write(FOOTER_MAGIC, 0, 'latin1');
    seal(footer, crc32(table.subarray(0, tableEnd)));
    table.set(footer, tableEnd);
    seal(header, crc32(table));
    await this.#sink.write(table);
    await this.#sink.patch(0, header);
    await this.#sink.flush();
    return { size: this.#sink.position, count: n };
  }

  /** The table, with the members in the given order. */
  #table(order: Uint32Array, pathBytes: number): Uint8Array {
    const n = order.length;
    const sectionCount = this.#owners.count;
    const table = new Uint8Array(tableBytes(n, sectionCount, pathBytes));
    const c = columns(table.buffer, 0, n, sectionCount, pathBytes);
    const members = this.#members;
    /** Number in the table of the member added as number i. */
    const place = new Uint32Array(n + 1);
    // Sections of the archive itself come behind those of its members.
    place[n] = n;
    const keys = new Float64Array(n);
    let end = 0;
    for (const [k, i] of order.entries()) {
      place[i] = k;
      c.offset[k] = members.offset(i);
      c.compressedSize[k] = members.compressedSize(i);
      c.size[k] = members.size(i);
      c.crc32[k] = members.crc32(i);
      c.modified[k] = members.time(i);
      c.method[k] = members.method(i);
      c.sha256.set(this.#shas.slice(SHA_BYTES * i, SHA_BYTES * (i + 1)), SHA_BYTES * k);
      const path = this.#path(i);
      c.paths.set(path, end);
      end += path.length;
      c.pathEnd[k] = end;
      keys[k] = foldedHash(path.toString('utf8')) * MAX_MEMBERS + k;
    }
    for (const [k, key] of keys.sort().entries()) {
      c.folded[k] = key % MAX_MEMBERS;
      c.foldedHash[k] = Math.floor(key / MAX_MEMBERS);
    }
    const number = (x: number) => {
      const added = this.#owners.at(x);
      if (added === n) return n * 4 + this.#kinds.at(x);
      return sectionNumber(n, place[added] as number, SECTION_ORDER[this.#kinds.at(x)] as SectionName);
    };
    for (const [k, x] of sortedBy(sectionCount, (x, y) => number(x) - number(y)).entries()) {
      c.sectionOffset[k] = this.#offsets.at(x);
      c.sectionBytes[k] = this.#lengths.at(x);
      c.sectionOwner[k] = number(x);
    }
    return table;
  }
}

const SHA_BYTES = 32;

/** Writes the CRC-32 of the table, and those of header or footer. */
function seal(header: Buffer, tableCrc: number): void {
  header.writeUInt32LE(tableCrc, TABLE_CRC_AT);
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
  header.writeUInt32LE(crc32(header.subarray(0, WHOLE_HEADER_CRC_AT)), WHOLE_HEADER_CRC_AT);
}

function sortedBy(n: number, compare: (i: number, j: number) => number): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  return order.sort(compare);
}
