/**
 * A zip that does not exist: its members' data lies in other files, its headers are computed when they are
 * asked for, and any range of it can be streamed. Planning reads nothing.
 */
import { createHash } from 'node:crypto';
import { type Slices, STEPS } from '@citymodel/base';
import { encodeName, InvalidMemberName } from '../member-name.ts';
import { ByteList } from '../tables/byte-list.ts';
import { NameSet } from '../tables/name-set.ts';
import { fromDosTime, toDosTime } from '../zip-format.ts';
import {
  centralRecord,
  centralRecordBytes,
  endRecords,
  endRecordsBytes,
  localHeader,
  localHeaderBytes,
  type RecordFields,
  sizesNeedZip64,
} from '../zip-records.ts';

/** A member of a planned zip, whose compressed bytes lie in a source. */
export interface PlannedMember<T> extends RecordFields {
  name: string;
  /** Whatever tells the caller where the bytes are; members of one source share the value. */
  source: T;
  /** Where the member's data begins in the source. */
  offset: number;
}

/**
 * Lays out a zip of the members in the order in which they come: the same members give the same bytes. Zip64
 * is used where it is needed. Needs some 120 bytes and the name of each member.
 * Throws InvalidMemberName for absolute, `..`, empty or duplicate names, a RangeError for impossible sizes.
 */
export function planZip<T>(members: Iterable<PlannedMember<T>>): ZipLayout<T> {
  const columns = new LayoutColumns<T>();
  for (const member of members) columns.add(member);
  return new ZipLayout(columns);
}

/** The same for many members, in slices. */
export async function planZipInSlices<T>(
  members: Iterable<PlannedMember<T>>,
  slices: Slices,
): Promise<ZipLayout<T>> {
  const columns = new LayoutColumns<T>();
  for (const member of members) {
    columns.add(member);
    if (columns.names.count % STEPS === 0 && slices.due()) await slices.pause();
  }
  return new ZipLayout(columns);
}

/** Numbers of a member in `numbers`, one behind the other. */
const FIELDS = 6;
const SIZE = 0;
const COMPRESSED_SIZE = 1;
const SOURCE_OFFSET = 2;
const HEADER_OFFSET = 3;
const DIRECTORY_OFFSET = 4;
/** Source number × 2, plus one for deflate. */
const SOURCE_AND_METHOD = 5;

class LayoutColumns<T> {
  readonly names = new ByteList(1024, 65536);
  numbers = new Float64Array(1024 * FIELDS);
  /** CRC-32 and DOS time of each member. */
  words = new Uint32Array(1024 * 2);
  readonly sources: T[] = [];
  readonly #sourceNumbers = new Map<T, number>();
  readonly #taken = new NameSet(1024);
  /** Bytes of all local headers and data so far, and of all central records. */
  dataBytes = 0;
  directoryBytes = 0;

  add(member: PlannedMember<T>): void {
    const name = encodeName(member.name);
    const i = this.names.count;
    if (this.#taken.add(name, i, (other) => this.names.equals(other, name)) !== -1) {
      throw new InvalidMemberName('MEMBER_DUPLICATE', member.name);
    }
    checkNumbers(member);
    this.#reserve(i);
    this.names.push(name);
    const at = i * FIELDS;
    this.numbers[at + SIZE] = member.size;
    this.numbers[at + COMPRESSED_SIZE] = member.compressedSize;
    this.numbers[at + SOURCE_OFFSET] = member.offset;
    this.numbers[at + HEADER_OFFSET] = this.dataBytes;
    this.numbers[at + DIRECTORY_OFFSET] = this.directoryBytes;
    this.numbers[at + SOURCE_AND_METHOD] =
      this.#sourceNumber(member.source) * 2 + (member.method === 8 ? 1 : 0);
    this.words[i * 2] = member.crc32;
    this.words[i * 2 + 1] = toDosTime(member.modified);
    this.directoryBytes += centralRecordBytes(name.length, member, this.dataBytes);
    this.dataBytes += localHeaderBytes(name.length, sizesNeedZip64(member)) + member.compressedSize;
  }

  #reserve(i: number): void {
    if (i * 2 < this.words.length) return;
    const numbers = new Float64Array(this.numbers.length * 2);
    numbers.set(this.numbers);
    this.numbers = numbers;
    const words = new Uint32Array(this.words.length * 2);
    words.set(this.words);
    this.words = words;
  }

  #sourceNumber(source: T): number {
    const existing = this.#sourceNumbers.get(source);
    if (existing !== undefined) return existing;
    this.#sourceNumbers.set(source, this.sources.length);
    return this.sources.push(source) - 1;
  }
}

function checkNumbers(member: PlannedMember<unknown>): void {
  const { name, method, size, compressedSize, offset, crc32 } = member;
  const isWhole = (value: number) => Number.isSafeInteger(value) && value >= 0;
  const sizesFit = method === 8 || (method === 0 && size === compressedSize);
  if (!sizesFit || ![size, compressedSize, offset].every(isWhole) || crc32 >>> 0 !== crc32) {
    throw new RangeError(
      `${name} cannot be laid out: method ${method}, ${compressedSize} of ${size} bytes at ${offset}, CRC-32 ${crc32}`,
    );
  }
}

/** A planned zip: which byte is where. Made by planZip, streamed by streamLayout. */
export class ZipLayout<T> {
  readonly #c: LayoutColumns<T>;
  /** Total bytes of the zip. */
  readonly size: number;
  readonly count: number;
  /** Where the central directory begins, and its bytes without the end records. */
  readonly directoryOffset: number;
  readonly directoryBytes: number;

  constructor(columns: LayoutColumns<T>) {
    this.#c = columns;
    this.count = columns.names.count;
    this.directoryOffset = columns.dataBytes;
    this.directoryBytes = columns.directoryBytes;
    this.size = this.directoryOffset + this.directoryBytes + endRecordsBytes(this.#extent());
  }

  #extent() {
    return { count: this.count, offset: this.directoryOffset, size: this.directoryBytes };
  }

  #number(i: number, field: number): number {
    return this.#c.numbers[i * FIELDS + field] as number;
  }

  /** Member `i` in the order of the zip. */
  member(i: number): PlannedMember<T> {
    if (!(i >= 0 && i < this.count)) throw new RangeError(`member ${i} of ${this.count}`);
    return {
      name: this.#c.names.text(i),
      source: this.source(i),
      offset: this.#number(i, SOURCE_OFFSET),
      ...this.#fields(i),
    };
  }

  #fields(i: number): RecordFields {
    return {
      method: this.#number(i, SOURCE_AND_METHOD) % 2 === 1 ? 8 : 0,
      crc32: this.#c.words[i * 2] as number,
      compressedSize: this.#number(i, COMPRESSED_SIZE),
      size: this.#number(i, SIZE),
      modified: fromDosTime(this.#c.words[i * 2 + 1] as number),
    };
  }

  /** All sources, each once. */
  get sources(): readonly T[] {
    return this.#c.sources;
  }

  source(i: number): T {
    return this.#c.sources[Math.floor(this.#number(i, SOURCE_AND_METHOD) / 2)] as T;
  }

  /** Where member `i`'s data lies in its source. */
  sourceOffset(i: number): number {
    return this.#number(i, SOURCE_OFFSET);
  }

  compressedSize(i: number): number {
    return this.#number(i, COMPRESSED_SIZE);
  }

  /** Where member `i`'s local header begins in the zip. */
  headerOffset(i: number): number {
    return this.#number(i, HEADER_OFFSET);
  }

  /** Where member `i`'s data begins in the zip. */
  dataOffset(i: number): number {
    const zip64 = sizesNeedZip64({
      size: this.#number(i, SIZE),
      compressedSize: this.#number(i, COMPRESSED_SIZE),
    });
    return this.headerOffset(i) + localHeaderBytes(this.#c.names.length(i), zip64);
  }

  /** Where member `i`'s central record begins in the zip. */
  recordOffset(i: number): number {
    return this.directoryOffset + this.#number(i, DIRECTORY_OFFSET);
  }

  localHeader(i: number): Buffer {
    const fields = this.#fields(i);
    return localHeader(this.#c.names.at(i), fields, sizesNeedZip64(fields));
  }

  centralRecord(i: number): Buffer {
    const fields = this.#fields(i);
    return centralRecord(this.#c.names.at(i), fields, this.headerOffset(i), sizesNeedZip64(fields));
  }

  endRecords(): Buffer {
    return endRecords(this.#extent());
  }
}

/**
 * SHA-256, lower-case hex, of everything that decides the zip's bytes: for an entity tag that holds across servers and
 * restarts; made in slices. Names, sizes, CRCs and times go in; `sourceKey` adds what tells one source from another,
 * for two archives may hold the same text compressed differently.
 */
export async function layoutDigest<T>(
  layout: ZipLayout<T>,
  sourceKey: (source: T) => string,
  slices: Slices,
): Promise<string> {
  const hash = createHash('sha256');
  for (let i = 0; i < layout.count; i++) {
    const key = Buffer.from(sourceKey(layout.source(i)), 'utf8');
    const place = Buffer.alloc(12);
    place.writeDoubleLE(layout.sourceOffset(i));
    place.writeUInt32LE(key.length, 8);
    hash.update(layout.centralRecord(i)).update(place).update(key);
    if (i % STEPS === 0 && slices.due()) await slices.pause();
  }
  return hash.update(layout.endRecords()).digest('hex');
}
