/**
 * A pack's layout as an object. Every server serves the same bytes from it for as long as the pack lives, whatever a
 * later version of the program would choose. Little-endian throughout:
 *
 *     0   "citypack"            8 u32 format version     12 u32 number of members n
 *    16 u32 bytes of archives  20 u32 bytes of names     24 f64 bytes of the zip
 *    32 u32 CRC-32 of everything behind the header      36 u32 CRC-32 of the header up to here
 *    40   archives: JSON array of [key, SHA-256, sums of pages (see known-pages.ts) in Base64],
 *         filled up with blanks to a multiple of 8;
 *         layouts of before there were sums have no third part, and programs of before do not look at it
 *     …   f64[n] offset in the archive, f64[n] compressed bytes, f64[n] bytes,
 *         u32[n] CRC-32, u32[n] time / 2 s, u32[n] archive × 2 + 1 for deflate, u32[n] where the name ends,
 *         names in UTF-8 one behind the other
 */

import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { backgroundSlices, STEPS } from '@citymodel/base';
import {
  type ColumnLayout,
  columnBytes,
  columnsOver,
  MemberDamaged,
  type PlannedMember,
  planZipInSlices,
  type ZipLayout,
} from '@citymodel/zip';
import { KnownPages } from './known-pages.ts';
import type { PackArchive } from './plan-pack.ts';

const MAGIC = 'citypack';
const VERSION = 1;
const HEADER_BYTES = 40;
/** 2 s units keep times until 2242 in 32 bits. */
const TIME_UNIT = 2_000;

/** What a layout says of an archive. */
type ArchiveEntry = [key: string, sha256: string, pages?: string];

function archiveEntry({ key, sha256, pages }: PackArchive): ArchiveEntry {
  return pages === null ? [key, sha256] : [key, sha256, pages.encode().toString('base64')];
}

/** The object for a layout, made in slices. */
export async function encodeLayout(layout: ZipLayout<PackArchive>): Promise<Buffer> {
  const slices = backgroundSlices();
  const n = layout.count;
  const numbers = new Map<PackArchive, number>();
  const names: Buffer[] = [];
  let nameBytes = 0;
  for (let i = 0; i < n; i++) {
    const archive = layout.source(i);
    if (!numbers.has(archive)) numbers.set(archive, numbers.size);
    const name = Buffer.from(layout.member(i).name, 'utf8');
    names.push(name);
    nameBytes += name.length;
    if (i % STEPS === 0 && slices.due()) await slices.pause();
  }
  const json = JSON.stringify([...numbers.keys()].map(archiveEntry));
  const archives = Buffer.from(json + ' '.repeat(-Buffer.byteLength(json) & 7), 'utf8');
  const file = Buffer.from(new ArrayBuffer(fileBytes(n, archives.length, nameBytes)));
  archives.copy(file, HEADER_BYTES);
  const c = columns(file.buffer, HEADER_BYTES + archives.length, n, nameBytes);
  let end = 0;
  for (let i = 0; i < n; i++) {
    const member = layout.member(i);
    c.offset[i] = member.offset;
    c.compressedSize[i] = member.compressedSize;
    c.size[i] = member.size;
    c.crc32[i] = member.crc32;
    c.modified[i] = member.modified / TIME_UNIT;
    c.source[i] = numbers.get(member.source)! * 2 + (member.method === 8 ? 1 : 0);
    c.names.set(names[i]!, end);
    end += names[i]!.length;
    c.nameEnd[i] = end;
    if (i % STEPS === 0 && slices.due()) await slices.pause();
  }
  file.write(MAGIC, 0, 'latin1');
  file.writeUInt32LE(VERSION, 8);
  file.writeUInt32LE(n, 12);
  file.writeUInt32LE(archives.length, 16);
  file.writeUInt32LE(nameBytes, 20);
  file.writeDoubleLE(layout.size, 24);
  file.writeUInt32LE(crc32(file.subarray(HEADER_BYTES)), 32);
  file.writeUInt32LE(crc32(file.subarray(0, 36)), 36);
  return file;
}

/**
 * The layout in an object, read in slices. Throws MemberDamaged, which says what was found, for anything but a whole
 * layout, and an Error for one of another version.
 */
export async function decodeLayout(bytes: Uint8Array): Promise<ZipLayout<PackArchive>> {
  // Numbers of 8 bytes must lie at multiples of 8.
  const file = Buffer.from(new ArrayBuffer(bytes.length));
  file.set(bytes);
  const magic = file.toString('latin1', 0, 8);
  if (magic !== MAGIC) {
    throw damaged(`the layout of a pack begins with "${MAGIC}"; found ${JSON.stringify(magic)}`);
  }
  if (file.length < HEADER_BYTES || file.readUInt32LE(36) !== crc32(file.subarray(0, 36))) {
    throw damaged('the header of the layout is damaged: its CRC-32 differs');
  }
  if (file.readUInt32LE(8) !== VERSION) {
    throw new Error(`layouts of format version ${VERSION} are read; found version ${file.readUInt32LE(8)}`);
  }
  const n = file.readUInt32LE(12);
  const archiveBytes = file.readUInt32LE(16);
  const nameBytes = file.readUInt32LE(20);
  if (file.length !== fileBytes(n, archiveBytes, nameBytes)) {
    throw damaged(
      `a layout of ${n} members has ${fileBytes(n, archiveBytes, nameBytes)} bytes; found ${file.length}`,
    );
  }
  if (file.readUInt32LE(32) !== crc32(file.subarray(HEADER_BYTES))) {
    throw damaged('the layout is damaged: its CRC-32 differs');
  }
  const json = file.toString('utf8', HEADER_BYTES, HEADER_BYTES + archiveBytes);
  const archives = (JSON.parse(json) as ArchiveEntry[]).map(([key, sha256, pages]) => ({
    key,
    sha256,
    pages: pages === undefined ? null : KnownPages.decode(Buffer.from(pages, 'base64'), key),
  }));
  const c = columns(file.buffer, HEADER_BYTES + archiveBytes, n, nameBytes);
  const layout = await planZipInSlices(members(c, n, archives), backgroundSlices());
  if (layout.size !== file.readDoubleLE(24)) {
    throw new Error(
      `the layout gives a zip of ${layout.size} bytes; it was written for ${file.readDoubleLE(24)}`,
    );
  }
  return layout;
}

function damaged(found: string): MemberDamaged {
  return new MemberDamaged('CRC_MISMATCH', 'the layout of a pack', found);
}

type Columns = ReturnType<typeof columns>;

function* members(
  c: Columns,
  n: number,
  archives: readonly PackArchive[],
): Generator<PlannedMember<PackArchive>> {
  for (let i = 0; i < n; i++) {
    yield {
      name: c.names.toString('utf8', i === 0 ? 0 : c.nameEnd[i - 1], c.nameEnd[i]),
      source: archives[c.source[i]! >>> 1]!,
      method: c.source[i]! % 2 === 1 ? 8 : 0,
      offset: c.offset[i]!,
      compressedSize: c.compressedSize[i]!,
      size: c.size[i]!,
      crc32: c.crc32[i]!,
      modified: c.modified[i]! * TIME_UNIT,
    };
  }
}

/** The columns of n members, whose names have so many bytes. */
function memberLayout(n: number, nameBytes: number) {
  return {
    offset: ['f64', n],
    compressedSize: ['f64', n],
    size: ['f64', n],
    crc32: ['u32', n],
    modified: ['u32', n],
    source: ['u32', n],
    nameEnd: ['u32', n],
    names: ['bytes', nameBytes],
  } as const satisfies ColumnLayout;
}

function columns(file: ArrayBufferLike, base: number, n: number, nameBytes: number) {
  if (endianness() !== 'LE') throw new Error('layouts are read and written on little-endian machines only');
  return columnsOver(memberLayout(n, nameBytes), file, base);
}

function fileBytes(n: number, archiveBytes: number, nameBytes: number): number {
  return HEADER_BYTES + archiveBytes + columnBytes(memberLayout(n, nameBytes));
}
