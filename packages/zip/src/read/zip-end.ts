/** Finding the central directory of a zip from its end (APPNOTE 4.3.14 to 4.3.16). */
import type { RangedSource } from '../source.ts';
import {
  asBuffer,
  CENTRAL_RECORD,
  CENTRAL_RECORD_BYTES,
  END_RECORD,
  END_RECORD_BYTES,
  LOCAL_HEADER,
  MAX_U16,
  MAX_U32,
  readU64,
  ZIP64_END_RECORD,
  ZIP64_END_RECORD_BYTES,
  ZIP64_LOCATOR,
  ZIP64_LOCATOR_BYTES,
} from '../zip-format.ts';
import { ZipRefused } from './zip-refused.ts';

export interface DirectoryPlace {
  /** Where the central directory begins in the file. */
  offset: number;
  /** Bytes of the central directory. */
  size: number;
  /** Records in it, as declared. */
  count: number;
  /** Bytes before the zip; every offset in the directory counts from behind them. */
  prefix: number;
}

/** What an end record says, before anything is checked against the file. */
interface End {
  /** Where the record begins; the directory must end here. */
  at: number;
  disk: number;
  directoryDisk: number;
  countOnDisk: number;
  count: number;
  size: number;
  offset: number;
}

/** The longest comment, its record, and a Zip64 locator and record before them. */
const TAIL_BYTES = MAX_U16 + END_RECORD_BYTES + ZIP64_LOCATOR_BYTES + ZIP64_END_RECORD_BYTES;

/**
 * Locates the central directory. Accepts a comment, Zip64, and data before the zip (self-extracting
 * archives). Throws ZipRefused for anything contradictory: `NOT_A_ZIP`, `TRUNCATED`, `MULTI_DISK`,
 * `DIRECTORY_LIES`. Takes two reads, one more when Zip64 records lie apart.
 */
export async function findDirectory(source: RangedSource): Promise<DirectoryPlace> {
  const tailStart = Math.max(0, source.size - TAIL_BYTES);
  const tail = asBuffer(await source.read(tailStart, source.size - tailStart));
  const endAt = findEndRecord(tail);
  if (endAt === -1) await refuseWithoutEnd(source);
  const plain = readEndRecord(tail, endAt, tailStart + endAt);
  const end = (await readZip64(source, tail, tailStart, endAt, plain)) ?? plain;

  if (end.disk !== 0 || end.directoryDisk !== 0 || end.countOnDisk !== end.count) {
    throw new ZipRefused(
      'MULTI_DISK',
      `The zip is part ${end.disk} of a set whose directory begins in part ${end.directoryDisk}; only a zip in one ` +
        `file is accepted.`,
    );
  }
  const prefix = end.at - end.size - end.offset;
  if (!(prefix >= 0)) {
    throw new ZipRefused(
      end.offset > source.size ? 'TRUNCATED' : 'DIRECTORY_LIES',
      `The directory is said to be ${end.size} bytes at ${end.offset}, but it must end before byte ${end.at}.`,
    );
  }
  if (end.count * CENTRAL_RECORD_BYTES > end.size) {
    throw new ZipRefused(
      'DIRECTORY_LIES',
      `The directory is said to hold ${end.count} members in ${end.size} bytes; each takes at least ` +
        `${CENTRAL_RECORD_BYTES}.`,
    );
  }
  const offset = end.offset + prefix;
  if (end.size >= 4 && asBuffer(await source.read(offset, 4)).readUInt32LE() !== CENTRAL_RECORD) {
    throw new ZipRefused(
      'DIRECTORY_LIES',
      `No directory record begins at byte ${offset}, where the directory should.`,
    );
  }
  return { offset, size: end.size, count: end.count, prefix };
}

/**
 * The record whose comment ends exactly where the file does. Two such records, one in the comment of the
 * other, show different programs different contents, so that is refused.
 */
function findEndRecord(tail: Buffer): number {
  let found = -1;
  const signature = Buffer.of(0x50, 0x4b, 0x05, 0x06);
  for (
    let at = tail.lastIndexOf(signature);
    at !== -1;
    at = at === 0 ? -1 : tail.lastIndexOf(signature, at - 1)
  ) {
    if (at + END_RECORD_BYTES > tail.length) continue;
    if (at + END_RECORD_BYTES + tail.readUInt16LE(at + 20) !== tail.length) continue;
    if (found !== -1)
      throw new ZipRefused('DIRECTORY_LIES', 'The zip has two end records that both fit; it must have one.');
    found = at;
  }
  return found;
}

async function refuseWithoutEnd(source: RangedSource): Promise<never> {
  const head = source.size >= 4 ? asBuffer(await source.read(0, 4)).readUInt32LE() : 0;
  if (head === LOCAL_HEADER) {
    throw new ZipRefused(
      'TRUNCATED',
      `The file of ${source.size} bytes begins like a zip, but no end record closes it; it was cut off or has other ` +
        `data behind it.`,
    );
  }
  throw new ZipRefused('NOT_A_ZIP', `The file of ${source.size} bytes is not a zip.`);
}

function readEndRecord(bytes: Buffer, at: number, position: number): End {
  if (bytes.readUInt32LE(at) !== END_RECORD) throw new Error('not at an end record');
  return {
    at: position,
    disk: bytes.readUInt16LE(at + 4),
    directoryDisk: bytes.readUInt16LE(at + 6),
    countOnDisk: bytes.readUInt16LE(at + 8),
    count: bytes.readUInt16LE(at + 10),
    size: bytes.readUInt32LE(at + 12),
    offset: bytes.readUInt32LE(at + 16),
  };
}

/** The Zip64 end record, when a locator stands before the end record; checked against what that says. */
async function readZip64(
  source: RangedSource,
  tail: Buffer,
  tailStart: number,
  endAt: number,
  plain: End,
): Promise<End | null> {
  const locatorAt = endAt - ZIP64_LOCATOR_BYTES;
  if (locatorAt < 0 || tail.readUInt32LE(locatorAt) !== ZIP64_LOCATOR) return null;
  if (tail.readUInt32LE(locatorAt + 16) > 1 || tail.readUInt32LE(locatorAt + 4) !== 0) {
    throw new ZipRefused(
      'MULTI_DISK',
      'The Zip64 locator names several parts; only a zip in one file is accepted.',
    );
  }
  const locatorPosition = tailStart + locatorAt;
  // With data before the zip the locator's offset is too small, but the record ends where the locator begins.
  for (const at of [readU64(tail, locatorAt + 8), locatorPosition - ZIP64_END_RECORD_BYTES]) {
    if (!(at >= 0 && at + ZIP64_END_RECORD_BYTES <= locatorPosition)) continue;
    const record = asBuffer(await source.read(at, ZIP64_END_RECORD_BYTES));
    if (record.readUInt32LE(0) !== ZIP64_END_RECORD) continue;
    if (at + 12 + readU64(record, 4) !== locatorPosition) continue;
    const end: End = {
      at,
      disk: record.readUInt32LE(16),
      directoryDisk: record.readUInt32LE(20),
      countOnDisk: readU64(record, 24),
      count: readU64(record, 32),
      size: readU64(record, 40),
      offset: readU64(record, 48),
    };
    const agree = (small: number, large: number, saturated: number) => small === saturated || small === large;
    if (
      !agree(plain.count, end.count, MAX_U16) ||
      !agree(plain.size, end.size, MAX_U32) ||
      !agree(plain.offset, end.offset, MAX_U32)
    ) {
      throw new ZipRefused(
        'DIRECTORY_LIES',
        `The Zip64 end record says ${end.count} members in ${end.size} bytes at ${end.offset}, the plain one ` +
          `${plain.count} in ${plain.size} at ${plain.offset}.`,
      );
    }
    return end;
  }
  throw new ZipRefused('DIRECTORY_LIES', 'The Zip64 locator leads to no Zip64 end record.');
}
