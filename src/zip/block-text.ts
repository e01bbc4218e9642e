import { constants, inflateRaw, inflateRawSync } from 'node:zlib';
import type { BlockTable } from './block-table.ts';
import { inflateWhole } from './inflate.ts';
import type { Member } from './member.ts';
import type { RangedSource } from './source.ts';

export interface BlockTextOptions {
  /** Bytes of the text that are needed, from the beginning of the block. */
  needed: number;
  /** On a thread of the pool, side by side with others; else on the calling thread, which is sooner for one block alone. */
  pooled: boolean;
}

/** Of a block from which more than this part is needed, all is inflated. */
const WORTH_A_PART = 0.85;
/**
 * How much more of the data than its even share is inflated for a part of the text. Blocks are nearly even: with
 * these, none of 2,000 features in building files needed a second try, and half the time of inflating goes.
 */
const PART_FACTOR = 1.1;
const PART_MORE = 2_048;

/**
 * The text of block `i` of a seekable member up to at least `needed` bytes, by one read of exactly the block's data.
 * Throws MemberDamaged when the data is not what the table says, as far as it was inflated.
 */
export async function blockText(
  archive: RangedSource,
  member: Pick<Member, 'path' | 'offset'>,
  blocks: BlockTable,
  i: number,
  { needed, pooled }: BlockTextOptions,
): Promise<Uint8Array> {
  const start = blocks.dataOffset(i);
  const data = await archive.read(member.offset + start, blocks.dataOffset(i + 1) - start);
  const size = blocks.textOffset(i + 1) - blocks.textOffset(i);
  if (needed < size * WORTH_A_PART) {
    const share = Math.ceil((data.length * needed * PART_FACTOR) / size) + PART_MORE;
    const expected = Math.min(size, Math.ceil((share * size) / data.length));
    const text = await inflatePart(data.subarray(0, share), expected, pooled);
    if (text !== null && text.length >= needed && text.length <= size) return text;
  }
  const promised = { name: member.path, compressedSize: data.length, size, crc32: 0 };
  return inflateWhole(data, promised, { ended: i === blocks.count - 1, pooled });
}

/**
 * What the beginning of a block's data gives, into memory for a little more than is expected: what is allocated is
 * collected again, and of blocks by the hundred that takes longer than inflating. Null when it is no deflate, which
 * inflating the whole will say better.
 */
async function inflatePart(data: Uint8Array, expected: number, pooled: boolean): Promise<Uint8Array | null> {
  const options = { chunkSize: Math.ceil(expected * 1.1) + 16_384, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (!pooled) return inflateRawSync(data, options);
    return await new Promise<Uint8Array>((resolve, reject) => {
      inflateRaw(data, options, (error, text) => (error === null ? resolve(text) : reject(error)));
    });
  } catch {
    return null;
  }
}
