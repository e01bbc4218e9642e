/** Which images the decoder is given: by their first bytes, since names tell nothing, and some formats are programs. */

/** The first bytes of each format; null stands for any byte. */
const FORMATS = {
  // ISO/IEC 10918-1, table B.1: SOI and the first byte of a further marker.
  jpeg: [[0xff, 0xd8, 0xff]],
  // PNG 3, section 5.2.
  png: [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  // TIFF 6.0, section 2, in both byte orders; BigTIFF has 43 in place of 42.
  tiff: [42, 43].flatMap((version) => [
    [0x49, 0x49, version, 0],
    [0x4d, 0x4d, 0, version],
  ]),
  // WebP container, "RIFF", the size and "WEBP".
  webp: [[0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
} as const satisfies Record<string, ReadonlyArray<ReadonlyArray<number | null>>>;

export type ImageFormat = keyof typeof FORMATS;

/** The format of a file; null for one that is not read. */
export function imageFormat(bytes: Uint8Array): ImageFormat | null {
  const begins = (start: ReadonlyArray<number | null>) =>
    start.every((byte, i) => byte === null || bytes[i] === byte);
  for (const format of Object.keys(FORMATS) as ImageFormat[]) {
    if (FORMATS[format].some(begins)) return format;
  }
  return null;
}
