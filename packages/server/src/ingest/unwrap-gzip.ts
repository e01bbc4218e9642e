import { crc32, inflateRawSync, type Zlib } from 'node:zlib';

/** The deflate bytes inside a gzip member, as a zip member can carry them. */
export interface Unwrapped {
  deflate: Uint8Array;
  /** The uncompressed bytes. */
  bytes: Uint8Array;
  crc32: number;
}

/** True when the bytes begin like gzip (RFC 1952, section 2.3.1). */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes.length >= 18 && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/**
 * Takes a gzip file of one member apart, so that its deflate bytes can be kept without compressing again. Null when it
 * is not one, has several members, is damaged, or inflates to more than `limit` bytes.
 */
export function unwrapGzip(file: Uint8Array, limit: number): Unwrapped | null {
  if (!isGzip(file)) return null;
  const view = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const flags = view[3]!;
  let at = 10;
  if (flags & 0x04) at += 2 + view.readUInt16LE(at);
  for (const flag of [0x08, 0x10]) {
    if ((flags & flag) === 0) continue;
    const end = view.indexOf(0, at);
    if (end < 0) return null;
    at = end + 1;
  }
  if (flags & 0x02) at += 2;
  if (at + 8 > view.length) return null;
  const deflate = view.subarray(at, view.length - 8);
  try {
    const { buffer, engine } = inflateRawSync(deflate, { info: true, maxOutputLength: limit }) as unknown as {
      buffer: Buffer;
      engine: Zlib & { bytesWritten: number };
    };
    const crc = crc32(buffer);
    if (engine.bytesWritten !== deflate.length) return null;
    if (
      view.readUInt32LE(view.length - 8) !== crc ||
      view.readUInt32LE(view.length - 4) !== buffer.length % 2 ** 32
    ) {
      return null;
    }
    return { deflate, bytes: buffer, crc32: crc };
  } catch {
    return null;
  }
}
