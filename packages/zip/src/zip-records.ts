/** The records of a zip as they are written here, by ArchiveWriter and by ZipLayout (APPNOTE 4.3.7 to 4.3.16). */
import {
  CENTRAL_RECORD,
  CENTRAL_RECORD_BYTES,
  DEFLATED,
  END_RECORD,
  END_RECORD_BYTES,
  EXTRA_ZIP64,
  FLAG_UTF8,
  LOCAL_HEADER,
  LOCAL_HEADER_BYTES,
  MAX_U16,
  MAX_U32,
  toDosTime,
  writeU64,
  ZIP64_END_RECORD,
  ZIP64_END_RECORD_BYTES,
  ZIP64_LOCATOR,
  ZIP64_LOCATOR_BYTES,
} from './zip-format.ts';

/** What both headers of a member say. */
export interface RecordFields {
  method: 0 | 8;
  crc32: number;
  compressedSize: number;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
}

/** Version 4.5 of the format knows Zip64, 2.0 deflate (4.4.3). */
const VERSION_ZIP64 = 45;
const VERSION_PLAIN = 20;
const HOST_UNIX = 3;
/** A regular file, readable by all and writable by its owner. */
const UNIX_MODE = 0o100644;

/** Bytes of the Zip64 extra field of a local header, which always has both sizes (4.5.3). */
const LOCAL_ZIP64_BYTES = 20;

/** True when the sizes do not fit into 32 bits. */
export function sizesNeedZip64(fields: { compressedSize: number; size: number }): boolean {
  return fields.compressedSize >= MAX_U32 || fields.size >= MAX_U32;
}

/** Bytes of a local header. */
export function localHeaderBytes(nameBytes: number, zip64: boolean): number {
  return LOCAL_HEADER_BYTES + nameBytes + (zip64 ? LOCAL_ZIP64_BYTES : 0);
}

/**
 * A local header. With `zip64` the sizes are in the extra field, whether they need it or not. So a header can be
 * written before they are known, and be replaced by one of the same length.
 */
export function localHeader(name: Uint8Array, fields: RecordFields, zip64: boolean): Buffer {
  const bytes = Buffer.alloc(localHeaderBytes(name.length, zip64));
  bytes.writeUInt32LE(LOCAL_HEADER, 0);
  bytes.writeUInt16LE(zip64 ? VERSION_ZIP64 : VERSION_PLAIN, 4);
  writeCommon(bytes, 6, name.length, fields, zip64, zip64);
  bytes.writeUInt16LE(zip64 ? LOCAL_ZIP64_BYTES : 0, 28);
  bytes.set(name, LOCAL_HEADER_BYTES);
  if (zip64) {
    const extra = LOCAL_HEADER_BYTES + name.length;
    bytes.writeUInt16LE(EXTRA_ZIP64, extra);
    bytes.writeUInt16LE(16, extra + 2);
    writeU64(bytes, fields.size, extra + 4);
    writeU64(bytes, fields.compressedSize, extra + 12);
  }
  return bytes;
}

/** Flags, method, time, CRC, sizes and name length, which stand in this order in both headers. */
function writeCommon(
  bytes: Buffer,
  at: number,
  nameBytes: number,
  fields: RecordFields,
  hideCompressed: boolean,
  hideSize: boolean,
): void {
  bytes.writeUInt16LE(FLAG_UTF8, at);
  bytes.writeUInt16LE(fields.method === 8 ? DEFLATED : 0, at + 2);
  bytes.writeUInt32LE(toDosTime(fields.modified), at + 4);
  bytes.writeUInt32LE(fields.crc32, at + 8);
  bytes.writeUInt32LE(hideCompressed ? MAX_U32 : fields.compressedSize, at + 12);
  bytes.writeUInt32LE(hideSize ? MAX_U32 : fields.size, at + 16);
  bytes.writeUInt16LE(nameBytes, at + 20);
}

/** Bytes of the Zip64 extra field of a central record: only what does not fit (4.5.3). */
function centralExtraBytes(fields: { compressedSize: number; size: number }, headerOffset: number): number {
  const values =
    (fields.size >= MAX_U32 ? 1 : 0) +
    (fields.compressedSize >= MAX_U32 ? 1 : 0) +
    (headerOffset >= MAX_U32 ? 1 : 0);
  return values === 0 ? 0 : 4 + 8 * values;
}

/** Bytes of a central record. */
export function centralRecordBytes(
  nameBytes: number,
  fields: { compressedSize: number; size: number },
  headerOffset: number,
): number {
  return CENTRAL_RECORD_BYTES + nameBytes + centralExtraBytes(fields, headerOffset);
}

/**
 * A record of the central directory, as of a Unix file with mode 0644. `localZip64`: the local header has the Zip64
 * field.
 */
export function centralRecord(
  name: Uint8Array,
  fields: RecordFields,
  headerOffset: number,
  localZip64: boolean,
): Buffer {
  const bytes = Buffer.alloc(centralRecordBytes(name.length, fields, headerOffset));
  const extraBytes = bytes.length - CENTRAL_RECORD_BYTES - name.length;
  const version = localZip64 || extraBytes > 0 ? VERSION_ZIP64 : VERSION_PLAIN;
  bytes.writeUInt32LE(CENTRAL_RECORD, 0);
  bytes.writeUInt16LE((HOST_UNIX << 8) | VERSION_ZIP64, 4);
  bytes.writeUInt16LE(version, 6);
  writeCommon(bytes, 8, name.length, fields, fields.compressedSize >= MAX_U32, fields.size >= MAX_U32);
  bytes.writeUInt16LE(extraBytes, 30);
  bytes.writeUInt32LE(UNIX_MODE * 0x10000, 38);
  bytes.writeUInt32LE(Math.min(headerOffset, MAX_U32), 42);
  bytes.set(name, CENTRAL_RECORD_BYTES);
  if (extraBytes > 0) {
    let at = CENTRAL_RECORD_BYTES + name.length;
    bytes.writeUInt16LE(EXTRA_ZIP64, at);
    bytes.writeUInt16LE(extraBytes - 4, at + 2);
    at += 4;
    for (const value of [fields.size, fields.compressedSize, headerOffset]) {
      if (value < MAX_U32) continue;
      writeU64(bytes, value, at);
      at += 8;
    }
  }
  return bytes;
}

/** Where the central directory lies. */
export interface DirectoryExtent {
  count: number;
  offset: number;
  size: number;
}

function endNeedsZip64(directory: DirectoryExtent): boolean {
  return directory.count >= MAX_U16 || directory.offset >= MAX_U32 || directory.size >= MAX_U32;
}

/** Bytes of the records that close a zip. */
export function endRecordsBytes(directory: DirectoryExtent): number {
  return END_RECORD_BYTES + (endNeedsZip64(directory) ? ZIP64_END_RECORD_BYTES + ZIP64_LOCATOR_BYTES : 0);
}

/** The records that close a zip: Zip64 end record and locator where they are needed, and the end record. */
export function endRecords(directory: DirectoryExtent): Buffer {
  const bytes = Buffer.alloc(endRecordsBytes(directory));
  const { count, offset, size } = directory;
  let at = 0;
  if (endNeedsZip64(directory)) {
    bytes.writeUInt32LE(ZIP64_END_RECORD, 0);
    writeU64(bytes, ZIP64_END_RECORD_BYTES - 12, 4);
    bytes.writeUInt16LE((HOST_UNIX << 8) | VERSION_ZIP64, 12);
    bytes.writeUInt16LE(VERSION_ZIP64, 14);
    writeU64(bytes, count, 24);
    writeU64(bytes, count, 32);
    writeU64(bytes, size, 40);
    writeU64(bytes, offset, 48);
    at = ZIP64_END_RECORD_BYTES;
    bytes.writeUInt32LE(ZIP64_LOCATOR, at);
    writeU64(bytes, offset + size, at + 8);
    bytes.writeUInt32LE(1, at + 16);
    at += ZIP64_LOCATOR_BYTES;
  }
  bytes.writeUInt32LE(END_RECORD, at);
  bytes.writeUInt16LE(Math.min(count, MAX_U16), at + 8);
  bytes.writeUInt16LE(Math.min(count, MAX_U16), at + 10);
  bytes.writeUInt32LE(Math.min(size, MAX_U32), at + 12);
  bytes.writeUInt32LE(Math.min(offset, MAX_U32), at + 16);
  return bytes;
}
