/** A PNG of pixels (ISO/IEC 15948): 8 bits a colour, no interlace, one filter for all rows. */
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Each byte less the one of the pixel to the left. */
const SUB = 1;

/** @param rgb three bytes a pixel, the upper row first; a square of `side` pixels */
export function png(side: number, rgb: Uint8Array): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Bit depth 8, colour type 2 (RGB).
  header.set([8, 2, 0, 0, 0], 8);
  const row = side * 3;
  const lines = Buffer.alloc((row + 1) * side);
  for (let y = 0; y < side; y++) {
    lines[y * (row + 1)] = SUB;
    for (let x = 0; x < row; x++) {
      const left = x < 3 ? 0 : rgb[y * row + x - 3]!;
      lines[y * (row + 1) + 1 + x] = rgb[y * row + x]! - left;
    }
  }
  const body = deflateSync(lines, { level: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', body),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, body: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
