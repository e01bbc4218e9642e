import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { blanked } from '../blanked.ts';
import { encodePieces, WINDOW_BYTES, WINDOW_DEFLATE, type WrittenPiece } from '../block-pieces.ts';
import { BlockTable } from '../block-table.ts';
import { BufferPool } from '../tables/buffer-pool.ts';
import { type CompressedPiece, compressPieces, KeptDeflate } from './block-compressor.ts';

export interface SeekableDeflateOptions {
  /** zlib level, 1 to 9; 6 when absent. */
  level?: number;
  /** Least bytes of text that a block should have; 88 KiB when absent. */
  target?: number;
  /** What share of a block its pieces may cost together; 0.012 when absent. */
  pieceCost?: number;
  /** Blocks in work at once, on the threads of the libuv pool; 4 when absent. */
  concurrency?: number;
  /** CRC-32 of the text, where a reader checks that; reckoned here when absent. */
  crc32?: number;
  /**
   * Buffers of `textBufferBytes(target)` for the text of blocks, which many texts in turn may share; its own when
   * absent.
   */
  buffers?: BufferPool;
  /** Receives the compressed bytes in order, one call at a time; the next waits for the promise. */
  onBytes: (chunk: Uint8Array) => Promise<void> | void;
}

export interface SeekableResult {
  blocks: BlockTable;
  /** CRC-32 of the data of each block. */
  blockCrcs: readonly number[];
  /** Where inflating may start within blocks (see block-pieces.ts); null where it may not. */
  pieces: Uint8Array | null;
  /** CRC-32 of the text. */
  crc32: number;
  /** Bytes of text. */
  size: number;
  /** Bytes handed to `onBytes`. */
  compressedSize: number;
}

/**
 * Compresses a text as independent raw-deflate blocks that together are one ordinary raw-deflate stream
 * (RFC 1951): each block starts with an empty window and ends on a byte boundary with a sync flush, the last
 * one ends the stream. So the whole inflates as usual, and inflating may also start at any block.
 *
 * ```
 * const deflate = new SeekableDeflate({ onBytes: (bytes) => member.write(bytes) });
 * for await (const chunk of text) {
 *   for (const end of featureEnds(chunk)) deflate.cutAt(end); // the hints first …
 *   await deflate.push(chunk);                                // … then the text they are about
 * }
 * const { blocks, crc32, size, compressedSize } = await deflate.end();
 * ```
 *
 * How long blocks are: a block costs what its empty window costs, 0.3 to 1.3 kB in GML whatever its length. That is
 * measured once, on the text after three targets, with the window and without. The size S is then chosen between one
 * and four targets, so that the cost stays below 4 % where it can: a caller of one feature inflates half a block for
 * it. Only the text and the hints decide, so the same text gives the same bytes on every machine.
 *
 * Where a block that begins at s ends:
 *
 * ```
 *   s                 s+0.75S         s+1.25S       s+1.5S
 *   ├────────────────────┼───────────────┼─────────────┤
 *                        └─ last hint ───┘             └ more text than this: cut now
 *                        or, without one, here ┘
 * ```
 *
 * A cut is decided once there is more text than s+1.5S, and the rest becomes one block at the end: no block is
 * longer than 1.5S, that is six targets, and only a text that is shorter itself has a block below 0.25S.
 *
 * A block is divided at hints into pieces of about equal length, from which inflating may start, too. A piece is
 * compressed behind its window: the 10 KiB of text before it, but with zeros in place of numbers. As its own text has
 * no zeros, nothing in it refers to these places, so that the whole stays one stream. The window is kept beside the
 * data (see block-pieces.ts). What a piece costs is measured with the cost of a block. A block has so many pieces that
 * they cost little more than 1 % of it: with 2 %, ingestion takes a tenth more processor time than without pieces. A
 * block with zeros in its text is one piece.
 */
export class SeekableDeflate {
  readonly #level: number;
  readonly #target: number;
  readonly #pieceCost: number;
  readonly #concurrency: number;
  readonly #buffers: BufferPool;
  readonly #knownCrc32: number | undefined;
  readonly #onBytes: (chunk: Uint8Array) => Promise<void> | void;

  /** S above; null until there is text enough to tell. */
  #size: number | null = null;
  /**
   * What share of its text a block takes, at a guess, which room is made for: that of all GML until it was measured.
   */
  #share = 0.25;
  /** Text that belongs to no block yet: the first `#used` bytes. Taken with the first text. */
  #text: Buffer | null = null;
  #used = 0;
  /** Where the next block begins, from the start of the text. */
  #blockStart = 0;
  /** Hints beyond #blockStart, ascending. */
  #hints: number[] = [];
  /** Blocks in work, oldest first; each promise resolves when its bytes have been taken. */
  #inWork: Promise<void>[] = [];
  readonly #textLengths: number[] = [];
  readonly #dataLengths: number[] = [];
  readonly #blockCrcs: number[] = [];
  /** How long a block is for each further piece. */
  #pieceSize = Number.POSITIVE_INFINITY;
  /** The window of the first piece that has one. */
  #shared: Uint8Array | null = null;
  #windowDeflate: KeptDeflate | null = null;
  #windowsInWork: Promise<unknown> = Promise.resolve();
  readonly #windowBytes: number;
  readonly #pieces: WrittenPiece[] = [];
  #crc32 = 0;
  #compressedSize = 0;
  #state: 'open' | 'ended' | 'abandoned' = 'open';

  constructor(options: SeekableDeflateOptions) {
    this.#level = options.level ?? 6;
    this.#target = options.target ?? TARGET_BYTES;
    this.#pieceCost = options.pieceCost ?? MAX_PIECE_COST;
    this.#concurrency = options.concurrency ?? 4;
    this.#knownCrc32 = options.crc32;
    this.#onBytes = options.onBytes;
    if (!(Number.isInteger(this.#target) && this.#target >= 4 && this.#concurrency >= 1)) {
      throw new RangeError(
        `target ${this.#target} must be an integer from 4, concurrency ${this.#concurrency} at least 1`,
      );
    }
    this.#windowBytes = Math.min(WINDOW_BYTES, this.#target >> 1);
    this.#buffers = options.buffers ?? new BufferPool(textBufferBytes(this.#target));
  }

  /**
   * Says that a feature ends at this offset, counted from the start of the whole text. Offsets come
   * ascending (one that goes back is ignored) and may lie ahead of the text pushed so far. A hint counts
   * when it is given before the push that brings the text to 1.5 S beyond the block's start; giving the hints of a
   * chunk before pushing the chunk is always early enough.
   */
  cutAt(textOffset: number): void {
    if (textOffset > (this.#hints.at(-1) ?? this.#blockStart)) this.#hints.push(textOffset);
  }

  /**
   * Adds text. The bytes are copied: once it has resolved, they may change. Resolves when no more than
   * `concurrency` blocks are in work. Rejects with what `onBytes` threw for an earlier block.
   */
  async push(chunk: Uint8Array): Promise<void> {
    this.#assertOpen();
    if (this.#knownCrc32 === undefined) this.#crc32 = crc32(chunk, this.#crc32);
    let from = 0;
    for (;;) {
      const enough = bytesToCut(this.#size ?? SAMPLE_TARGETS * this.#target);
      from += this.#fill(chunk, from, enough);
      if (this.#used < enough) return;
      if (this.#size === null) {
        this.#size = await this.#chooseSize();
      } else {
        this.#startBlock(this.#cutLength(this.#size), false);
        while (this.#inWork.length > this.#concurrency) await this.#inWork.shift();
      }
      this.#assertOpen();
    }
  }

  /** Compresses what is left and resolves when all bytes have been taken. Rejects as push does. */
  async end(): Promise<SeekableResult> {
    this.#assertOpen();
    this.#state = 'ended';
    const size = this.#blockStart + this.#used;
    this.#startBlock(this.#used, true);
    await Promise.all(this.#inWork);
    this.#windowDeflate?.close();
    return {
      blocks: BlockTable.fromLengths(this.#textLengths, this.#dataLengths),
      blockCrcs: this.#blockCrcs,
      pieces: this.#encodedPieces(),
      crc32: this.#knownCrc32 ?? this.#crc32,
      size,
      compressedSize: this.#compressedSize,
    };
  }

  /** Gives up: `onBytes` is not called any more once this has resolved, whatever was in work. */
  async abandon(): Promise<void> {
    this.#state = 'abandoned';
    this.#giveBack(this.#text);
    this.#text = null;
    await Promise.allSettled(this.#inWork);
    this.#windowDeflate?.close();
  }

  #assertOpen(): void {
    if (this.#state !== 'open') throw new Error(`the deflate stream has been ${this.#state}`);
  }

  /**
   * Deflates some text with the window before it, with the window of a piece and without any, and weighs the
   * differences.
   */
  async #chooseSize(): Promise<number> {
    const target = this.#target;
    const start = SAMPLE_TARGETS * target;
    const text = this.#text!.subarray(0, Math.min(this.#used, start + SAMPLE_BYTES));
    const sample = text.subarray(start);
    const window = text.subarray(Math.max(0, start - DEFLATE_WINDOW_BYTES), start);
    const pieceWindow = blanked(window.subarray(-this.#windowBytes));
    const anotherWindow = blanked(sample.subarray(-this.#windowBytes));
    const [alone, primed, piece, windowData] = await Promise.all([
      this.#compress(sample),
      this.#compress(sample, window),
      this.#compress(sample, pieceWindow),
      this.#compress(anotherWindow, pieceWindow),
    ]);
    this.#share = (1.25 * alone.length) / sample.length;
    const rate = primed.length / sample.length;
    const lengthFor = (cost: number, share: number) => cost / (share * rate);
    const pieceCost = piece.length - primed.length + windowData.length + PIECE_NUMBERS_BYTES;
    this.#pieceSize = Math.max(lengthFor(pieceCost, this.#pieceCost), target);
    // A block is 1.2 sizes long on average where there are hints.
    const size = lengthFor(alone.length - primed.length, MAX_COST) / 1.2;
    return Math.min(Math.max(size, target), MAX_TARGETS * target);
  }

  /** How long the next block is; there is more text than 1.5 sizes. */
  #cutLength(size: number): number {
    const from = this.#blockStart + Math.ceil(0.75 * size);
    const to = this.#blockStart + Math.floor(1.25 * size);
    const last = this.#hints[this.#hintsUpTo(to) - 1] ?? -1;
    return (last >= from ? last : to) - this.#blockStart;
  }

  /** How many hints there are up to an offset. */
  #hintsUpTo(offset: number): number {
    const beyond = this.#hints.findIndex((hint) => hint > offset);
    return beyond < 0 ? this.#hints.length : beyond;
  }

  /** Where the pieces of a block end, offsets in its text, and takes its hints. */
  #pieceEnds(text: Uint8Array): number[] {
    const hints = this.#hints.splice(0, this.#hintsUpTo(this.#blockStart + text.length));
    const ends: number[] = [];
    const count = text.includes(0) ? 1 : 1 + Math.floor(text.length / this.#pieceSize);
    let next = 0;
    for (let k = 1; k < count; k++) {
      let end = 0;
      for (; next < hints.length; next++) {
        const hint = (hints[next] as number) - this.#blockStart;
        if (hint > (k * text.length) / count) break;
        end = hint;
      }
      // A window lies within its block.
      if (end >= Math.max(this.#windowBytes, (ends.at(-1) ?? 0) + 1) && end < text.length) ends.push(end);
    }
    return [...ends, text.length];
  }

  async #compressBlock(text: Uint8Array, last: boolean): Promise<CompressedPiece[]> {
    const ends = this.#pieceEnds(text);
    if (ends.length === 1) {
      return [{ textBytes: text.length, data: await this.#compress(text, undefined, last), window: null }];
    }
    const windows = ends
      .slice(0, -1)
      .map((start) => blanked(text.subarray(start - this.#windowBytes, start)));
    const options = { level: this.#level, chunkSize: roomFor(text.length, this.#share) };
    const [data, windowData] = await Promise.all([
      compressPieces(text, ends, windows, options),
      this.#compressWindows(windows),
    ]);
    if (last) data.push(Buffer.concat([data.pop()!, LAST_BLOCK]));
    return ends.map((end, i) => ({
      textBytes: end - (ends[i - 1] ?? 0),
      data: data[i]!,
      window: windowData[i - 1] ?? null,
    }));
  }

  /** Data of windows behind the shared one, which is the first of all. One block has its turn after the other. */
  #compressWindows(windows: readonly Uint8Array[]): Promise<Uint8Array[]> {
    this.#shared ??= windows[0]!;
    this.#windowDeflate ??= new KeptDeflate({ ...WINDOW_DEFLATE, dictionary: this.#shared });
    const deflate = this.#windowDeflate;
    const before = this.#windowsInWork;
    const compressed = (async () => {
      await before;
      const data: Uint8Array[] = [];
      for (const window of windows) {
        deflate.reset();
        data.push(await deflate.write(window));
      }
      return data;
    })();
    this.#windowsInWork = compressed;
    return compressed;
  }

  #encodedPieces(): Uint8Array | null {
    return this.#shared === null ? null : encodePieces(this.#pieces, this.#shared);
  }

  /** Copies text from `chunk[from]` on until there are `enough` bytes of it; how many that were. */
  #fill(chunk: Uint8Array, from: number, enough: number): number {
    const count = Math.min(chunk.length - from, enough - this.#used);
    if (count <= 0) return 0;
    this.#text ??= this.#buffers.take();
    this.#text.set(
      from === 0 && count === chunk.length ? chunk : chunk.subarray(from, from + count),
      this.#used,
    );
    this.#used += count;
    return count;
  }

  #startBlock(length: number, last: boolean): void {
    const buffer = this.#text;
    const text = buffer === null ? new Uint8Array(0) : buffer.subarray(0, length);
    const rest = this.#used - length;
    this.#text = null;
    this.#used = 0;
    if (rest > 0) this.#fill(buffer!.subarray(length, length + rest), 0, rest);
    const before = this.#inWork.at(-1);
    const compressing = this.#compressBlock(text, last);
    this.#blockStart += length;
    const written = (async () => {
      const [pieces] = await Promise.all([compressing, before]);
      this.#giveBack(buffer);
      if (this.#state !== 'abandoned') await this.#write(length, pieces);
    })();
    // A failure is seen by the one who awaits it next, in push or end.
    written.catch(() => {});
    this.#inWork.push(written);
  }

  async #write(textBytes: number, pieces: readonly CompressedPiece[]): Promise<void> {
    let crc = 0;
    let dataBytes = 0;
    for (const { data, ...piece } of pieces) {
      this.#pieces.push({ ...piece, dataBytes: data.length, crc32: crc32(data) });
      crc = crc32(data, crc);
      dataBytes += data.length;
    }
    this.#textLengths.push(textBytes);
    this.#dataLengths.push(dataBytes);
    this.#blockCrcs.push(crc);
    this.#compressedSize += dataBytes;
    await this.#onBytes(
      pieces.length === 1 ? pieces[0]!.data : Buffer.concat(pieces.map(({ data }) => data)),
    );
  }

  #compress(text: Uint8Array, dictionary?: Uint8Array, last = false): Promise<Uint8Array> {
    return compress(text, this.#level, this.#share, last, dictionary);
  }

  #giveBack(buffer: Buffer | null): void {
    if (buffer !== null) this.#buffers.give(buffer);
  }
}

/** Least bytes of a block when the caller names no other. */
const TARGET_BYTES = 88 * 1024;
/**
 * Targets that the size of a block may be, and those after which it is measured: features begin some way down the file.
 */
const MAX_TARGETS = 4;
const SAMPLE_TARGETS = 3;

/** How much text decides where a block of about `size` bytes ends. */
function bytesToCut(size: number): number {
  return Math.floor(1.5 * size) + 1;
}

/** Bytes of a buffer that holds the text of any block, before it is cut, at this target. */
export function textBufferBytes(target = TARGET_BYTES): number {
  return bytesToCut(MAX_TARGETS * target);
}

/**
 * The window of deflate (RFC 1951, section 2), how much text is measured with it, and what a block may cost, and all
 * pieces of a block together.
 */
const DEFLATE_WINDOW_BYTES = 32 * 1024;
const SAMPLE_BYTES = 32 * 1024;
const MAX_COST = 0.04;
const MAX_PIECE_COST = 0.012;
/** What is kept of a piece beside its window. */
const PIECE_NUMBERS_BYTES = 16;
/** Ends a deflate stream at a byte border: a last block without text (RFC 1951, section 3.2.6). */
const LAST_BLOCK = Uint8Array.of(0x03, 0x00);
/** Text that is compressed on the calling thread, in 0.1 ms. */
const UNPOOLED_BYTES = 8 * 1024;

/** Room for data that takes up at most `share` of so many bytes of text. */
function roomFor(textBytes: number, share: number): number {
  return Math.max(1024, Math.ceil(textBytes * share));
}

/**
 * One block, on the pool unless it is so short that the way there and back takes longer. Its data should
 * take up at most `share` of the text: room for that is made at once, so that one visit to the pool is enough.
 */
function compress(
  text: Uint8Array,
  level: number,
  share: number,
  last: boolean,
  dictionary?: Uint8Array,
): Promise<Uint8Array> {
  const options = {
    level,
    ...(dictionary === undefined ? {} : { dictionary }),
    chunkSize: roomFor(text.length, share),
    finishFlush: last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
  };
  if (text.length <= UNPOOLED_BYTES) return Promise.resolve(deflateRawSync(text, options));
  return new Promise((resolve, reject) => {
    deflateRaw(text, options, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
}
