/**
 * Reading the central directory of a zip that anybody may have made: everything is checked against the file
 * before it is believed. Members are kept in columns, about 60 bytes each and the name, so that a directory of
 * half a million stays below 100 MB; objects are made when asked for.
 */

import { crc32 } from 'node:zlib';
import { firstWhere, type Issue } from '@citymodel/base';
import { foldName } from '../member-name.ts';
import type { RangedSource } from '../source.ts';
import { ByteList } from '../tables/byte-list.ts';
import { NameSet } from '../tables/name-set.ts';
import {
  asBuffer,
  CENTRAL_RECORD,
  CENTRAL_RECORD_BYTES,
  fromDosTime,
  LOCAL_HEADER_BYTES,
} from '../zip-format.ts';
import { type CentralRecord, madeOnUnix, readCentralRecord } from './central-record.ts';
import { acceptedName } from './member-acceptance.ts';
import { type DirectoryPlace, findDirectory } from './zip-end.ts';
import { ZipIssueList } from './zip-issues.ts';
import { ZipRefused } from './zip-refused.ts';

export { type ZipRefusal, ZipRefused } from './zip-refused.ts';

/** A member as the central directory describes it; nothing here has been compared with its data yet. */
export interface ZipEntry {
  /** Decoded, `/`-separated, without empty, `.` or `..` segments; a directory's ends in `/`. */
  name: string;
  method: 0 | 8;
  /** General purpose bits (APPNOTE 4.4.4). */
  flags: number;
  crc32: number;
  /** Bytes in the zip. */
  compressedSize: number;
  /** Bytes uncompressed. */
  size: number;
  /** Where the local header begins in the file, data before the zip included. */
  headerOffset: number;
  /** Where the next member's header, or the directory, begins: this member's data must end before. */
  nextOffset: number;
  /**
   * Milliseconds since 1970, even seconds. From the extended timestamp where there is one, else the DOS time taken as
   * UTC.
   */
  modified: number;
  /** Unix mode with the file type in its upper bits, null when the zip was not made on a Unix. */
  unixMode: number | null;
  isDirectory: boolean;
  /** Always false for the members of a ZipDirectory, which leaves out what is encrypted. */
  encrypted: boolean;
  /** Length and CRC-32 of the name as stored, to be compared with the local header. */
  nameBytes: number;
  nameCrc32: number;
}

export interface ZipLimits {
  /** Most members that are accepted; 1,000,000 when absent. */
  maxMembers?: number;
}

const DEFAULT_MAX_MEMBERS = 1_000_000;
/** Bytes of the directory that are read at once; the longest record is 197 kB. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/**
 * Reads and checks the central directory. Members that are dangerous or cannot be read are left out and
 * reported in `issues` (codes in ZIP_ISSUES); ZipRefused is thrown when the directory as a whole cannot be
 * trusted. Takes a read of the end, and one for every 4 MiB of the directory.
 */
export async function readZipDirectory(source: RangedSource, limits: ZipLimits = {}): Promise<ZipDirectory> {
  const place = await findDirectory(source);
  const maxMembers = limits.maxMembers ?? DEFAULT_MAX_MEMBERS;
  if (place.count > maxMembers) {
    throw new ZipRefused(
      'TOO_MANY_MEMBERS',
      `The zip has ${place.count} members; at most ${maxMembers} are accepted.`,
    );
  }
  const reader = new DirectoryReader(place);
  let at = 0;
  while (at < place.size) {
    const length = Math.min(WINDOW_BYTES, place.size - at);
    const window = asBuffer(await source.read(place.offset + at, length));
    const used = reader.readWindow(window);
    if (used === 0) {
      throw new ZipRefused('DIRECTORY_LIES', `The directory ends within the record at its byte ${at}.`);
    }
    at += used;
  }
  return reader.finish();
}

/** The accepted members of a zip, in the order of its directory. */
export class ZipDirectory {
  /** Accepted members, directories among them. */
  readonly count: number;
  /** What was left out or looked odd. */
  readonly issues: Issue[];
  /** Their names, in the same order. */
  readonly names: ByteList;
  readonly #columns: Columns;
  /** Header offsets of all members, left out ones too, ascending, and the directory's own at the end. */
  readonly #offsets: Float64Array<ArrayBuffer>;

  constructor(columns: Columns, names: ByteList, offsets: Float64Array<ArrayBuffer>, issues: Issue[]) {
    this.count = names.count;
    this.issues = issues;
    this.names = names;
    this.#columns = columns;
    this.#offsets = offsets;
  }

  /** Member `i`, from 0. Throws a RangeError outside. */
  entry(i: number): ZipEntry {
    if (!(i >= 0 && i < this.count)) throw new RangeError(`member ${i} of ${this.count}`);
    const c = this.#columns;
    const name = this.names.text(i);
    const mode = c.mode[i] as number;
    const headerOffset = c.headerOffset[i] as number;
    return {
      name,
      method: c.method[i] as 0 | 8,
      flags: c.flags[i] as number,
      crc32: c.crc32[i] as number,
      compressedSize: c.compressedSize[i] as number,
      size: c.size[i] as number,
      headerOffset,
      nextOffset: this.#after(headerOffset),
      modified: fromDosTime(c.dosTime[i] as number),
      unixMode: mode === NO_MODE ? null : mode,
      isDirectory: name.endsWith('/'),
      encrypted: false,
      nameBytes: c.nameBytes[i] as number,
      nameCrc32: c.nameCrc32[i] as number,
    };
  }

  *entries(): IterableIterator<ZipEntry> {
    for (let i = 0; i < this.count; i++) yield this.entry(i);
  }

  /** Gives the memory back without waiting for a collection. No member can be asked for any more. */
  release(): void {
    this.names.release();
    for (const column of [...Object.values(this.#columns), this.#offsets]) column.buffer.transfer(0);
  }

  /** The smallest offset above the given one. */
  #after(offset: number): number {
    const last = this.#offsets.length - 1;
    return this.#offsets[firstWhere(last, (i) => (this.#offsets[i] as number) > offset)] as number;
  }
}

/** A mode column's value for members without one; no 16-bit mode has it as no file type has all bits. */
const NO_MODE = 0xffff;

interface Columns {
  method: Uint8Array<ArrayBuffer>;
  flags: Uint16Array<ArrayBuffer>;
  mode: Uint16Array<ArrayBuffer>;
  nameBytes: Uint16Array<ArrayBuffer>;
  nameCrc32: Uint32Array<ArrayBuffer>;
  crc32: Uint32Array<ArrayBuffer>;
  dosTime: Uint32Array<ArrayBuffer>;
  compressedSize: Float64Array<ArrayBuffer>;
  size: Float64Array<ArrayBuffer>;
  headerOffset: Float64Array<ArrayBuffer>;
}

/** Reads records window by window into columns. */
class DirectoryReader {
  readonly #place: DirectoryPlace;
  readonly #columns: Columns;
  readonly #names: ByteList;
  readonly #issues = new ZipIssueList();
  readonly #exact: NameSet;
  readonly #folded: NameSet;
  /** First and last byte (exclusive, at least) of every member, in directory order. */
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  #read = 0;

  constructor(place: DirectoryPlace) {
    const n = place.count;
    this.#place = place;
    this.#columns = {
      method: new Uint8Array(n),
      flags: new Uint16Array(n),
      mode: new Uint16Array(n),
      nameBytes: new Uint16Array(n),
      nameCrc32: new Uint32Array(n),
      crc32: new Uint32Array(n),
      dosTime: new Uint32Array(n),
      compressedSize: new Float64Array(n),
      size: new Float64Array(n),
      headerOffset: new Float64Array(n),
    };
    this.#names = new ByteList(n, place.size - n * CENTRAL_RECORD_BYTES);
    this.#exact = new NameSet(n);
    this.#folded = new NameSet(n);
    this.#starts = new Float64Array(n);
    this.#ends = new Float64Array(n);
    if (place.prefix > 0) {
      this.#issues.add(
        'ZIP_PREFIXED',
        null,
        `${place.prefix} bytes that belong to no member precede the zip.`,
      );
    }
  }

  /** Reads the records that lie wholly in the window; returns how many bytes they took. */
  readWindow(window: Buffer): number {
    let at = 0;
    while (at + CENTRAL_RECORD_BYTES <= window.length) {
      if (window.readUInt32LE(at) !== CENTRAL_RECORD) {
        throw new ZipRefused(
          'DIRECTORY_LIES',
          `Record ${this.#read} of the directory does not begin like one.`,
        );
      }
      const variable =
        window.readUInt16LE(at + 28) + window.readUInt16LE(at + 30) + window.readUInt16LE(at + 32);
      const end = at + CENTRAL_RECORD_BYTES + variable;
      if (end > window.length) break;
      if (this.#read === this.#place.count) {
        throw new ZipRefused(
          'DIRECTORY_LIES',
          `The directory holds more than the ${this.#place.count} members that it declares.`,
        );
      }
      this.#record(window, readCentralRecord(window, at));
      at = end;
    }
    return at;
  }

  #record(window: Buffer, record: CentralRecord): void {
    const n = this.#read++;
    const start = record.headerOffset + this.#place.prefix;
    const end = start + LOCAL_HEADER_BYTES + (record.nameEnd - record.nameStart) + record.compressedSize;
    if (record.disk !== 0) {
      throw new ZipRefused(
        'MULTI_DISK',
        `Member ${n} lies in part ${record.disk}; only a zip in one file is accepted.`,
      );
    }
    if (!(end <= this.#place.offset) || !Number.isFinite(record.size)) {
      throw new ZipRefused(
        'DIRECTORY_LIES',
        `Member ${n} is said to take ${record.compressedSize} bytes at ${start}, but the members end at byte ` +
          `${this.#place.offset}.`,
      );
    }
    this.#starts[n] = start;
    this.#ends[n] = end;

    const stored = window.subarray(record.nameStart, record.nameEnd);
    const name = acceptedName(record, window, this.#issues);
    if (name === null) return;
    const bytes = Buffer.from(name, 'utf8');
    const i = this.#names.count;
    const twin = this.#exact.add(bytes, i, (other) => this.#names.equals(other, bytes));
    if (twin !== -1) {
      this.#issues.add(
        'MEMBER_DUPLICATE',
        name,
        `The name "${name}" is given twice; the first member is kept.`,
      );
      return;
    }
    const folded = foldName(name);
    const similar = this.#folded.add(
      Buffer.from(folded, 'utf8'),
      i,
      (other) => foldName(this.#names.text(other)) === folded,
    );
    if (similar !== -1) {
      this.#issues.add(
        'MEMBER_NAME_SIMILAR',
        name,
        `"${name}" and "${this.#names.text(similar)}" differ only in letter case or Unicode form; many systems take ` +
          `them for one file.`,
      );
    }
    this.#names.push(bytes);
    const c = this.#columns;
    c.method[i] = record.method;
    c.flags[i] = record.flags;
    c.mode[i] = madeOnUnix(record) ? record.attributes >>> 16 : NO_MODE;
    c.nameBytes[i] = stored.length;
    c.nameCrc32[i] = crc32(stored);
    c.crc32[i] = record.crc32;
    c.dosTime[i] = record.dosTime;
    c.compressedSize[i] = record.compressedSize;
    c.size[i] = record.size;
    c.headerOffset[i] = start;
  }

  finish(): ZipDirectory {
    if (this.#read !== this.#place.count) {
      throw new ZipRefused(
        'DIRECTORY_LIES',
        `The directory declares ${this.#place.count} members but holds ${this.#read}.`,
      );
    }
    const offsets = this.#sortedOffsets();
    return new ZipDirectory(this.#columns, this.#names, offsets, this.#issues.finish());
  }

  /** Header offsets ascending, the directory's at the end. Throws ZipRefused when members share bytes. */
  #sortedOffsets(): Float64Array<ArrayBuffer> {
    const starts = this.#starts;
    const n = starts.length;
    let ascending = true;
    for (let i = 1; i < n && ascending; i++) ascending = (starts[i] as number) >= (starts[i - 1] as number);
    const order = ascending
      ? null
      : Uint32Array.from({ length: n }, (_, i) => i).sort(
          (a, b) => (starts[a] as number) - (starts[b] as number),
        );
    const offsets = new Float64Array(n + 1);
    let end = 0;
    for (let k = 0; k < n; k++) {
      const i = order === null ? k : (order[k] as number);
      const start = starts[i] as number;
      if (start < end) {
        throw new ZipRefused(
          'ZIP_BOMB',
          `The member at byte ${start} begins before the one before it ends at byte ${end}; members must not share ` +
            `bytes.`,
        );
      }
      offsets[k] = start;
      end = this.#ends[i] as number;
    }
    offsets[n] = this.#place.offset;
    return offsets;
  }
}
