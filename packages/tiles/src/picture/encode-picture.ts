/** Pixels as files that browsers show. */
import { crc32, deflateSync } from 'node:zlib';
import { loadSharp } from '../convert/tiles3d/texture/images.ts';

/** Small files matter more than the last grain of a wall. */
const JPEG = { quality: 82, mozjpeg: true } as const;

export interface EncodedPicture {
  bytes: Uint8Array;
  width: number;
  height: number;
  mimeType: 'image/jpeg' | 'image/png';
}

/**
 * A picture of red, green, blue in 8 bits, made `times` times smaller, as JPEG: not all who show links read WebP.
 * Without the optional library sharp it is a PNG.
 */
export async function encodePicture(
  pixels: Uint8Array,
  size: { width: number; height: number },
  times: number,
): Promise<EncodedPicture> {
  const [width, height] = [Math.floor(size.width / times), Math.floor(size.height / times)];
  const small = times === 1 ? pixels : smaller(pixels, size.width, width, height, times);
  const sharp = await loadSharp();
  if (sharp === null) return { bytes: writePng(small, width, height), width, height, mimeType: 'image/png' };
  const image = sharp(small, { raw: { width, height, channels: 3 } });
  return { bytes: await image.jpeg(JPEG).toBuffer(), width, height, mimeType: 'image/jpeg' };
}

/** The mean of squares of pixels. */
function smaller(pixels: Uint8Array, from: number, width: number, height: number, times: number): Uint8Array {
  const small = new Uint8Array(3 * width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let k = 0; k < 3; k++, at++) {
        let sum = 0;
        for (let dy = 0; dy < times; dy++) {
          const row = ((y * times + dy) * from + x * times) * 3 + k;
          for (let dx = 0; dx < times; dx++) sum += pixels[row + 3 * dx]!;
        }
        small[at] = Math.round(sum / (times * times));
      }
    }
  }
  return small;
}

/** A PNG (ISO/IEC 15948) of 8-bit RGB, whose rows count from those above them. */
export function writePng(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const stride = 3 * width;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const at = y * (stride + 1);
    // Filter 2, "up"; the row above the first one is zero.
    rows[at] = 2;
    for (let i = 0; i < stride; i++) {
      rows[at + 1 + i] = pixels[y * stride + i]! - (y === 0 ? 0 : pixels[(y - 1) * stride + i]!);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
