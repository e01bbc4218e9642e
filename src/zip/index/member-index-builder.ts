import { crc32 } from 'node:zlib';
import { type ArchiveSink, BufferedSink } from '../buffered-sink.ts';
import type { Member, SectionName } from '../member.ts';
import { Column } from '../tables/column.ts';
import { writeU64 } from '../zip-format.ts';
import {
  assertLittleEndian,
  foldedHash,
  HEADER_BYTES,
  HEADER_CRC_AT,
  MAGIC,
  MAX_MEMBERS,
  SECTIONS,
  SECTIONS_CRC_AT,
  TIME_UNIT,
  tableBytes,
  VERSION,
} from './member-index-format.ts';
import { MemberTable } from './member-table.ts';

/** Members that somebody else notes: those of an archive that is being written at the same time. */
export interface NotedMembers {
  /** Whoever fills it adds each member just before it is added here. */
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
  /** Per section. */
  readonly #owners = new Column((length) => new Uint32Array(length), 1024);
  readonly #offsets = new Column((length) => new Float64Array(length), 1024);
  readonly #lengths = new Column((length) => new Uint32Array(length), 1024);
  #count = 0;
  /** Where the next section goes. */
  #end = HEADER_BYTES;
  #sectionsCrc = 0;
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
        `${member.path} needs a time of even seconds since 1970 and a SHA-256 of 32 bytes; found ${member.modified} ms and ${member.sha256.length} bytes`,
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
    for (const [kind, name] of SECTIONS.entries()) {
      const bytes = sections[name];
      if (bytes === undefined) continue;
      this.#owners.push(i * 4 + kind);
      this.#offsets.push(this.#end);
      this.#lengths.push(bytes.length);
      this.#append(bytes);
    }
    return this.#writes;
  }

  #path(i: number): Buffer {
    return this.#members.names.at(i).subarray(this.#rootBytes);
  }

  /** Writes bytes and pads them to a multiple of 8. */
  #append(bytes: Uint8Array): void {
    const padding = new Uint8Array(-bytes.length & 7);
    this.#end += bytes.length + padding.length;
    this.#sectionsCrc = crc32(padding, crc32(bytes, this.#sectionsCrc));
    this.#writes = this.#writes.then(async () => {
      await this.#sink.write(bytes);
      await this.#sink.write(padding);
    });
    this.#writes.catch(() => {});
  }

  /** Writes table and header. Throws an Error when a path was added twice or the sink failed. */
  async finish(): Promise<{ size: number; count: number }> {
    assertLittleEndian();
    await this.#writes;
    const n = this.#count;
    const { names } = this.#members;
    const sectionCount = this.#owners.count;
    const pathBytes = names.byteLength - n * this.#rootBytes;
    // All names begin with the root, so that the order of the names is that of the paths.
    const order = sortedBy(n, (i, j) => names.compare(i, j));
    for (let k = 1; k < n; k++) {
      if (names.compare(order[k - 1] as number, order[k] as number) === 0) {
        throw new Error(`the member ${this.#path(order[k] as number)} was added to the index twice`);
      }
    }
    let tableCrc = 0;
    for (const piece of this.#table(order)) {
      tableCrc = crc32(piece, tableCrc);
      await this.#sink.write(piece);
    }

    const header = Buffer.alloc(HEADER_BYTES);
    header.write(MAGIC, 0, 'latin1');
    header.writeUInt32LE(VERSION, 8);
    header.writeUInt32LE(n, 12);
    writeU64(header, this.#end, 16);
    writeU64(header, tableBytes(n, sectionCount, pathBytes), 24);
    header.writeUInt32LE(pathBytes, 32);
    header.writeUInt32LE(sectionCount, 36);
    header.writeUInt32LE(tableCrc, 40);
    header.writeUInt32LE(crc32(header.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
    header.writeUInt32LE(this.#sectionsCrc, SECTIONS_CRC_AT);
    await this.#sink.patch(0, header);
    await this.#sink.flush();
    return { size: this.#sink.position, count: n };
  }

  /** The table in pieces, so that not even a column is ever in memory as a whole. */
  *#table(order: Uint32Array): Pieces {
    const members = this.#members;
    yield* doubles(order, (i) => members.offset(i));
    yield* doubles(order, (i) => members.compressedSize(i));
    yield* doubles(order, (i) => members.size(i));

    /** Number in the table of the member added as number i. */
    const place = new Uint32Array(order.length);
    order.forEach((i, k) => {
      place[i] = k;
    });
    const owner = (x: number) => {
      const added = this.#owners.at(x);
      return (place[Math.floor(added / 4)] as number) * 4 + (added % 4);
    };
    const sections = sortedBy(this.#owners.count, (x, y) => owner(x) - owner(y));
    yield* doubles(sections, (x) => this.#offsets.at(x));
    yield* words(sections, (x) => this.#lengths.at(x));
    yield* words(sections, owner);

    yield* words(order, (i) => members.crc32(i));
    yield* words(order, (i) => members.time(i));
    let end = 0;
    yield* words(order, (i) => {
      end += this.#path(i).length;
      return end;
    });
    const keys = new Float64Array(order.length);
    order.forEach((i, k) => {
      keys[k] = foldedHash(this.#path(i).toString('utf8')) * MAX_MEMBERS + k;
    });
    keys.sort();
    yield* words(keys, (key) => key % MAX_MEMBERS);
    yield* words(keys, (key) => Math.floor(key / MAX_MEMBERS));

    yield* strings(order, (i) => this.#shas.slice(SHA_BYTES * i, SHA_BYTES * (i + 1)));
    yield* strings(order, (i) => Uint8Array.of(members.method(i)));
    yield* strings(order, (i) => this.#path(i));
  }

  /** Gives the memory of the columns back at once; nothing can be added any more. */
  release(): void {
    this.#members.release();
    this.#shas.release();
    this.#owners.release();
    this.#offsets.release();
    this.#lengths.release();
  }
}

const SHA_BYTES = 32;

/** A piece of a column may be used until the next is asked for. */
type Pieces = Generator<Uint8Array, void, void>;
const PIECE_BYTES = 64 * 1024;

/** A column of doubles, one for each of the given numbers. */
function doubles(indices: Uint32Array, value: (index: number) => number): Pieces {
  return numbers(indices, value, new Float64Array(PIECE_BYTES / 8));
}

function words(indices: Uint32Array | Float64Array, value: (index: number) => number): Pieces {
  return numbers(indices, value, new Uint32Array(PIECE_BYTES / 4));
}

function* numbers(
  indices: Uint32Array | Float64Array,
  value: (index: number) => number,
  piece: Float64Array | Uint32Array,
): Pieces {
  for (let at = 0; at < indices.length; at += piece.length) {
    const count = Math.min(piece.length, indices.length - at);
    for (let k = 0; k < count; k++) piece[k] = value(indices[at + k] as number);
    yield new Uint8Array(piece.buffer, 0, count * piece.BYTES_PER_ELEMENT);
  }
}

/** Byte strings one behind the other. */
function* strings(indices: Uint32Array, value: (index: number) => Uint8Array): Pieces {
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let used = 0;
  for (const index of indices) {
    const part = value(index);
    if (used + part.length > piece.length) {
      yield piece.subarray(0, used);
      used = 0;
      if (part.length > piece.length) piece = Buffer.allocUnsafeSlow(part.length);
    }
    piece.set(part, used);
    used += part.length;
  }
  yield piece.subarray(0, used);
}

function sortedBy(n: number, compare: (i: number, j: number) => number): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  return order.sort(compare);
}
