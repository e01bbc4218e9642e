import {
  CENTRAL_RECORD_BYTES,
  EXTRA_TIMESTAMP,
  EXTRA_ZIP64,
  findExtra,
  MAX_U16,
  MAX_U32,
  readU64,
  toDosTime,
} from '../zip-format.ts';

/** A record of the central directory; positions count from the start of the bytes that it was read from. */
export interface CentralRecord {
  host: number;
  flags: number;
  method: number;
  dosTime: number;
  crc32: number;
  compressedSize: number;
  size: number;
  disk: number;
  attributes: number;
  headerOffset: number;
  nameStart: number;
  nameEnd: number;
  extraEnd: number;
}

/**
 * The fixed part of a record (APPNOTE 4.3.12), with Zip64 values (4.5.3) in place of those that do not fit. The record
 * must lie wholly in the bytes.
 */
export function readCentralRecord(window: Buffer, at: number): CentralRecord {
  const nameStart = at + CENTRAL_RECORD_BYTES;
  const nameEnd = nameStart + window.readUInt16LE(at + 28);
  const extraEnd = nameEnd + window.readUInt16LE(at + 30);
  const record: CentralRecord = {
    host: window.readUInt8(at + 5),
    flags: window.readUInt16LE(at + 8),
    method: window.readUInt16LE(at + 10),
    dosTime: window.readUInt32LE(at + 12),
    crc32: window.readUInt32LE(at + 16),
    compressedSize: window.readUInt32LE(at + 20),
    size: window.readUInt32LE(at + 24),
    disk: window.readUInt16LE(at + 34),
    attributes: window.readUInt32LE(at + 38),
    headerOffset: window.readUInt32LE(at + 42),
    nameStart,
    nameEnd,
    extraEnd,
  };
  const zip64 = findExtra(window, nameEnd, extraEnd, EXTRA_ZIP64);
  if (zip64 !== null) {
    let next = zip64.start;
    for (const field of ['size', 'compressedSize', 'headerOffset'] as const) {
      if (record[field] !== MAX_U32 || next + 8 > zip64.end) continue;
      record[field] = readU64(window, next);
      next += 8;
    }
    if (record.disk === MAX_U16 && next + 4 <= zip64.end) record.disk = window.readUInt32LE(next);
  }
  // Info-ZIP extended timestamp: flags, then seconds since 1970 when bit 0 is set.
  const stamp = findExtra(window, nameEnd, extraEnd, EXTRA_TIMESTAMP);
  if (stamp !== null && stamp.end - stamp.start >= 5 && ((window[stamp.start] as number) & 1) === 1) {
    record.dosTime = toDosTime(window.readInt32LE(stamp.start + 1) * 1000);
  }
  return record;
}

/** Hosts (4.4.2) whose external attributes hold a Unix mode in their upper half: Unix and macOS. */
export function madeOnUnix(record: CentralRecord): boolean {
  return record.host === 3 || record.host === 19;
}
