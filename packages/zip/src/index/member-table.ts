import type { ByteList } from '../tables/byte-list.ts';
import { Column } from '../tables/column.ts';
import { NameList } from '../tables/name-list.ts';
import { centralRecord, localHeaderBytes, type RecordFields } from '../zip-records.ts';
import { TIME_UNIT } from './member-index-format.ts';

/**
 * What the headers of an archive say about its members, in columns: 37 bytes each, and the names that are not known
 * from elsewhere. The writer of the archive makes its directory of it, and the builder of the member index makes its
 * table. So half a million members are kept once.
 */
export class MemberTable {
  readonly names: NameList;
  /** Members that there is room for from the start. */
  readonly expected: number;
  readonly #offsets: Column<Float64Array<ArrayBuffer>>;
  readonly #compressedSizes: Column<Float64Array<ArrayBuffer>>;
  readonly #sizes: Column<Float64Array<ArrayBuffer>>;
  readonly #crcs: Column<Uint32Array<ArrayBuffer>>;
  /** In units of two seconds since 1970. */
  readonly #times: Column<Uint32Array<ArrayBuffer>>;
  /** Compression method, plus one when the local header has Zip64 sizes. */
  readonly #kinds: Column<Uint8Array<ArrayBuffer>>;

  /**
   * `names`: a list that outlives the table and has the names that will come, in about the order in which they come.
   */
  constructor(names?: ByteList) {
    this.expected = names?.count ?? 1024;
    this.names = new NameList(names, this.expected);
    const doubles = () => new Column((length) => new Float64Array(length), this.expected);
    const words = () => new Column((length) => new Uint32Array(length), this.expected);
    this.#offsets = doubles();
    this.#compressedSizes = doubles();
    this.#sizes = doubles();
    this.#crcs = words();
    this.#times = words();
    this.#kinds = new Column((length) => new Uint8Array(length), this.expected);
  }

  get count(): number {
    return this.names.count;
  }

  /** Adds a member whose data begins at `offset`. `zip64`: its local header has the Zip64 field. */
  push(name: Uint8Array, fields: RecordFields, offset: number, zip64: boolean): void {
    this.names.push(name);
    this.#offsets.push(offset);
    this.#compressedSizes.push(fields.compressedSize);
    this.#sizes.push(fields.size);
    this.#crcs.push(fields.crc32);
    this.#times.push(fields.modified / TIME_UNIT);
    this.#kinds.push(fields.method + (zip64 ? 1 : 0));
  }

  /** Where the data of member `i` begins. */
  offset(i: number): number {
    return this.#offsets.at(i);
  }

  compressedSize(i: number): number {
    return this.#compressedSizes.at(i);
  }

  size(i: number): number {
    return this.#sizes.at(i);
  }

  crc32(i: number): number {
    return this.#crcs.at(i);
  }

  /** In units of two seconds since 1970. */
  time(i: number): number {
    return this.#times.at(i);
  }

  method(i: number): 0 | 8 {
    return this.#kinds.at(i) >= 8 ? 8 : 0;
  }

  /** The record of member `i` in the archive's central directory. */
  centralRecord(i: number): Buffer {
    const name = this.names.at(i);
    const zip64 = this.#kinds.at(i) % 2 === 1;
    const headerOffset = this.offset(i) - localHeaderBytes(name.length, zip64);
    const fields: RecordFields = {
      method: this.method(i),
      crc32: this.crc32(i),
      compressedSize: this.compressedSize(i),
      size: this.size(i),
      modified: this.time(i) * TIME_UNIT,
    };
    return centralRecord(name, fields, headerOffset, zip64);
  }
}
