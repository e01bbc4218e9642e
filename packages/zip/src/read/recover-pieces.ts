import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { blanked } from '../blanked.ts';
import { encodePieces, WINDOW_BYTES, WINDOW_DEFLATE, type WrittenPiece } from '../block-pieces.ts';
import type { BlockTable } from '../block-table.ts';
import type { Member } from '../member.ts';
import type { RangedSource } from '../source.ts';
import { asBuffer } from '../zip-format.ts';
import { FLUSH } from './recover-blocks.ts';

const SYNC = { finishFlush: constants.Z_SYNC_FLUSH };

/**
 * Finds the pieces of the blocks of a seekable member in its data, and gives them as `encodePieces` does; null where
 * there are none. One block is in memory at a time. Throws an Error for data that is no deflate.
 */
export async function recoverPieces(
  archive: RangedSource,
  member: Pick<Member, 'offset'>,
  blocks: BlockTable,
): Promise<Uint8Array | null> {
  const pieces: WrittenPiece[] = [];
  let shared: Uint8Array | null = null;
  for (let i = 0; i < blocks.count; i++) {
    const from = blocks.dataOffset(i);
    const data = asBuffer(await archive.read(member.offset + from, blocks.dataOffset(i + 1) - from));
    const text = inflateRawSync(data, SYNC);
    let start = { text: 0, data: 0 };
    let window: Uint8Array | null = null;
    const add = (end: typeof start) => {
      const piece = data.subarray(start.data, end.data);
      const windowData =
        window === null
          ? null
          : deflateRawSync(window, { ...WINDOW_DEFLATE, dictionary: shared as Uint8Array });
      pieces.push({
        textBytes: end.text - start.text,
        dataBytes: piece.length,
        crc32: crc32(piece),
        window: windowData,
      });
      start = end;
    };
    // A block with zeros has one piece; what looks like many flushes in it may be such text, stored as it is.
    const first = text.includes(0) ? -1 : data.indexOf(FLUSH);
    for (let at = first; at >= 0; at = data.indexOf(FLUSH, at + 1)) {
      const end = at + FLUSH.length;
      if (end === data.length) break;
      const textEnd = inflateRawSync(data.subarray(0, end), SYNC).length;
      // A flush that is repeated begins nothing, nor does what ends the stream.
      if (textEnd < WINDOW_BYTES || textEnd === start.text || textEnd === text.length) continue;
      const next = blanked(text.subarray(textEnd - WINDOW_BYTES, textEnd));
      if (!begins(data.subarray(end), next, text.subarray(textEnd))) continue;
      add({ text: textEnd, data: end });
      window = next;
      shared ??= next;
    }
    add({ text: text.length, data: data.length });
  }
  return shared === null ? null : encodePieces(pieces, shared);
}

/** True when inflating data behind a window gives this text. */
function begins(data: Uint8Array, window: Uint8Array, text: Uint8Array): boolean {
  try {
    return inflateRawSync(data, { ...SYNC, dictionary: window }).equals(text);
  } catch {
    return false;
  }
}
