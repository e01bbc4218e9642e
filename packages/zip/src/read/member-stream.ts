/** Serving a member of an archive out of the archive's bytes: as it is, or as gzip, whole or by range. */
import { crc32 } from 'node:zlib';
import { firstWhere } from '@citymodel/base';
import type { BlockTable } from '../block-table.ts';
import type { Member } from '../member.ts';
import { MemberDamaged } from '../member-damaged.ts';
import type { RangedSource } from '../source.ts';
import { DEFLATED, STORED } from '../zip-format.ts';
import { type KnownData, NOTHING_KNOWN, POOLED_TEXT, readData, readTwice, streamData } from './data-check.ts';
import { checkCrc, checked, inflateStream, inflateWhole, promisedOf } from './inflate.ts';

/** Compressed bytes of neighbouring blocks that are read at once. */
const READ_BYTES = 512 * 1024;
/** Text of blocks that are read and inflated while one is sent. */
const AHEAD_BYTES = 2 * 1024 * 1024;
/** Data and text of a member that is read and inflated as a whole, bytes. */
const SMALL_DATA = 256 * 1024;
const SMALL_TEXT = 1024 * 1024;

/**
 * Whether a part of a member is compared with something of its own: with its CRC-32, because the member is read as a
 * whole, or with those of its blocks. Any other part has to be read out of an archive whose pages are compared.
 */
export function partIsChecked(member: Member, blocks: BlockTable | null): boolean {
  return blocks === null ? isSmall(member) : blocks.checks !== null;
}

function isSmall(member: Member): boolean {
  return member.compressedSize <= SMALL_DATA && member.size <= SMALL_TEXT;
}

/**
 * The uncompressed bytes from `start` to `end` (exclusive). A small member is read and checked as a whole. Of a large
 * stored one exactly these bytes are read; of a seekable one the blocks that hold them, checked where the index has
 * checks, several in one read and inflated side by side; of another deflate member everything up to `end`, because
 * inflating can only start at its beginning. When the whole member is asked for, its last piece comes when its CRC is
 * right; a small one is read once more when it is not. Throws a RangeError for a range outside the member,
 * MemberDamaged when its data is not what the index says.
 */
export function identityRange(
  archive: RangedSource,
  member: Member,
  blocks: BlockTable | null,
  start: number,
  end: number,
): AsyncIterable<Uint8Array> {
  checkRange(start, end, member.size, member.path);
  if (start === end) return emptyStream();
  const promised = promisedOf(member);
  const isWhole = start === 0 && end === member.size;
  if (isSmall(member) && blocks === null) return partOfWhole(archive, member, start, end);
  const chunks =
    member.method === STORED
      ? archive.stream(member.offset + start, end - start)
      : blocks === null
        ? cut(inflateStream(archive.stream(member.offset, member.compressedSize), promised), start, end)
        : blockRange(archive, member, blocks, start, end);
  return telling(archive, member, isWhole ? checked(chunks, promised) : chunks);
}

async function* partOfWhole(
  archive: RangedSource,
  member: Member,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, void> {
  yield (await readWhole(archive, member)).subarray(start, end);
}

/** The chunks; damage is told to the source, so that nothing of it is read again. */
async function* telling(
  archive: RangedSource,
  member: Member,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof MemberDamaged) await archive.damaged?.(member.offset, member.compressedSize);
    throw error;
  }
}

function checkRange(start: number, end: number, size: number, unit: string): void {
  if (!(start >= 0 && start <= end && end <= size)) {
    throw new RangeError(`bytes ${start} to ${end} lie outside ${unit} of ${size} bytes`);
  }
}

async function* emptyStream(): AsyncGenerator<Uint8Array, void, void> {}

/** The bytes from `start` to `end` of a stream. Reaching the stream's end lets it check itself. */
async function* cut(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, void> {
  let at = 0;
  for await (const chunk of chunks) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, chunk.length);
    at += chunk.length;
    if (to > from) yield chunk.subarray(from, to);
    // At the very end the loop goes on, for the inflater to see that nothing follows.
    if (at > end) return;
  }
}

/** Neighbouring blocks are read together; while one is sent, the next are inflated side by side. */
async function* blockRange(
  archive: RangedSource,
  member: Member,
  blocks: BlockTable,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, void> {
  if (
    blocks.textOffset(blocks.count) !== member.size ||
    blocks.dataOffset(blocks.count) !== member.compressedSize
  ) {
    throw new MemberDamaged(
      'HEADERS_DISAGREE',
      member.path,
      `Its block table is for ${blocks.textOffset(blocks.count)} bytes in ${blocks.dataOffset(blocks.count)}; the ` +
        `index says ${member.size} in ${member.compressedSize}.`,
    );
  }
  const last = blocks.find(end - 1);
  const first = blocks.find(start);
  const ahead: Array<Promise<Uint8Array>> = [];
  /** The next block to begin with; blocks from `groupStart` to `groupEnd` come with the read `group`. */
  let next = first;
  let groupStart = first;
  let groupEnd = first;
  let group: Promise<Uint8Array> = Promise.resolve(new Uint8Array(0));
  const fill = (sending: number) => {
    while (
      next <= last &&
      (next === sending || blocks.textOffset(next) - blocks.textOffset(sending) < AHEAD_BYTES)
    ) {
      if (next === groupEnd) {
        groupStart = next;
        groupEnd = readEnd(blocks, groupStart, last);
        const base = blocks.dataOffset(groupStart);
        group = archive.read(member.offset + base, blocks.dataOffset(groupEnd) - base);
      }
      const block = inflateBlock(archive, member, blocks, next, { group, start: groupStart }, first < last);
      // A failure is seen when the block's turn comes.
      block.catch(() => {});
      ahead.push(block);
      next++;
    }
  };
  try {
    for (let i = first; i <= last; i++) {
      fill(i);
      const text = await (ahead.shift() as Promise<Uint8Array>);
      const at = blocks.textOffset(i);
      const from = Math.max(start - at, 0);
      const to = Math.min(end - at, text.length);
      yield text.subarray(from, to);
    }
  } finally {
    // The archive may be closed by the caller now; nothing must still be reading it.
    await Promise.allSettled(ahead);
  }
}

/** The end (exclusive) of the blocks that are read together with the given one. */
function readEnd(blocks: BlockTable, first: number, last: number): number {
  let end = first + 1;
  while (end <= last && blocks.dataOffset(end + 1) - blocks.dataOffset(first) <= READ_BYTES) end++;
  return end;
}

/** The text of block `i`, out of a group of blocks that begins with `start`. Damaged data is read once more. */
async function inflateBlock(
  archive: RangedSource,
  member: Member,
  blocks: BlockTable,
  i: number,
  { group, start }: { group: Promise<Uint8Array>; start: number },
  pooled: boolean,
): Promise<Uint8Array> {
  const base = blocks.dataOffset(start);
  const read = (await group).subarray(blocks.dataOffset(i) - base, blocks.dataOffset(i + 1) - base);
  const size = blocks.textOffset(i + 1) - blocks.textOffset(i);
  const inflate = (data: Uint8Array) => {
    blocks.checkData(i, data, member.path);
    const promised = { name: member.path, compressedSize: data.length, size };
    return inflateWhole(data, promised, { ended: i === blocks.count - 1, pooled });
  };
  try {
    return await inflate(read);
  } catch (error) {
    if (!(error instanceof MemberDamaged)) throw error;
    const at = member.offset + blocks.dataOffset(i);
    await archive.damaged?.(at, read.length);
    return inflate(await archive.read(at, read.length));
  }
}

/** Header and trailer of a gzip file (RFC 1952, section 2.3). */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, DEFLATED, 0, 0, 0, 0, 0, 0, 255);
const GZIP_TRAILER_BYTES = 8;

/** Bytes of the member as a gzip file. Throws a TypeError for a stored member. */
export function gzipSize(member: Member): number {
  if (member.method !== DEFLATED) {
    throw new TypeError(
      `${member.path} is stored; only deflate members can be sent as gzip without compressing`,
    );
  }
  return GZIP_HEADER.length + member.compressedSize + GZIP_TRAILER_BYTES;
}

/**
 * Bytes `start` to `end` (exclusive) of the member as a gzip file: the member's own deflate bytes between a header
 * without name and time, the same on every server, and a trailer of CRC-32 and size modulo 2^32. A chunk may be
 * overwritten once the next one is asked for. Of the whole form the last piece of data comes when all of it is right; a
 * small one is read once more when it is not, and MemberDamaged is thrown when it stays so. A part of a seekable member
 * is checked block by block where `blocks` have checks. Throws a RangeError for a range outside it, a TypeError for a
 * stored member.
 */
export function gzipRange(
  archive: RangedSource,
  member: Member,
  start: number,
  end: number,
  known: KnownData = NOTHING_KNOWN,
  blocks: BlockTable | null = null,
): AsyncIterable<Uint8Array> {
  checkRange(start, end, gzipSize(member), `the gzip form of ${member.path}`);
  return gzipPieces(archive, member, start, end, known, blocks);
}

async function* gzipPieces(
  archive: RangedSource,
  member: Member,
  start: number,
  end: number,
  known: KnownData,
  blocks: BlockTable | null,
): AsyncGenerator<Uint8Array, void, void> {
  const dataStart = GZIP_HEADER.length;
  const dataEnd = dataStart + member.compressedSize;
  if (start < Math.min(dataStart, end)) yield GZIP_HEADER.subarray(start, end);
  const from = Math.max(start, dataStart);
  const to = Math.min(end, dataEnd);
  const isWhole = from === dataStart && to === dataEnd;
  if (from >= to) {
    // Nothing of the data.
  } else if (member.compressedSize <= SMALL_DATA) {
    const data = await readData(archive, member, known);
    yield data.subarray(from - dataStart, to - dataStart);
  } else if (isWhole) {
    yield* streamData(archive, member, known, true);
  } else if (blocks?.checks) {
    yield* dataOfBlocks(archive, member, blocks, from - dataStart, to - dataStart);
  } else {
    yield* archive.stream(member.offset + from - dataStart, to - from, { lent: true });
  }
  if (end > dataEnd && end > start) {
    const trailer = Buffer.alloc(GZIP_TRAILER_BYTES);
    trailer.writeUInt32LE(member.crc32, 0);
    trailer.writeUInt32LE(member.size % 0x1_0000_0000, 4);
    yield trailer.subarray(Math.max(0, start - dataEnd), end - dataEnd);
  }
}

/** Neighbouring blocks that are being read: from `base` in the data, up to the block `past`. */
interface BlockGroup {
  data: Promise<Uint8Array>;
  base: number;
  past: number;
}

/** Bytes of the data of a seekable member from `start` to `end` (exclusive); its blocks are read whole and checked. */
async function* dataOfBlocks(
  archive: RangedSource,
  member: Member,
  blocks: BlockTable,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, void> {
  const holding = (offset: number) => firstWhere(blocks.count, (i) => blocks.dataOffset(i + 1) > offset);
  const last = holding(end - 1);
  const read = (first: number): BlockGroup => {
    const past = readEnd(blocks, first, last);
    const base = blocks.dataOffset(first);
    const data = readTwice(archive, member.offset + base, blocks.dataOffset(past) - base, (bytes) => {
      for (let i = first; i < past; i++) {
        const block = bytes.subarray(blocks.dataOffset(i) - base, blocks.dataOffset(i + 1) - base);
        blocks.checkData(i, block, member.path);
      }
      return bytes;
    });
    // A failure is seen when its turn comes.
    data.catch(() => {});
    return { data, base, past };
  };
  let next: BlockGroup | null = read(holding(start));
  try {
    while (next !== null) {
      const { data, base, past }: BlockGroup = next;
      next = past <= last ? read(past) : null;
      const bytes = await data;
      yield bytes.subarray(Math.max(start - base, 0), Math.min(end - base, bytes.length));
    }
  } finally {
    // The archive may be closed by the caller now.
    await next?.data.catch(() => {});
  }
}

/**
 * The whole member, uncompressed, with its CRC checked; it is read once more when that differs. The caller bounds
 * `member.size`. Throws MemberDamaged.
 */
export async function readWhole(archive: RangedSource, member: Member): Promise<Uint8Array> {
  const promised = promisedOf(member);
  return readTwice(archive, member.offset, member.compressedSize, async (data) => {
    const bytes =
      member.method === STORED
        ? data
        : await inflateWhole(data, promised, { ended: true, pooled: member.size > POOLED_TEXT });
    checkCrc(promised, crc32(bytes));
    return bytes;
  });
}
