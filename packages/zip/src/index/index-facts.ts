/** Header and footer of an index object (see member-index-format.ts). */
import { crc32 } from 'node:zlib';
import type { RangedSource } from '../source.ts';
import { asBuffer, readU64 } from '../zip-format.ts';
import { IndexDamaged } from './index-damaged.ts';
import {
  FOOTER_BYTES,
  FOOTER_MAGIC,
  HEADER_BYTES,
  HEADER_CRC_AT,
  MAGIC,
  PAGES_AT,
  SECTIONS_CRC_AT,
  SUMS_CRC_AT,
  TABLE_CRC_AT,
  tableBytes,
  VERSION,
  WHOLE_HEADER_CRC_AT,
} from './member-index-format.ts';
import { pagesUpTo, sumsBytes } from './page-sums.ts';

/** What header and footer say. */
export interface IndexFacts {
  n: number;
  sections: number;
  pathBytes: number;
  tableOffset: number;
  tableBytes: number;
  tableCrc: number;
  sectionsCrc: number;
  sumsCrc: number;
  pages: number;
}

/** Facts of a header or footer whose CRC-32 was compared. Throws IndexDamaged when they do not fit the object. */
function factsOf(header: Buffer, size: number): IndexFacts {
  const n = header.readUInt32LE(12);
  const offset = readU64(header, 16);
  const length = readU64(header, 24);
  const pathBytes = header.readUInt32LE(32);
  const sections = header.readUInt32LE(36);
  if (length !== tableBytes(n, sections, pathBytes) || offset + length !== size) {
    throw new IndexDamaged(
      `a member index of ${n} members has ${offset + tableBytes(n, sections, pathBytes)} bytes; found ${size}`,
    );
  }
  return {
    n,
    sections,
    pathBytes,
    tableOffset: offset,
    tableBytes: length,
    tableCrc: header.readUInt32LE(TABLE_CRC_AT),
    sectionsCrc: header.readUInt32LE(SECTIONS_CRC_AT),
    sumsCrc: header.readUInt32LE(SUMS_CRC_AT),
    pages: pagesOf(header, offset),
  };
}

/** What the footer says; null when there is none, or another end. */
export async function readFooter(source: RangedSource): Promise<IndexFacts | null> {
  if (source.size < HEADER_BYTES + FOOTER_BYTES) return null;
  const footer = asBuffer(await source.read(source.size - FOOTER_BYTES, FOOTER_BYTES));
  const isFooter =
    footer.toString('latin1', 0, 8) === FOOTER_MAGIC &&
    footer.readUInt32LE(8) === VERSION &&
    footer.readUInt32LE(WHOLE_HEADER_CRC_AT) === crc32(footer.subarray(0, WHOLE_HEADER_CRC_AT));
  return isFooter ? factsOf(footer, source.size) : null;
}

/** What the header says. Throws IndexDamaged for anything but one, and an Error for one of another version. */
export async function readHeader(source: RangedSource): Promise<IndexFacts> {
  const header = asBuffer(await source.read(0, Math.min(HEADER_BYTES, source.size)));
  const magic = header.toString('latin1', 0, 8);
  if (magic !== MAGIC)
    throw new IndexDamaged(`a member index begins with "${MAGIC}"; found ${JSON.stringify(magic)}`);
  if (header.length < HEADER_BYTES)
    throw new IndexDamaged(`a member index has at least ${HEADER_BYTES} bytes; found ${header.length}`);
  const version = header.readUInt32LE(8);
  const isRight = header.readUInt32LE(HEADER_CRC_AT) === crc32(header.subarray(0, HEADER_CRC_AT));
  if (version !== VERSION) {
    const found = `member indexes of format version ${VERSION} are read; found version ${version}: run reindex`;
    throw isRight ? new Error(found) : new IndexDamaged(found);
  }
  if (!isRight) throw new IndexDamaged('The CRC-32 of its header differs.');
  return factsOf(header, source.size);
}

/** How many pages have sums in an index whose table begins at `tableOffset`; 0 for one of before there were sums. */
function pagesOf(header: Buffer, tableOffset: number): number {
  if (header.subarray(PAGES_AT).every((byte) => byte === 0)) return 0;
  const pages = header.readUInt32LE(PAGES_AT);
  const isRight = header.readUInt32LE(WHOLE_HEADER_CRC_AT) === crc32(header.subarray(0, WHOLE_HEADER_CRC_AT));
  if (!isRight || pages !== pagesUpTo(tableOffset - sumsBytes(pages))) {
    throw new IndexDamaged('The end of its header is damaged.');
  }
  return pages;
}
