/**
 * Numbers and small conversions of the zip format that reading and writing share.
 * Section numbers are those of PKWARE's APPNOTE.TXT 6.3.10. All integers in a zip are little-endian.
 */

/** Signatures, as 32-bit little-endian integers (`PK` and two bytes). */
export const LOCAL_HEADER = 0x04034b50;
export const CENTRAL_RECORD = 0x02014b50;
export const END_RECORD = 0x06054b50;
export const ZIP64_END_RECORD = 0x06064b50;
export const ZIP64_LOCATOR = 0x07064b50;

/** Sizes of the fixed parts, bytes (4.3.7, 4.3.12, 4.3.16, 4.3.14, 4.3.15). */
export const LOCAL_HEADER_BYTES = 30;
export const CENTRAL_RECORD_BYTES = 46;
export const END_RECORD_BYTES = 22;
export const ZIP64_END_RECORD_BYTES = 56;
export const ZIP64_LOCATOR_BYTES = 20;

/** A field of 32 or 16 bits that holds this refers to Zip64 (4.4.1.4). */
export const MAX_U32 = 0xffffffff;
export const MAX_U16 = 0xffff;

/** General purpose bits (4.4.4). */
export const FLAG_ENCRYPTED = 1 << 0;
export const FLAG_DATA_DESCRIPTOR = 1 << 3;
export const FLAG_STRONG_ENCRYPTION = 1 << 6;
export const FLAG_UTF8 = 1 << 11;
export const FLAG_MASKED_HEADERS = 1 << 13;

/** Compression methods (4.4.5) that are read and written here. */
export const STORED = 0;
export const DEFLATED = 8;

/** Extra fields (4.5.2, 4.6.1 and Info-ZIP's own). */
export const EXTRA_ZIP64 = 0x0001;
export const EXTRA_UNICODE_PATH = 0x7075;
export const EXTRA_TIMESTAMP = 0x5455;

/**
 * A 64-bit integer as a number; one that a number cannot hold exactly comes back as Infinity, so that every limit
 * catches it.
 */
export function readU64(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4);
  return high > 0x1fffff ? Number.POSITIVE_INFINITY : high * 0x1_0000_0000 + bytes.readUInt32LE(at);
}

/** Writes a non-negative safe integer as 64 bits. */
export function writeU64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % 0x1_0000_0000, at);
  bytes.writeUInt32LE(Math.floor(value / 0x1_0000_0000), at + 4);
}

/** The bytes as a Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Finds an extra field by its id (4.5.1) between two positions and returns where its content lies,
 * or null. A field that runs past the end stops the search: some tools pad with bytes that are no field.
 */
export function findExtra(
  bytes: Buffer,
  from: number,
  to: number,
  id: number,
): { start: number; end: number } | null {
  for (let at = from; at + 4 <= to; ) {
    const start = at + 4;
    const end = start + bytes.readUInt16LE(at + 2);
    if (end > to) return null;
    if (bytes.readUInt16LE(at) === id) return { start, end };
    at = end;
  }
  return null;
}

/** The earliest and latest times that a zip can hold, milliseconds since 1970. */
const DOS_EPOCH = Date.UTC(1980, 0, 1);
const DOS_END = Date.UTC(2107, 11, 31, 23, 59, 58);

/**
 * Packs a time into MS-DOS date and time (4.4.6), date in the upper 16 bits. The format knows no time zone;
 * here it is UTC, so that the same input gives the same bytes everywhere. Times outside 1980 to 2107 are
 * moved to the nearest, odd seconds to the even one before.
 */
export function toDosTime(modified: number): number {
  const time = new Date(
    Math.min(Math.max(Number.isFinite(modified) ? modified : DOS_EPOCH, DOS_EPOCH), DOS_END),
  );
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}

/** The inverse of toDosTime, milliseconds since 1970; a month or day of 0, which some tools write, counts as 1. */
export function fromDosTime(packed: number): number {
  return Date.UTC(
    1980 + (packed >>> 25),
    Math.max((packed >>> 21) & 15, 1) - 1,
    Math.max((packed >>> 16) & 31, 1),
    (packed >>> 11) & 31,
    (packed >>> 5) & 63,
    (packed & 31) * 2,
  );
}
