import { crc32 } from 'node:zlib';
import { firstWhere } from '@citymodel/base';
import type { BlockChecks } from './block-checks.ts';
import { MemberDamaged } from './member-damaged.ts';
import { asBuffer } from './zip-format.ts';

/**
 * Encoded form, little-endian:
 *
 *     0  4 bytes  "SDBT"
 *     4  u32      format version, 1
 *     8  u32      number of blocks n
 *    12  n × u32  text bytes of each block
 *        n × u32  data bytes of each block
 */
const MAGIC = 'SDBT';
const VERSION = 1;
const HEADER_BYTES = 12;

/** Bytes `[start, end)` of a text. */
export interface PartRange {
  start: number;
  end: number;
}

/** What is inflated before the data of a block that does not begin with an empty window. */
export interface Head {
  /** The same for all heads of a table, and shared, so that a message to another thread names it once. */
  memory: Uint8Array;
  /** Where its two pieces of deflate data are in it, which follow each other in one stream with the data of the block. */
  first: PartRange;
  second: PartRange;
  /** Text that they give, which is none of the block's. */
  textBytes: number;
}

/** Deflate data of a head and of what comes behind it. */
export function behindHead(head: Head | null, data: Uint8Array): Uint8Array[] {
  if (head === null) return [data];
  const { memory, first, second } = head;
  return [memory.subarray(first.start, first.end), memory.subarray(second.start, second.end), data];
}

/**
 * Where the blocks of a seekable member begin, in its text and in its deflate data; or the pieces of these blocks (see
 * block-pieces.ts), which are read in the same way. At least one block.
 */
export class BlockTable {
  readonly count: number;
  /** `count + 1` offsets each; the last are the sizes of text and data. */
  readonly #text: Float64Array;
  readonly #data: Float64Array;
  /** What is known of its blocks, and of the sections beside it; null for indexes of before there were checks. */
  readonly checks: BlockChecks | null;
  /** What is inflated before block `i`; null for one that is independent. */
  readonly head: (i: number) => Head | null;

  private constructor(
    text: Float64Array,
    data: Float64Array,
    checks: BlockChecks | null,
    head: (i: number) => Head | null,
  ) {
    this.checks = checks;
    this.head = head;
    this.count = text.length - 1;
    this.#text = text;
    this.#data = data;
  }

  /** From the bytes of text and data of each block. Throws a RangeError unless both lists are as long and not empty. */
  static fromLengths(text: ArrayLike<number>, data: ArrayLike<number>): BlockTable {
    if (text.length !== data.length || text.length === 0) {
      throw new RangeError(
        `a block table needs as many text as data lengths, at least one; found ${text.length} and ${data.length}`,
      );
    }
    return new BlockTable(sums(text), sums(data), null, noHead);
  }

  /** Where block `i` begins in the uncompressed text; `textOffset(count)` is the text's size. */
  textOffset(i: number): number {
    return at(this.#text, i);
  }

  /** Where block `i` begins in the member's data; `dataOffset(count)` is the data's size. */
  dataOffset(i: number): number {
    return at(this.#data, i);
  }

  /** The block that holds the byte of the text at this offset; for the end of the text the last block. */
  find(textOffset: number): number {
    if (!(textOffset >= 0 && textOffset <= at(this.#text, this.count))) {
      throw new RangeError(`offset ${textOffset} lies outside a text of ${at(this.#text, this.count)} bytes`);
    }
    return firstWhere(this.count, (i) => at(this.#text, i) > textOffset) - 1;
  }

  /** The same table with checks, and with heads where its blocks have some. */
  withChecks(checks: BlockChecks | null, head = this.head): BlockTable {
    return new BlockTable(this.#text, this.#data, checks, head);
  }

  /**
   * Throws MemberDamaged, with the name of the member, unless the data of a block is what was packed, as far as that is
   * known.
   */
  checkData(i: number, data: Uint8Array, member: string): void {
    const expected = this.checks?.blocks[i];
    if (expected === undefined || crc32(data) === expected) return;
    throw new MemberDamaged(
      'CRC_MISMATCH',
      member,
      `The CRC-32 of the data of its block ${i} is not what the index says.`,
    );
  }

  encode(): Uint8Array {
    const bytes = Buffer.alloc(HEADER_BYTES + this.count * 8);
    bytes.write(MAGIC, 0, 'latin1');
    bytes.writeUInt32LE(VERSION, 4);
    bytes.writeUInt32LE(this.count, 8);
    for (let i = 0; i < this.count; i++) {
      bytes.writeUInt32LE(this.textOffset(i + 1) - this.textOffset(i), HEADER_BYTES + 4 * i);
      bytes.writeUInt32LE(this.dataOffset(i + 1) - this.dataOffset(i), HEADER_BYTES + 4 * (this.count + i));
    }
    return bytes;
  }

  /** Throws an Error for anything but a whole table of this version. */
  static decode(encoded: Uint8Array): BlockTable {
    const bytes = asBuffer(encoded);
    const magic = bytes.toString('latin1', 0, 4);
    if (magic !== MAGIC)
      throw new Error(`a block table begins with "${MAGIC}"; found ${JSON.stringify(magic)}`);
    if (bytes.length < HEADER_BYTES)
      throw new Error(`a block table has at least ${HEADER_BYTES} bytes; found ${bytes.length}`);
    const version = bytes.readUInt32LE(4);
    if (version !== VERSION)
      throw new Error(`block tables of version ${VERSION} are read; found version ${version}`);
    const count = bytes.readUInt32LE(8);
    if (count === 0 || bytes.length !== HEADER_BYTES + count * 8) {
      throw new Error(
        `a block table of ${count} blocks has ${HEADER_BYTES + count * 8} bytes and at least one block; found ` +
          `${bytes.length} bytes`,
      );
    }
    const lengths = (from: number) =>
      Uint32Array.from({ length: count }, (_, i) => bytes.readUInt32LE(from + 4 * i));
    return BlockTable.fromLengths(lengths(HEADER_BYTES), lengths(HEADER_BYTES + 4 * count));
  }
}

function noHead(): null {
  return null;
}

function at(offsets: Float64Array, i: number): number {
  const offset = offsets[i];
  if (offset === undefined) throw new RangeError(`block ${i} of ${offsets.length - 1}`);
  return offset;
}

function sums(lengths: ArrayLike<number>): Float64Array {
  const offsets = new Float64Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) offsets[i + 1] = (offsets[i] as number) + (lengths[i] as number);
  return offsets;
}
