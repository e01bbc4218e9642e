/** Streaming any range of a planned zip: computed headers, and data from the members' sources. */
import type { RangedSource } from '../source.ts';
import type { ZipLayout } from './zip-layout.ts';

/** Data of at least this many bytes is passed through from its source's stream; less is gathered. */
const LARGE_BYTES = 256 * 1024;
/** Gathered pieces make chunks of up to this size. */
const CHUNK_BYTES = 1024 * 1024;
/** Data of two members is fetched in one read when no more than this lies between them: a local header, not a member. */
const GAP_BYTES = 4096;

/** Each of the two buffers of `reuseLayout`. */
const REUSED_BYTES = 256 * 1024;

/** A part of the range, in order: bytes that were computed, or bytes to be fetched. */
type Piece<T> = { bytes: Uint8Array } | { source: T; offset: number; length: number };

/**
 * The bytes from `start` to `end` (exclusive) of a planned zip. `open` is called at most once for each source
 * that the range touches; the caller closes what it opened when the iteration has ended, and nothing reads
 * any more then. Large members come in the chunks of their source; small ones and headers are gathered into chunks of
 * up to 1 MiB, neighbours in a source with one read, and the next chunk is fetched while one is being sent.
 * Throws a RangeError for a range outside the zip, and an Error when a source gives fewer bytes than planned.
 */
export function streamLayout<T>(
  layout: ZipLayout<T>,
  start: number,
  end: number,
  open: (source: T) => Promise<RangedSource>,
): AsyncIterable<Uint8Array> {
  checkRange(layout, start, end);
  return streamPieces(pieces(layout, start, end), openedOnce(open));
}

function checkRange<T>(layout: ZipLayout<T>, start: number, end: number): void {
  if (!(start >= 0 && start <= end && end <= layout.size)) {
    throw new RangeError(`bytes ${start} to ${end} lie outside a zip of ${layout.size} bytes`);
  }
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

/**
 * The same bytes by way of two buffers that are used again and again, for gigabytes that shall not be left to the garbage
 * collector: a chunk may be overwritten once the next one is asked for. One buffer is being filled while the other is with
 * the consumer; when the iteration ends early, nothing reads any more.
 */
export async function* reuseLayout<T>(
  layout: ZipLayout<T>,
  start: number,
  end: number,
  open: (source: T) => Promise<RangedSource>,
): AsyncGenerator<Uint8Array, void, void> {
  checkRange(layout, start, end);
  const opened = openedOnce(open);
  const batches = gather(split(pieces(layout, start, end)), REUSED_BYTES);
  const fill = (buffer: Buffer) => {
    const next = batches.next();
    if (next.done) return null;
    const filling = fillBatch(next.value as Piece<T>[], opened, buffer);
    filling.catch(() => {});
    return filling;
  };
  let [spare, other] = [Buffer.allocUnsafeSlow(REUSED_BYTES), Buffer.allocUnsafeSlow(REUSED_BYTES)];
  let filling = fill(spare);
  try {
    while (filling !== null) {
      const bytes: Uint8Array = await filling;
      [spare, other] = [other, spare];
      filling = fill(spare);
      yield bytes;
    }
  } finally {
    await filling?.catch(() => {});
  }
}

/** Long data in pieces that each fit a buffer of `reuseLayout`. */
function* split<T>(all: Iterable<Piece<T>>): Generator<Piece<T>, void, void> {
  for (const piece of all) {
    const length = 'bytes' in piece ? piece.bytes.length : piece.length;
    for (let at = 0; at < length; at += REUSED_BYTES) {
      const end = Math.min(length, at + REUSED_BYTES);
      yield 'bytes' in piece
        ? { bytes: piece.bytes.subarray(at, end) }
        : { source: piece.source, offset: piece.offset + at, length: end - at };
    }
  }
}

async function* streamPieces<T>(
  all: Iterator<Piece<T>>,
  open: (source: T) => Promise<RangedSource>,
): AsyncGenerator<Uint8Array, void, void> {
  const batches = gather(all, CHUNK_BYTES, LARGE_BYTES);
  const begin = (): Fetch<T> | null => {
    const next = batches.next();
    if (next.done) return null;
    const batch = next.value;
    if (!Array.isArray(batch)) return { large: batch };
    const chunk = fetchBatch(batch, open);
    chunk.catch(() => {});
    return { chunk };
  };
  let current = begin();
  try {
    while (current !== null) {
      if ('large' in current) {
        yield* streamLarge(current.large, open);
        current = begin();
      } else {
        const chunk: Uint8Array = await current.chunk;
        current = begin();
        yield chunk;
      }
    }
  } finally {
    if (current !== null && 'chunk' in current) await Promise.allSettled([current.chunk]);
  }
}

type Data<T> = { source: T; offset: number; length: number };
type Fetch<T> = { large: Data<T> } | { chunk: Promise<Uint8Array> };

/** Puts pieces together: a large one is a batch by itself, others follow each other up to the size of a chunk. */
function* gather<T>(
  all: Iterator<Piece<T>>,
  chunkBytes: number,
  largeBytes = Number.POSITIVE_INFINITY,
): Generator<Data<T> | Piece<T>[], void, void> {
  let batch: Piece<T>[] = [];
  let bytes = 0;
  for (let next = all.next(); !next.done; next = all.next()) {
    const piece = next.value;
    const length = 'bytes' in piece ? piece.bytes.length : piece.length;
    if (length >= largeBytes && !('bytes' in piece)) {
      if (batch.length > 0) yield batch;
      batch = [];
      bytes = 0;
      yield piece;
      continue;
    }
    if (bytes + length > chunkBytes && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(piece);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}

async function* streamLarge<T>(
  data: Data<T>,
  open: (source: T) => Promise<RangedSource>,
): AsyncGenerator<Uint8Array, void, void> {
  const source = await open(data.source);
  let left = data.length;
  for await (const chunk of source.stream(data.offset, data.length)) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw shortSource(data, data.length - left);
}

function shortSource(data: { offset: number; length: number }, found: number): Error {
  return new Error(`a source gave ${found} bytes at ${data.offset}, where ${data.length} were planned`);
}

/** One chunk of gathered pieces. */
async function fetchBatch<T>(
  batch: Piece<T>[],
  open: (source: T) => Promise<RangedSource>,
): Promise<Uint8Array> {
  const length = batch.reduce(
    (sum, piece) => sum + ('bytes' in piece ? piece.bytes.length : piece.length),
    0,
  );
  return fillBatch(batch, open, Buffer.allocUnsafeSlow(length));
}

/** The same into a buffer that is large enough; gives the part of it that was filled. */
async function fillBatch<T>(
  batch: Piece<T>[],
  open: (source: T) => Promise<RangedSource>,
  chunk: Buffer,
): Promise<Uint8Array> {
  const reads: Read<T>[] = [];
  let at = 0;
  for (const piece of batch) {
    if ('bytes' in piece) {
      chunk.set(piece.bytes, at);
      at += piece.bytes.length;
      continue;
    }
    addToReads(reads, piece, at);
    at += piece.length;
  }
  await Promise.all(
    reads.map(async (read) => {
      const source = await open(read.source);
      const [only] = read.parts;
      if (read.parts.length === 1 && only !== undefined && source.readInto !== undefined) {
        return source.readInto(chunk.subarray(only.at, only.at + read.length), read.offset);
      }
      const bytes = await source.read(read.offset, read.length);
      if (bytes.length !== read.length) throw shortSource(read, bytes.length);
      for (const part of read.parts) {
        const from = part.offset - read.offset;
        chunk.set(bytes.subarray(from, from + part.length), part.at);
      }
    }),
  );
  return chunk.subarray(0, at);
}

/** One read of a source, and which of its bytes go where in the chunk. */
interface Read<T> extends Data<T> {
  parts: Array<{ offset: number; length: number; at: number }>;
}

function addToReads<T>(reads: Read<T>[], piece: Data<T>, at: number): void {
  const part = { offset: piece.offset, length: piece.length, at };
  const last = reads.at(-1);
  if (last !== undefined && last.source === piece.source) {
    const gap = piece.offset - (last.offset + last.length);
    if (gap >= 0 && gap <= GAP_BYTES) {
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

  const { count, directoryOffset } = layout;
  if (start < directoryOffset) {
    for (let i = lastAtOrBefore(count, start, (k) => layout.headerOffset(k)); i < count; i++) {
      const headerOffset = layout.headerOffset(i);
      if (headerOffset >= end) return;
      const dataOffset = layout.dataOffset(i);
      if (start < dataOffset) yield* computed(headerOffset, layout.localHeader(i));
      const part = clip(dataOffset, layout.compressedSize(i));
      if (part === null) continue;
      yield { source: layout.source(i), offset: layout.sourceOffset(i) + part[0], length: part[1] - part[0] };
    }
  }
  const endOffset = directoryOffset + layout.directoryBytes;
  if (start < endOffset) {
    for (let i = lastAtOrBefore(count, start, (k) => layout.recordOffset(k)); i < count; i++) {
      const recordOffset = layout.recordOffset(i);
      if (recordOffset >= end) return;
      yield* computed(recordOffset, layout.centralRecord(i));
    }
  }
  if (end > endOffset) yield* computed(endOffset, layout.endRecords());
}

/** The last of 0 … n-1 whose offset is not above the position, or 0. */
function lastAtOrBefore(n: number, position: number, offset: (i: number) => number): number {
  let low = 0;
  let high = n - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (offset(middle) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
