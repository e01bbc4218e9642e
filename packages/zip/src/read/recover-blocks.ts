import { constants, crc32, inflateRawSync } from 'node:zlib';
import { BlockTable } from '../block-table.ts';
import type { Member } from '../member.ts';
import type { RangedSource } from '../source.ts';

/** What a sync flush leaves behind: an empty stored block (RFC 1951, section 3.2.4), from a byte boundary on. */
export const FLUSH = Buffer.from([0x00, 0x00, 0xff, 0xff]);
/**
 * Data by which a beginning is tried: what is none refers to text before it, or is no deflate at all. That much has
 * more text than any reference of deflate goes back, 32 KiB. So a piece, which refers to its window, is no beginning.
 */
const TRIED_BYTES = 34 * 1024;

/**
 * Finds the blocks of a seekable member in its deflate data alone. It serves archives whose block table is lost, or in
 * a format that is no longer read. The data is in memory meanwhile. Throws an Error when it does not consist of
 * independent blocks, or is not what the member's size and CRC-32 say.
 */
export async function recoverBlocks(
  archive: RangedSource,
  member: Pick<Member, 'path' | 'offset' | 'compressedSize' | 'size' | 'crc32'>,
): Promise<BlockTable> {
  const bytes = await archive.read(member.offset, member.compressedSize);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text: number[] = [];
  const lengths: number[] = [];
  let crc = 0;
  let size = 0;
  for (let start = 0; start < data.length; ) {
    const end = blockEnd(data, start);
    const finishFlush = end === data.length ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    const inflated = inflateRawSync(data.subarray(start, end), { finishFlush });
    crc = crc32(inflated, crc);
    size += inflated.length;
    text.push(inflated.length);
    lengths.push(end - start);
    start = end;
  }
  if (size !== member.size || crc !== member.crc32) {
    throw new Error(
      `the blocks found in ${member.path} give ${size} bytes with the CRC-32 ${crc}; expected ${member.size} with ` +
        `${member.crc32}`,
    );
  }
  return BlockTable.fromLengths(text, lengths);
}

/** After the first flush from which inflating can start anew, or the end of the data. */
function blockEnd(data: Buffer, start: number): number {
  for (let at = data.indexOf(FLUSH, start); at >= 0; at = data.indexOf(FLUSH, at + 1)) {
    const end = at + FLUSH.length;
    if (end < data.length && isBeginning(data.subarray(end, end + TRIED_BYTES))) return end;
  }
  return data.length;
}

function isBeginning(data: Buffer): boolean {
  try {
    // What ends a stream behind a flush is no block.
    return inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH }).length > 0;
  } catch {
    return false;
  }
}
