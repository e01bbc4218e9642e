/** Reading the data of a zip's members, with what the directory promised about them checked on the way. */
import { crc32 } from 'node:zlib';
import { MemberDamaged } from '../member-damaged.ts';
import type { RangedSource } from '../source.ts';
import {
  asBuffer,
  EXTRA_ZIP64,
  FLAG_DATA_DESCRIPTOR,
  FLAG_ENCRYPTED,
  findExtra,
  LOCAL_HEADER,
  LOCAL_HEADER_BYTES,
  MAX_U32,
  readU64,
  STORED,
} from '../zip-format.ts';
import { checkCrc, checked, inflateStream, inflateWhole, OUTPUT_CHUNK } from './inflate.ts';
import type { ZipEntry } from './zip-directory.ts';

export { type MemberDamage, MemberDamaged } from '../member-damaged.ts';

export interface ReadMemberOptions {
  /** Receives where the data begins, as `locateData` gives it, before the first chunk. */
  onPlace?: (dataOffset: number) => void;
  /**
   * Receives the bytes as they lie in the zip, in order, all of them by the time the iteration has ended
   * without an error. Reading waits for the promise. They may be written elsewhere at once, and thrown away
   * when the member turns out damaged.
   */
  onRaw?: (chunk: Uint8Array) => void | Promise<void>;
  /** A chunk need only be good until the next one is asked for; large ones are freed then. */
  lent?: boolean;
  /** Most times that `size` may be `compressedSize`; members below 1 MiB are exempt. */
  maxRatio?: number;
  /** Largest `size`, bytes. */
  maxSize?: number;
}

/** Members up to this size in the zip are read at once, together with their header. */
const SMALL_BYTES = 256 * 1024;
/** Room for the extra fields of a local header in a first read. */
const EXTRA_ROOM = 256;

/**
 * Where the member's data begins. Reads the local header and throws MemberDamaged unless it agrees with the
 * directory: name, method, encryption, and sizes and CRC unless they follow the data (APPNOTE 4.4.4, bit 3).
 */
export async function locateData(source: RangedSource, entry: ZipEntry): Promise<number> {
  return (await readHead(source, entry, 0)).dataOffset;
}

/**
 * The member's uncompressed bytes, in chunks of about 1 MiB for a large member. One read of the source serves for the
 * check and for `onRaw`. Throws MemberDamaged before the first chunk when the declared size is above the limits or the
 * local header disagrees. Throws it at once when more comes out than declared, and at the end when size or CRC differ.
 * It reads no descriptors behind the data, because the directory has the same values. The source is read as fast as the
 * chunks are taken; cancelling closes it.
 */
export async function* readMember(
  source: RangedSource,
  entry: ZipEntry,
  options: ReadMemberOptions = {},
): AsyncGenerator<Uint8Array, void, void> {
  checkLimits(entry, options);
  const { onPlace, onRaw, lent } = options;
  const small = entry.compressedSize <= SMALL_BYTES && entry.size <= OUTPUT_CHUNK;
  const head = await readHead(source, entry, small ? entry.compressedSize : 0);
  onPlace?.(head.dataOffset);
  if (small) {
    const begin = head.dataOffset - entry.headerOffset;
    const data =
      begin + entry.compressedSize <= head.bytes.length
        ? head.bytes.subarray(begin, begin + entry.compressedSize)
        : await source.read(head.dataOffset, entry.compressedSize);
    await onRaw?.(data);
    const text =
      entry.method === STORED ? data : await inflateWhole(data, entry, { ended: true, pooled: false });
    checkCrc(entry, crc32(text));
    if (text.length > 0) yield text;
    return;
  }
  const stored = source.stream(head.dataOffset, entry.compressedSize);
  const raw = onRaw === undefined ? stored : tapped(stored, onRaw);
  yield* checked(entry.method === STORED ? raw : inflateStream(raw, entry, lent), entry);
}

async function* tapped(
  chunks: AsyncIterable<Uint8Array>,
  onRaw: (chunk: Uint8Array) => void | Promise<void>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    await onRaw(chunk);
    yield chunk;
  }
}

function checkLimits(entry: ZipEntry, options: ReadMemberOptions): void {
  const { maxSize = Number.POSITIVE_INFINITY, maxRatio = Number.POSITIVE_INFINITY } = options;
  if (entry.size > maxSize) {
    throw new MemberDamaged(
      'TOO_LARGE',
      entry.name,
      `It declares ${entry.size} bytes; at most ${maxSize} are accepted.`,
    );
  }
  if (entry.size > OUTPUT_CHUNK && entry.size > maxRatio * entry.compressedSize) {
    throw new MemberDamaged(
      'RATIO_TOO_HIGH',
      entry.name,
      `It declares ${entry.size} bytes out of ${entry.compressedSize}; at most ${maxRatio} times as many are accepted.`,
    );
  }
}

interface Head {
  /** The bytes from the local header on that were read. */
  bytes: Buffer;
  dataOffset: number;
}

/** Reads and checks the local header (APPNOTE 4.3.7), with up to `ahead` bytes of data behind it. */
async function readHead(source: RangedSource, entry: ZipEntry, ahead: number): Promise<Head> {
  const room = entry.nextOffset - entry.headerOffset;
  const headBytes = LOCAL_HEADER_BYTES + entry.nameBytes + EXTRA_ROOM + ahead;
  let bytes = asBuffer(await source.read(entry.headerOffset, Math.min(room, headBytes)));
  if (bytes.length < LOCAL_HEADER_BYTES || bytes.readUInt32LE(0) !== LOCAL_HEADER) {
    throw new MemberDamaged(
      'NO_LOCAL_HEADER',
      entry.name,
      `There is no local header at byte ${entry.headerOffset}.`,
    );
  }
  const nameEnd = LOCAL_HEADER_BYTES + bytes.readUInt16LE(26);
  const headerEnd = nameEnd + bytes.readUInt16LE(28);
  if (headerEnd + entry.compressedSize > room) {
    throw new MemberDamaged(
      'OVERLAPS',
      entry.name,
      `Its data would end at byte ${entry.headerOffset + headerEnd + entry.compressedSize}; something else begins ` +
        `at ${entry.nextOffset}.`,
    );
  }
  if (headerEnd > bytes.length) bytes = asBuffer(await source.read(entry.headerOffset, headerEnd));
  const differs = localDifference(bytes, nameEnd, headerEnd, entry);
  if (differs !== null) {
    throw new MemberDamaged(
      'HEADERS_DISAGREE',
      entry.name,
      `The local header has another ${differs} than the directory.`,
    );
  }
  return { bytes, dataOffset: entry.headerOffset + headerEnd };
}

/** What a local header says otherwise than the directory, or null. */
function localDifference(header: Buffer, nameEnd: number, headerEnd: number, entry: ZipEntry): string | null {
  const flags = header.readUInt16LE(6);
  if ((flags & FLAG_ENCRYPTED) !== (entry.flags & FLAG_ENCRYPTED)) return 'encryption flag';
  if (header.readUInt16LE(8) !== entry.method) return 'method';
  const name = header.subarray(LOCAL_HEADER_BYTES, nameEnd);
  if (name.length !== entry.nameBytes || crc32(name) !== entry.nameCrc32) return 'name';

  let compressedSize = header.readUInt32LE(18);
  let size = header.readUInt32LE(22);
  const zip64 = findExtra(header, nameEnd, headerEnd, EXTRA_ZIP64);
  if (zip64 !== null) {
    let next = zip64.start;
    if (size === MAX_U32 && next + 8 <= zip64.end) {
      size = readU64(header, next);
      next += 8;
    }
    if (compressedSize === MAX_U32 && next + 8 <= zip64.end) compressedSize = readU64(header, next);
  }
  const later = (flags & FLAG_DATA_DESCRIPTOR) !== 0;
  const agrees = (local: number, central: number) =>
    local === central || (later && (local === 0 || local === MAX_U32));
  if (!agrees(header.readUInt32LE(14), entry.crc32)) return 'CRC-32';
  if (!agrees(compressedSize, entry.compressedSize)) return 'compressed size';
  if (!agrees(size, entry.size)) return 'size';
  return null;
}
