/** Images of tiles, decoded at the size that a picture shows them at, and halved again and again for what is far. */
import type { Sharp, SharpOptions } from 'sharp';

type SharpLibrary = (input: Uint8Array, options?: SharpOptions) => Sharp;

/** Width times height above which an image is not decoded at all. */
const MAX_PIXELS = 16_384 * 16_384;
/** Pixels of all images of a picture; the others are one colour, their mean. */
const MAX_ALL = 20_000_000;
/** Longest side of an image that is kept. */
const LONGEST = 1_024;

export interface Level {
  width: number;
  height: number;
  /** Red, green, blue, opacity as they are shown (sRGB). */
  data: Uint8Array;
}

/** From the whole image to a single pixel. */
export type Texture = readonly Level[];

export class Textures {
  readonly #sharp: SharpLibrary | null;
  #pixels = 0;

  /** @param sharp null where it is not installed: then no image can be read */
  constructor(sharp: SharpLibrary | null) {
    this.#sharp = sharp;
  }

  /** Decodes an image. Throws for one that cannot be read here. */
  async read(bytes: Uint8Array): Promise<Texture> {
    if (this.#sharp === null) throw new Error('The library sharp, which reads images, is not installed.');
    const side = this.#pixels < MAX_ALL ? LONGEST : 1;
    const { data, info } = await this.#sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .toColourspace('srgb')
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    this.#pixels += info.width * info.height;
    return levelsOf({ width: info.width, height: info.height, data });
  }
}

/** The level and its halves, down to one pixel. */
export function levelsOf(whole: Level): Texture {
  const levels = [whole];
  for (let last = whole; last.width > 1 || last.height > 1; ) {
    last = halved(last);
    levels.push(last);
  }
  return levels;
}

function halved({ width, height, data }: Level): Level {
  const half = { width: Math.max(1, width >> 1), height: Math.max(1, height >> 1) };
  const pixels = new Uint8Array(half.width * half.height * 4);
  for (let y = 0, at = 0; y < half.height; y++) {
    const [top, bottom] = [2 * y * width, Math.min(height - 1, 2 * y + 1) * width];
    for (let x = 0; x < half.width; x++) {
      const [left, right] = [2 * x, Math.min(width - 1, 2 * x + 1)];
      for (let k = 0; k < 4; k++, at++) {
        const sum =
          data[(top + left) * 4 + k]! +
          data[(top + right) * 4 + k]! +
          data[(bottom + left) * 4 + k]! +
          data[(bottom + right) * 4 + k]!;
        pixels[at] = (sum + 2) >> 2;
      }
    }
  }
  return { ...half, data: pixels };
}
