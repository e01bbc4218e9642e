import { crc32 } from 'node:zlib';
import { type ArchiveSink, BufferedSink } from './buffered-sink.ts';
import { ByteList } from './byte-list.ts';
import type { Member, SectionName } from './member.ts';
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
import { writeU64 } from './zip-format.ts';

/**
 * Builds an index object. Sections go to the sink as they are added; of the members only the table's columns
 * are kept. The header is written last, as a patch, so that an unfinished object cannot be opened.
 */
export class MemberIndexBuilder {
  readonly #sink: BufferedSink;
  readonly #paths = new ByteList(1024, 65536);
  readonly #shas = new ByteList(1024, 65536);
  /** Per member: offset, compressedSize, size, crc32, modified, method. */
  readonly #numbers: number[][] = [[], [], [], [], [], []];
  /** Per section: owner × 4 + kind, offset, bytes. */
  readonly #sections: number[][] = [[], [], []];
  /** Where the next section goes. */
  #end = HEADER_BYTES;
  #sectionsCrc = 0;
  #writes: Promise<void>;

  constructor(sink: ArchiveSink) {
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
    const i = this.#paths.count;
    if (i === MAX_MEMBERS) throw new RangeError(`an index holds at most ${MAX_MEMBERS} members`);
    this.#paths.push(Buffer.from(member.path, 'utf8'));
    this.#shas.push(member.sha256);
    const values = [member.offset, member.compressedSize, member.size, member.crc32, modified, member.method];
    values.forEach((value, k) => {
      this.#numbers[k]?.push(value);
    });
    for (const [kind, name] of SECTIONS.entries()) {
      const bytes = sections[name];
      if (bytes === undefined) continue;
      const [owners, offsets, lengths] = this.#sections as [number[], number[], number[]];
      owners.push(i * 4 + kind);
      offsets.push(this.#end);
      lengths.push(bytes.length);
      this.#append(bytes);
    }
    return this.#writes;
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
    const n = this.#paths.count;
    const sectionCount = this.#sections[0]?.length ?? 0;
    const order = sortedBy(n, (i, j) => this.#paths.compare(i, j));
    for (let k = 1; k < n; k++) {
      if (this.#paths.compare(order[k - 1] as number, order[k] as number) === 0) {
        throw new Error(`the member ${this.#paths.text(order[k] as number)} was added to the index twice`);
      }
    }
    let tableCrc = 0;
    for (const column of this.#columns(order)) {
      tableCrc = crc32(column, tableCrc);
      await this.#sink.write(column);
    }

    const header = Buffer.alloc(HEADER_BYTES);
    header.write(MAGIC, 0, 'latin1');
    header.writeUInt32LE(VERSION, 8);
    header.writeUInt32LE(n, 12);
    writeU64(header, this.#end, 16);
    writeU64(header, tableBytes(n, sectionCount, this.#paths.byteLength), 24);
    header.writeUInt32LE(this.#paths.byteLength, 32);
    header.writeUInt32LE(sectionCount, 36);
    header.writeUInt32LE(tableCrc, 40);
    header.writeUInt32LE(crc32(header.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
    header.writeUInt32LE(this.#sectionsCrc, SECTIONS_CRC_AT);
    await this.#sink.patch(0, header);
    await this.#sink.flush();
    return { size: this.#sink.position, count: n };
  }

  /** The table, a column at a time and the paths in pieces, so that it is never in memory as a whole. */
  *#columns(order: Uint32Array): Generator<Uint8Array, void, void> {
    const [offset, compressedSize, size, crc, modified, method] = this.#numbers as NumberColumns;
    const [owners, offsets, lengths] = this.#sections as NumberColumns;
    yield bytesOf(Float64Array.from(order, (i) => offset[i] as number));
    yield bytesOf(Float64Array.from(order, (i) => compressedSize[i] as number));
    yield bytesOf(Float64Array.from(order, (i) => size[i] as number));

    /** Number in the table of the member added as number i. */
    const place = new Uint32Array(order.length);
    order.forEach((i, k) => {
      place[i] = k;
    });
    const owner = (x: number) => {
      const added = owners[x] as number;
      return (place[Math.floor(added / 4)] as number) * 4 + (added % 4);
    };
    const sections = sortedBy(owners.length, (x, y) => owner(x) - owner(y));
    yield bytesOf(Float64Array.from(sections, (x) => offsets[x] as number));
    yield bytesOf(sections.map((x) => lengths[x] as number));
    yield bytesOf(sections.map(owner));

    yield bytesOf(order.map((i) => crc[i] as number));
    yield bytesOf(order.map((i) => modified[i] as number));
    let end = 0;
    yield bytesOf(
      order.map((i) => {
        end += this.#paths.length(i);
        return end;
      }),
    );
    const keys = Float64Array.from(order, (i, k) => foldedHash(this.#paths.text(i)) * MAX_MEMBERS + k).sort();
    yield bytesOf(Uint32Array.from(keys, (key) => key % MAX_MEMBERS));
    yield bytesOf(Uint32Array.from(keys, (key) => Math.floor(key / MAX_MEMBERS)));

    yield* gathered(order, (i) => this.#shas.at(i));
    yield Uint8Array.from(order, (i) => method[i] as number);
    yield* gathered(order, (i) => this.#paths.at(i));
  }
}

type NumberColumns = [number[], number[], number[], number[], number[], number[]];

function bytesOf(column: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/** Byte strings one behind the other, in pieces of at most a megabyte or one string. */
function* gathered(order: Uint32Array, at: (i: number) => Uint8Array): Generator<Uint8Array, void, void> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for (const i of order) {
    const part = at(i);
    if (bytes + part.length > PIECE_BYTES) {
      yield Buffer.concat(parts, bytes);
      parts = [];
      bytes = 0;
    }
    parts.push(part);
    bytes += part.length;
  }
  yield Buffer.concat(parts, bytes);
}

const PIECE_BYTES = 1024 * 1024;

function sortedBy(n: number, compare: (i: number, j: number) => number): Uint32Array {
  return Uint32Array.from({ length: n }, (_, i) => i).sort(compare);
}
