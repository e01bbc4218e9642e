import { constants, crc32, deflateRawSync } from 'node:zlib';
import { BlockTable, type Head } from './block-table.ts';
import { MemberDamaged } from './member-damaged.ts';
import { asBuffer } from './zip-format.ts';

/**
 * Where inflating may start within the blocks of a seekable member. A piece begins at a byte border of the data, and
 * refers to text before it: to its window, which is the W bytes before it with zeros in place of most numbers. So a
 * window is kept as few bytes of deflate data behind those of a shared one. Encoded form, little-endian:
 *
 *     0  4 bytes  "SDBP"
 *     4  u32      format version, 1
 *     8  u32      CRC-32 of everything behind it
 *    12  u32      number of pieces n
 *    16  u32      text bytes of a window, W
 *    20  u32      data bytes of the shared window s
 *    24  n × u32  text bytes of each piece
 *        n × u32  data bytes of each piece
 *        n × u32  CRC-32 of the data of each piece
 *        n × u32  data bytes of its window; 0 for a piece that begins a block
 *        s bytes  the shared window, and behind it the windows, each deflate data that ends with a sync flush
 *
 * Data of the shared window, of the own window and of the piece are one deflate stream one behind the other.
 */
const MAGIC = 'SDBP';
const VERSION = 1;
const CRC_AT = 8;
const HEADER_BYTES = 24;
/** Text of a window, where blocks are not very short. */
export const WINDOW_BYTES = 10 * 1024;
/** How windows are deflated, those of pieces with the shared one as dictionary. */
export const WINDOW_DEFLATE = { level: 6, finishFlush: constants.Z_SYNC_FLUSH };

/** A piece as it was written. */
export interface WrittenPiece {
  textBytes: number;
  dataBytes: number;
  crc32: number;
  /** Data of its window; null for a piece that begins a block. */
  window: Uint8Array | null;
}

/** `sharedWindow`: text of the window that all others follow, the first one. */
export function encodePieces(pieces: readonly WrittenPiece[], sharedWindow: Uint8Array): Uint8Array {
  const shared = deflateRawSync(sharedWindow, WINDOW_DEFLATE);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 0, 'latin1');
  header.writeUInt32LE(VERSION, 4);
  header.writeUInt32LE(pieces.length, 12);
  header.writeUInt32LE(sharedWindow.length, 16);
  header.writeUInt32LE(shared.length, 20);
  const numbers = new Uint32Array(4 * pieces.length);
  for (const [i, { textBytes, dataBytes, crc32, window }] of pieces.entries()) {
    for (const [column, value] of [textBytes, dataBytes, crc32, window?.length ?? 0].entries()) {
      numbers[column * pieces.length + i] = value;
    }
  }
  const columns = Buffer.alloc(4 * numbers.length);
  for (const [i, value] of numbers.entries()) columns.writeUInt32LE(value, 4 * i);
  const windows = pieces.map(({ window }) => window).filter((window) => window !== null);
  const bytes = Buffer.concat([header, columns, shared, ...windows]);
  bytes.writeUInt32LE(crc32(bytes.subarray(CRC_AT + 4)), CRC_AT);
  return bytes;
}

/**
 * The pieces as a table, finer than the one of the blocks that they divide. Throws MemberDamaged, with the name of the
 * member, for anything but whole pieces of this version and of these blocks.
 */
export function decodePieces(encoded: Uint8Array, blocks: BlockTable, member: string): BlockTable {
  const bytes = asBuffer(encoded);
  const isWhole =
    bytes.length >= HEADER_BYTES &&
    bytes.toString('latin1', 0, 4) === MAGIC &&
    bytes.readUInt32LE(4) === VERSION &&
    bytes.readUInt32LE(CRC_AT) === crc32(bytes.subarray(CRC_AT + 4));
  if (!isWhole) throw damaged(member);
  const [count, windowBytes, sharedBytes] = [12, 16, 20].map((at) => bytes.readUInt32LE(at)) as [
    number,
    number,
    number,
  ];
  const windowsAt = HEADER_BYTES + 16 * count;
  if (bytes.length < windowsAt) throw damaged(member);
  const column = (k: number) =>
    Uint32Array.from({ length: count }, (_, i) => bytes.readUInt32LE(HEADER_BYTES + 4 * (k * count + i)));
  const [text, data, crcs, windows] = [0, 1, 2, 3].map(column) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  // Shared, so that another thread gets a window without a copy.
  const memory = new Uint8Array(new SharedArrayBuffer(bytes.length - windowsAt));
  memory.set(bytes.subarray(windowsAt));
  const windowEnds = new Uint32Array(count);
  let end = sharedBytes;
  for (let i = 0; i < count; i++) windowEnds[i] = end += windows[i] as number;
  if (count === 0 || end !== memory.length || blocks.checks === null) throw damaged(member);
  const first = { start: 0, end: sharedBytes };
  const head = (i: number): Head | null => {
    if (windows[i] === 0) return null;
    const end = windowEnds[i] as number;
    const second = { start: end - (windows[i] as number), end };
    return { memory, first, second, textBytes: 2 * windowBytes };
  };
  const pieces = BlockTable.fromLengths(text, data).withChecks({ ...blocks.checks, blocks: crcs }, head);
  if (!divides(pieces, blocks)) throw damaged(member);
  return pieces;
}

/** True when every block begins with a piece, and every piece without a window begins a block. */
function divides(pieces: BlockTable, blocks: BlockTable): boolean {
  let block = 0;
  for (let i = 0; i <= pieces.count; i++) {
    const begins =
      block <= blocks.count &&
      pieces.textOffset(i) === blocks.textOffset(block) &&
      pieces.dataOffset(i) === blocks.dataOffset(block);
    if (begins) block++;
    else if (i === pieces.count || pieces.head(i) === null) return false;
  }
  return block === blocks.count + 1;
}

function damaged(member: string): MemberDamaged {
  return new MemberDamaged('CRC_MISMATCH', member, 'The pieces of its blocks are damaged.');
}
