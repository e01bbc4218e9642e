import { constants, createInflateRaw, deflateRawSync, type InflateRaw, type ZlibOptions } from 'node:zlib';
import { type BlockTable, behindHead, type Head, type PartRange } from '../block-table.ts';
import { engineOf } from '../engine.ts';
import type { Member } from '../member.ts';
import { inflateWhole } from './inflate.ts';

/**
 * Inflates parts of blocks on the calling thread, into memory that is used again. The functions of node:zlib inflate a
 * block of 600 KB into new memory each time: 2.5 times the work for half a block, and as much again for the
 * collector. This leaves nothing to collect but the part. Where the engine is not as
 * expected, node:zlib's own function does the work.
 */
export class BlockInflater {
  readonly #options: ZlibOptions;
  #stream: InflateRaw | null = null;
  /** Never empty: the engine refuses memory that has no address, also where no text is wanted. */
  #output: Buffer = Buffer.alloc(1);
  /**
   * True when the engine is as expected. False means that a release of Node.js has changed it: answers are the same and
   * take three times the processor time.
   */
  readonly isFast: boolean;

  /** Blocks that node:zlib's own function has inflated: none unless data is damaged or `isFast` is false. */
  plainBlocks = 0;

  /** `options`: of the data, such as its dictionary. */
  constructor(options: ZlibOptions = {}) {
    this.#options = options;
    const text = Buffer.alloc(SAMPLE_TEXT.length);
    this.isFast = this.#inflate([SAMPLE], text, text.length) && text.equals(SAMPLE_TEXT);
  }

  /**
   * Copies of parts of the text of block `i`, offsets from its beginning, of whose data all is given. Throws
   * MemberDamaged when the data is not what the table says, as far as it was inflated.
   */
  async parts(
    data: Uint8Array,
    member: Pick<Member, 'path'>,
    blocks: BlockTable,
    i: number,
    ranges: readonly PartRange[],
  ): Promise<Uint8Array[]> {
    const head = blocks.head(i);
    if (this.isFast && this.#inflateOwn(data, head, endOf(ranges))) {
      return behind(head, ranges).map(({ start, end }) => Buffer.from(this.#output.subarray(start, end)));
    }
    this.plainBlocks++;
    const all = head === null ? data : Buffer.concat(behindHead(head, data));
    const size = blocks.textOffset(i + 1) - blocks.textOffset(i) + (head?.textBytes ?? 0);
    const promised = { name: member.path, compressedSize: all.length, size };
    const text = await inflateWhole(all, promised, { ended: i === blocks.count - 1, pooled: false });
    return behind(head, ranges).map(({ start, end }) => text.subarray(start, end));
  }

  /**
   * Copies parts of the text of a block, behind its head, into the target, one behind the other. False when the data is
   * not deflate or has too little text, or the engine is not as expected.
   */
  copyParts(data: Uint8Array, head: Head | null, ranges: readonly PartRange[], target: Uint8Array): boolean {
    if (!this.isFast || !this.#inflateOwn(data, head, endOf(ranges))) return false;
    let at = 0;
    for (const { start, end } of behind(head, ranges)) {
      target.set(this.#output.subarray(start, end), at);
      at += end - start;
    }
    return true;
  }

  /** Fills the target with the first of the text of a block. False as `copyParts`. */
  fill(data: Uint8Array, target: Uint8Array): boolean {
    return this.isFast && (target.length === 0 || this.#inflate([data], target, target.length));
  }

  /** Puts so many bytes of text, behind that of the head, into memory that is used again; false when that failed. */
  #inflateOwn(data: Uint8Array, head: Head | null, length: number): boolean {
    const before = head?.textBytes ?? 0;
    const all = before + length;
    if (this.#output.length < all) this.#output = Buffer.allocUnsafeSlow(Math.ceil(all * 1.25));
    return this.#inflate(behindHead(head, data), this.#output, all, before);
  }

  /** Inflates data that follows each other until there are so many bytes of text; the last has those from `lastAt` on. */
  #inflate(data: readonly Uint8Array[], output: Uint8Array, length: number, lastAt = 0): boolean {
    if (this.#stream === null || this.#stream.destroyed) {
      this.#stream = createInflateRaw(this.#options);
      this.#stream.on('error', () => {});
    }
    const found = engineOf(this.#stream);
    if (found === null) return false;
    const { engine, left } = found;
    let missing = length;
    let before = 0;
    for (const bytes of data) {
      before = length - missing;
      engine.writeSync(constants.Z_SYNC_FLUSH, bytes, 0, bytes.length, output, before, missing);
      // Data that is no deflate ends the stream; the next call makes another.
      if (this.#stream.destroyed) return false;
      missing = left[0] as number;
    }
    engine.reset();
    return missing === 0 && before === lastAt;
  }
}

const SAMPLE_TEXT = Buffer.from('<gml:posList/>'.repeat(2));
const SAMPLE = deflateRawSync(SAMPLE_TEXT);

/** Bytes of the text up to the end of the last of the parts. */
function endOf(ranges: readonly PartRange[]): number {
  return ranges.reduce((largest, { end }) => Math.max(largest, end), 0);
}

/** The ranges in the text of the block with its head before it. */
function behind(head: Head | null, ranges: readonly PartRange[]): readonly PartRange[] {
  if (head === null) return ranges;
  const { textBytes } = head;
  return ranges.map(({ start, end }) => ({ start: start + textBytes, end: end + textBytes }));
}
