import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { BlockTable } from './block-table.ts';

export interface SeekableDeflateOptions {
  /** zlib level, 1 to 9; 6 when absent. */
  level?: number;
  /** Least bytes of text that a block should have; 256 KiB when absent. */
  target?: number;
  /** Blocks in work at once, on the threads of the libuv pool; 4 when absent. */
  concurrency?: number;
  /** Receives the compressed bytes in order, one call at a time; the next waits for the promise. */
  onBytes: (chunk: Uint8Array) => Promise<void> | void;
}

export interface SeekableResult {
  blocks: BlockTable;
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
 * How long blocks are: a block costs what its empty window costs, 0.3 to 1.3 kB in GML whatever its length.
 * That is measured once, on the text around the first target (with the window and without), and the size S is
 * chosen between one and two targets so that it stays below 2 % where it can. On real GML that is 256 KiB
 * where a block of it compresses to 35 kB, and 512 KiB where it compresses to 16 kB; all blocks together cost
 * 1.7 % over all packages and 2.2 % in the worst, where blocks of 256 KiB throughout cost 3.1 % and 4.6 %.
 * Only the text and the hints decide, so the same text gives the same bytes on every machine.
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
 * longer than 1.5S, that is three targets, and only a text that is shorter itself has a block below 0.25S.
 */
export class SeekableDeflate {
  readonly #level: number;
  readonly #target: number;
  readonly #concurrency: number;
  readonly #onBytes: (chunk: Uint8Array) => Promise<void> | void;

  /** S above; null until there is text enough to tell. */
  #size: number | null = null;
  /** Text that belongs to no block yet. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Where the next block begins, from the start of the text. */
  #blockStart = 0;
  /** Hints beyond #blockStart, ascending. */
  #hints: number[] = [];
  /** Blocks in work, oldest first; each promise resolves when its bytes have been taken. */
  #inWork: Promise<void>[] = [];
  readonly #textLengths: number[] = [];
  readonly #dataLengths: number[] = [];
  #crc32 = 0;
  #compressedSize = 0;
  #state: 'open' | 'ended' | 'abandoned' = 'open';

  constructor(options: SeekableDeflateOptions) {
    this.#level = options.level ?? 6;
    this.#target = options.target ?? 256 * 1024;
    this.#concurrency = options.concurrency ?? 4;
    this.#onBytes = options.onBytes;
    if (!(Number.isInteger(this.#target) && this.#target >= 4 && this.#concurrency >= 1)) {
      throw new RangeError(
        `target ${this.#target} must be an integer from 4, concurrency ${this.#concurrency} at least 1`,
      );
    }
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
   * Adds text. The bytes are not copied and must not change until `end` has resolved. Resolves when no more than
   * `concurrency` blocks are in work. Rejects with what `onBytes` threw for an earlier block.
   */
  async push(chunk: Uint8Array): Promise<void> {
    this.#assertOpen();
    if (chunk.length === 0) return;
    this.#crc32 = crc32(chunk, this.#crc32);
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#size === null && this.#pendingBytes > 1.5 * this.#target) {
      this.#size = await this.#chooseSize();
      this.#assertOpen();
    }
    while (this.#size !== null && this.#pendingBytes > 1.5 * this.#size) {
      this.#startBlock(this.#cutLength(this.#size), false);
      while (this.#inWork.length > this.#concurrency) await this.#inWork.shift();
      this.#assertOpen();
    }
  }

  /** Compresses what is left and resolves when all bytes have been taken. Rejects as push does. */
  async end(): Promise<SeekableResult> {
    this.#assertOpen();
    this.#state = 'ended';
    const size = this.#blockStart + this.#pendingBytes;
    this.#startBlock(this.#pendingBytes, true);
    await Promise.all(this.#inWork);
    return {
      blocks: BlockTable.fromLengths(this.#textLengths, this.#dataLengths),
      crc32: this.#crc32,
      size,
      compressedSize: this.#compressedSize,
    };
  }

  /** Gives up: `onBytes` is not called any more once this has resolved, whatever was in work. */
  async abandon(): Promise<void> {
    this.#state = 'abandoned';
    this.#pending = [];
    await Promise.allSettled(this.#inWork);
  }

  #assertOpen(): void {
    if (this.#state !== 'open') throw new Error(`the deflate stream has been ${this.#state}`);
  }

  /** Deflates a piece of text with the window before it and without, and weighs the difference. */
  async #chooseSize(): Promise<number> {
    const target = this.#target;
    const start = target;
    const text = Buffer.concat(this.#pending, Math.min(this.#pendingBytes, start + SAMPLE_BYTES));
    const sample = text.subarray(start, Math.floor(1.5 * target));
    const window = text.subarray(Math.max(0, start - WINDOW_BYTES), start);
    const [alone, after] = await Promise.all([
      compress(sample, this.#level, false),
      compress(sample, this.#level, false, window),
    ]);
    const cost = alone.length - after.length;
    const rate = after.length / sample.length;
    // A block is 1.2 sizes long on average where there are hints.
    return Math.min(Math.max(cost / (MAX_COST * rate) / 1.2, target), 2 * target);
  }

  /** How long the next block is; there is more text than 1.5 sizes. */
  #cutLength(size: number): number {
    const from = this.#blockStart + Math.ceil(0.75 * size);
    const to = this.#blockStart + Math.floor(1.25 * size);
    let known = 0;
    while (known < this.#hints.length && (this.#hints[known] as number) <= to) known++;
    const last = this.#hints[known - 1] ?? -1;
    const end = last >= from ? last : to;
    this.#hints.splice(0, known);
    return end - this.#blockStart;
  }

  #startBlock(length: number, last: boolean): void {
    const text = this.#take(length);
    this.#blockStart += length;
    const before = this.#inWork.at(-1);
    const compressing = compress(text, this.#level, last);
    const written = (async () => {
      const [bytes] = await Promise.all([compressing, before]);
      if (this.#state === 'abandoned') return;
      this.#textLengths.push(length);
      this.#dataLengths.push(bytes.length);
      this.#compressedSize += bytes.length;
      await this.#onBytes(bytes);
    })();
    // A failure is seen by whoever awaits it next, in push or end.
    written.catch(() => {});
    this.#inWork.push(written);
  }

  /** Takes text off the front of what is pending: without copying when it lies in one chunk. */
  #take(length: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let missing = length;
    let used = 0;
    while (missing > 0) {
      const chunk = this.#pending[used] as Uint8Array;
      if (chunk.length <= missing) {
        parts.push(chunk);
        used++;
        missing -= chunk.length;
      } else {
        parts.push(chunk.subarray(0, missing));
        this.#pending[used] = chunk.subarray(missing);
        missing = 0;
      }
    }
    this.#pending.splice(0, used);
    this.#pendingBytes -= length;
    return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts, length);
  }
}

/** The window of deflate (RFC 1951, section 2), how much text is measured with it, and what a block may cost. */
const WINDOW_BYTES = 32 * 1024;
const SAMPLE_BYTES = 32 * 1024;
const MAX_COST = 0.02;
/** Text that is compressed on the calling thread, in 0.1 ms. */
const UNPOOLED_BYTES = 8 * 1024;

/**
 * One block, on the pool unless it is so short that the way there and back takes longer. The output chunk holds what
 * 256 KiB of GML give, so that one visit to the pool is enough.
 */
function compress(
  text: Uint8Array,
  level: number,
  last: boolean,
  dictionary?: Uint8Array,
): Promise<Uint8Array> {
  const options = {
    level,
    ...(dictionary === undefined ? {} : { dictionary }),
    chunkSize: Math.max(1024, Math.ceil(text.length / 4)),
    finishFlush: last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
  };
  if (text.length <= UNPOOLED_BYTES) return Promise.resolve(deflateRawSync(text, options));
  return new Promise((resolve, reject) => {
    deflateRaw(text, options, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
}
