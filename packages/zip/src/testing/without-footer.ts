import { crc32 } from 'node:zlib';

/** An index object as programs wrote it before there were footers. */
export function withoutFooter(index: Uint8Array): Uint8Array {
  const bytes = Buffer.from(index.subarray(0, index.length - 64));
  bytes.writeBigUInt64LE(bytes.readBigUInt64LE(24) - 64n, 24);
  bytes.writeUInt32LE(bytes.readUInt32LE(32) - 64, 32);
  bytes.writeUInt32LE(crc32(bytes.subarray(Number(bytes.readBigUInt64LE(16)))), 40);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 44)), 44);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}
