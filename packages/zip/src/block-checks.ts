import { crc32 } from 'node:zlib';
import { MemberDamaged } from './member-damaged.ts';
import { asBuffer } from './zip-format.ts';

/**
 * What tells whether bytes of a seekable member are right without reading all of it. Encoded form, little-endian:
 *
 *     0  4 bytes  "SDBC"
 *     4  u32      format version, 1
 *     8  u32      CRC-32 of the encoded block table
 *    12  u32      CRC-32 of the feature index
 *    16  u32      number of blocks n
 *    20  n × u32  CRC-32 of the deflate data of each block
 */
const MAGIC = 'SDBC';
const VERSION = 1;
const HEADER_BYTES = 20;

/** CRC-32 of the sections and blocks of a seekable member. */
export interface BlockChecks {
  table: number;
  features: number;
  blocks: Uint32Array;
}

export function encodeBlockChecks(
  { table, features }: { table: Uint8Array; features: Uint8Array },
  blocks: ArrayLike<number>,
): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES + 4 * blocks.length);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(VERSION, 4);
  bytes.writeUInt32LE(crc32(table), 8);
  bytes.writeUInt32LE(crc32(features), 12);
  bytes.writeUInt32LE(blocks.length, 16);
  for (let i = 0; i < blocks.length; i++) bytes.writeUInt32LE(blocks[i] as number, HEADER_BYTES + 4 * i);
  return bytes;
}

/**
 * Throws MemberDamaged, with the name of the member, for anything but whole checks of this version: damage must not
 * switch them off.
 */
export function decodeBlockChecks(encoded: Uint8Array, member: string): BlockChecks {
  const bytes = asBuffer(encoded);
  const isWhole = bytes.length >= HEADER_BYTES && bytes.toString('latin1', 0, 4) === MAGIC;
  if (
    !isWhole ||
    bytes.readUInt32LE(4) !== VERSION ||
    bytes.length !== HEADER_BYTES + 4 * bytes.readUInt32LE(16)
  ) {
    throw new MemberDamaged('CRC_MISMATCH', member, 'The checks of its blocks are damaged.');
  }
  const blocks = new Uint32Array(bytes.readUInt32LE(16));
  for (let i = 0; i < blocks.length; i++) blocks[i] = bytes.readUInt32LE(HEADER_BYTES + 4 * i);
  return { table: bytes.readUInt32LE(8), features: bytes.readUInt32LE(12), blocks };
}
