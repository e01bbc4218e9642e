/**
 * The index object beside an archive: path → where the member lies, without reading the zip, and the sections
 * (block tables, feature indexes, dependencies) that ingestion made of it. Little-endian throughout:
 *
 *     0              header, 64 bytes
 *     64             sections, each beginning at a multiple of 8
 *     behind them    u32[p] CRC-32 of each page of the object that has sections (see page-sums.ts),
 *                    padded to a multiple of 8
 *     tableOffset    member table: columns over all n members in the order of their paths' bytes
 *
 *     header:  0 "citymidx"          8 u32 format version    12 u32 n
 *             16 u64 tableOffset    24 u64 tableBytes        32 u32 pathBytes   36 u32 number of sections s
 *             40 u32 CRC-32 of the table    44 u32 CRC-32 of the header up to here
 *             48 u32 CRC-32 of everything between header and table
 *             52 u32 number of pages p      56 u32 CRC-32 of their sums as they stand
 *             60 u32 CRC-32 of the header up to here
 *
 * Indexes of before there were sums have zeros from 52 on. Programs of before read those with sums, too, of the archive
 * as well.
 *
 *     table:  f64[n] offset, f64[n] compressedSize, f64[n] size, f64[s] section offset,
 *             u32[s] section bytes, u32[s] section owner × 4 + kind, ascending (owner n is the archive itself; the
 *             pieces of member i are (n + 1) × 4 + i, which programs of before do not look for),
 *             u32[n] crc32, u32[n] modified / 2 s, u32[n] where the path ends,
 *             u32[n] member numbers in the order of the hashes of their folded paths, u32[n] these hashes,
 *             u8[32n] sha256, u8[n] method, the paths in UTF-8 one behind the other, footer
 *
 * The footer counts as the end of the paths. It is the header once more with "citymend" in place of "citymidx", the
 * CRC-32 of the table up to the footer, and its own CRC-32. So the end of the object is enough to open it. Indexes of
 * before have none; programs of before read those with one.
 *
 * A reader reads the footer or the header, then the table, and each section by its range when it is wanted. The table
 * takes 81 bytes a member and the path, and is used as it was read: no object is made for a member until it is asked
 * for.
 */

import { hash } from 'node:crypto';
import { endianness } from 'node:os';
import type { SectionName } from '../member.ts';
import { foldName } from '../member-name.ts';
import { type ColumnLayout, columnBytes, columnsOver } from '../tables/column-layout.ts';

export const MAGIC = 'citymidx';
export const FOOTER_MAGIC = 'citymend';
export const VERSION = 1;
export const HEADER_BYTES = 64;
export const FOOTER_BYTES = HEADER_BYTES;
export const TABLE_CRC_AT = 40;
export const HEADER_CRC_AT = 44;
export const SECTIONS_CRC_AT = 48;
export const PAGES_AT = 52;
export const SUMS_CRC_AT = 56;
/** CRC-32 of all before it. */
export const WHOLE_HEADER_CRC_AT = 60;
/** Kinds of sections, by their number in the table; the pieces of blocks are numbered behind all others. */
export const SECTIONS: readonly SectionName[] = ['blocks', 'features', 'dependencies', 'checks'];
/** Kind of the section of the archive that has the CRC-32 of each of its pages, u32 each. */
export const ARCHIVE_SUMS = 0;
/**
 * Bytes of a page of an archive, part of the format: as many as stores keep of a remote object at once, so that reading
 * whole pages asks a bucket for no more.
 */
export const ARCHIVE_PAGE_BYTES = 32 * 1024;
/**
 * How sections of one member lie behind each other: a block table and its checks are read at once, and far away with
 * the end of the feature index before them.
 */
export const SECTION_ORDER: readonly SectionName[] = [
  'pieces',
  'features',
  'blocks',
  'checks',
  'dependencies',
];

/** How the table numbers a section of member `i` of n. */
export function sectionNumber(n: number, i: number, name: SectionName): number {
  return name === 'pieces' ? (n + 1) * 4 + i : i * 4 + SECTIONS.indexOf(name);
}
/** Sections begin at a multiple of so many bytes. */
export const SECTION_UNIT = 8;

/** The columns of a table of n members, s sections and paths of so many bytes, the footer included. */
function tableLayout(n: number, s: number, pathBytes: number) {
  return {
    offset: ['f64', n],
    compressedSize: ['f64', n],
    size: ['f64', n],
    sectionOffset: ['f64', s],
    sectionBytes: ['u32', s],
    sectionOwner: ['u32', s],
    crc32: ['u32', n],
    modified: ['u32', n],
    pathEnd: ['u32', n],
    folded: ['u32', n],
    foldedHash: ['u32', n],
    sha256: ['u8', 32 * n],
    method: ['u8', n],
    paths: ['bytes', pathBytes],
  } as const satisfies ColumnLayout;
}

/** The columns of a table, over its bytes. */
export function columns(table: ArrayBufferLike, base: number, n: number, s: number, pathBytes: number) {
  return columnsOver(tableLayout(n, s, pathBytes), table, base);
}

/** Bytes of a table of n members, s sections and paths of so many bytes. */
export function tableBytes(n: number, s: number, pathBytes: number): number {
  return columnBytes(tableLayout(n, s, pathBytes));
}

/** 2 s units keep times until 2242 in 32 bits. */
export const TIME_UNIT = 2000;

/** Hash and member number share the 53 bits of a sort key. */
export const MAX_MEMBERS = 2 ** 21;

/** 32 bits of the folded path's SHA-1: nobody can prepare a package whose paths all collide. */
export function foldedHash(path: string): number {
  return hash('sha1', foldName(path), 'buffer').readUInt32LE();
}

/** Columns are used as they lie in memory, so the machine's byte order must be the format's. */
export function assertLittleEndian(): void {
  if (endianness() !== 'LE')
    throw new Error('member indexes are read and written on little-endian machines only');
}
