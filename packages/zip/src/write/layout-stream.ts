/** Streaming any range of a planned zip: computed headers, and data from the members' sources. */
import { firstWhere } from '@citymodel/base';
import { ARCHIVE_PAGE_BYTES } from '../index/member-index-format.ts';
import { type RangedSource, readInto } from '../source.ts';
import { STREAM_BUFFERS } from '../tables/shared-buffers.ts';
import type { ZipLayout } from './zip-layout.ts';

/** How sources are read. */
export interface LayoutReads {
  /** Data of two members is fetched in one read when no more bytes than this lie between them. */
  gap: number;
  /** Bytes of each buffer; gathered pieces make chunks of up to this size. */
  buffer: number;
  /** Buffers that are being filled while one is with the consumer. */
  ahead: number;
  /** Data that no buffer has room for is cut at multiples of this in its source, so that no page is read twice. */
  page: number;
}

/**
 * Of sources on a local disk: a gap is a local header, not a member, and a buffer is filled faster than one is sent.
 */
export const NEAR_READS: LayoutReads = {
  gap: 4 * 1024,
  buffer: 256 * 1024,
  ahead: 1,
  page: ARCHIVE_PAGE_BYTES,
};
/** Of sources that are a round trip away. */
export const FAR_READS: LayoutReads = {
  gap: 256 * 1024,
  buffer: 1024 * 1024,
  ahead: 8,
  page: ARCHIVE_PAGE_BYTES,
};

/** A part of the range, in order: bytes that were computed, or bytes to be fetched. */
type Piece<T> = { bytes: Uint8Array } | { source: T; offset: number; length: number };

/**
 * The bytes from `start` to `end` (exclusive) of a planned zip, in chunks of about the size of a buffer: neighbours in
 * a source come with one read. A chunk may be overwritten once the next one is asked for. There are few buffers, so
 * that gigabytes are not left to the garbage collector: others are being filled while one is with the consumer. `open`
 * is called at most once for each source that the range touches; the caller closes what it opened when the iteration
 * has ended, and nothing reads any more then. Throws a RangeError for a range outside the zip, and an Error when a
 * source gives fewer bytes than planned.
 */
export function streamLayout<T>(
  layout: ZipLayout<T>,
  start: number,
  end: number,
  open: (source: T) => Promise<RangedSource>,
  reads = NEAR_READS,
): AsyncGenerator<Uint8Array, void, void> {
  if (!(start >= 0 && start <= end && end <= layout.size)) {
    throw new RangeError(`bytes ${start} to ${end} lie outside a zip of ${layout.size} bytes`);
  }
  const buffer = Math.min(reads.buffer, end - start);
  return stream(pieces(layout, start, end), { ...reads, buffer }, openedOnce(open));
}

function openedOnce<T>(open: (source: T) => Promise<RangedSource>): typeof open {
  const opened = new Map<T, Promise<RangedSource>>();
  return (source) => {
    let promise = opened.get(source);
    if (promise === undefined) {
      promise = open(source);
      opened.set(source, promise);
    }
    return promise;
  };
}

async function* stream<T>(
  all: Iterable<Piece<T>>,
  reads: LayoutReads,
  open: (source: T) => Promise<RangedSource>,
): AsyncGenerator<Uint8Array, void, void> {
  const batches = gather(all, reads);
  const filling: { buffer: Buffer; bytes: Promise<Uint8Array> }[] = [];
  const fill = () => {
    const next = batches.next();
    if (next.done) return;
    const buffer = STREAM_BUFFERS.take(reads.buffer);
    const bytes = fillBatch(next.value, open, buffer, reads.gap);
    bytes.catch(() => {});
    filling.push({ buffer, bytes });
  };
  try {
    for (let i = 0; i < reads.ahead; i++) fill();
    for (let next = filling.shift(); next !== undefined; next = filling.shift()) {
      const bytes: Uint8Array = await next.bytes;
      fill();
      yield bytes;
      // A consumer that asks for no more may still look at its chunk, and then nobody gets the buffer again.
      STREAM_BUFFERS.give(next.buffer);
    }
  } finally {
    await Promise.allSettled(filling.map(({ bytes }) => bytes));
  }
}

type Data<T> = { source: T; offset: number; length: number };

const lengthOf = (piece: Piece<unknown>) => ('bytes' in piece ? piece.bytes.length : piece.length);

/** Puts pieces together that fit a buffer; long ones are divided, data at a page of its source where one begins. */
function* gather<T>(all: Iterable<Piece<T>>, reads: LayoutReads): Generator<Piece<T>[], void, void> {
  let batch: Piece<T>[] = [];
  let room = reads.buffer;
  for (const piece of all) {
    for (let at = 0; at < lengthOf(piece); ) {
      if (room === 0) {
        yield batch;
        batch = [];
        room = reads.buffer;
      }
      const rest = lengthOf(piece) - at;
      const length = rest <= room ? rest : cutAt(piece, at, room, reads.page);
      batch.push(
        'bytes' in piece
          ? { bytes: piece.bytes.subarray(at, at + length) }
          : { source: piece.source, offset: piece.offset + at, length },
      );
      at += length;
      room = length < rest ? 0 : room - length;
    }
  }
  if (batch.length > 0) yield batch;
}

/** How many bytes behind `at` go into a buffer that has less room than there are. */
function cutAt(piece: Piece<unknown>, at: number, room: number, page: number): number {
  if ('bytes' in piece) return room;
  const past = (piece.offset + at + room) % page;
  return past < room ? room - past : room;
}

/** Fetches pieces into a buffer that is large enough; gives the part of it that was filled. */
async function fillBatch<T>(
  batch: Piece<T>[],
  open: (source: T) => Promise<RangedSource>,
  chunk: Buffer,
  gap: number,
): Promise<Uint8Array> {
  const reads: Read<T>[] = [];
  let at = 0;
  for (const piece of batch) {
    if ('bytes' in piece) {
      chunk.set(piece.bytes, at);
      at += piece.bytes.length;
      continue;
    }
    addToReads(reads, piece, at, gap);
    at += piece.length;
  }
  await Promise.all(
    reads.map(async (read) => {
      const source = await open(read.source);
      const [only] = read.parts;
      if (read.parts.length === 1 && only !== undefined) {
        return readInto(source, chunk.subarray(only.at, only.at + read.length), read.offset);
      }
      // Where reading fails, something may still write into the buffer: then nobody gets it again.
      const buffer = STREAM_BUFFERS.take(read.length);
      await readInto(source, buffer.subarray(0, read.length), read.offset);
      for (const part of read.parts) {
        const from = part.offset - read.offset;
        chunk.set(buffer.subarray(from, from + part.length), part.at);
      }
      STREAM_BUFFERS.give(buffer);
    }),
  );
  return chunk.subarray(0, at);
}

/** One read of a source, and which of its bytes go where in the chunk. */
interface Read<T> extends Data<T> {
  parts: Array<{ offset: number; length: number; at: number }>;
}

function addToReads<T>(reads: Read<T>[], piece: Data<T>, at: number, maxGap: number): void {
  const part = { offset: piece.offset, length: piece.length, at };
  const last = reads.at(-1);
  if (last !== undefined && last.source === piece.source) {
    const gap = piece.offset - (last.offset + last.length);
    if (gap >= 0 && gap <= maxGap) {
      last.length += gap + piece.length;
      last.parts.push(part);
      return;
    }
  }
  reads.push({ ...piece, parts: [part] });
}

/** The pieces of a range: header and data of each member, the central records, the end records. */
function* pieces<T>(layout: ZipLayout<T>, start: number, end: number): Generator<Piece<T>, void, void> {
  /** The part of a piece at `offset` that lies in the range, or null. */
  const clip = (offset: number, length: number): [from: number, to: number] | null => {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, length);
    return from < to ? [from, to] : null;
  };
  const computed = (offset: number, bytes: Uint8Array): Piece<T>[] => {
    const part = clip(offset, bytes.length);
    return part === null ? [] : [{ bytes: bytes.subarray(part[0], part[1]) }];
  };

  const { count } = layout;
  for (let i = lastAtOrBefore(count, start, (k) => layout.headerOffset(k)); i < count; i++) {
    const headerOffset = layout.headerOffset(i);
    if (headerOffset >= end) return;
    const dataOffset = layout.dataOffset(i);
    if (start < dataOffset) yield* computed(headerOffset, layout.localHeader(i));
    const part = clip(dataOffset, layout.compressedSize(i));
    if (part === null) continue;
    yield { source: layout.source(i), offset: layout.sourceOffset(i) + part[0], length: part[1] - part[0] };
  }
  for (let i = lastAtOrBefore(count, start, (k) => layout.recordOffset(k)); i < count; i++) {
    const recordOffset = layout.recordOffset(i);
    if (recordOffset >= end) return;
    yield* computed(recordOffset, layout.centralRecord(i));
  }
  yield* computed(layout.directoryOffset + layout.directoryBytes, layout.endRecords());
}

/** The last of 0 … n-1 whose offset is not above the position, or 0. */
function lastAtOrBefore(n: number, position: number, offset: (i: number) => number): number {
  return Math.max(0, firstWhere(n, (i) => offset(i) > position) - 1);
}
