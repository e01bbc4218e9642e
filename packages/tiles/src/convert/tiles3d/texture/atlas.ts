/** Pieces of images on few pages. */
import { drawPiece, type PixelRect, type Pixels } from './draw.ts';
import type { ImageFacts } from './images.ts';
import { type Place, packRectangles, type Size } from './skyline.ts';

/** Longest side of a page, pixels: what every graphics card can hold. */
export const PAGE_SIDE = 2048;
/** Pixels around a piece that repeat its edge. */
const EDGE = 2;

/** A piece that is wanted. */
export interface Piece {
  image: number;
  rect: PixelRect;
  /** Its size by that of the rectangle, 0 to 1. */
  scale: number;
}

/** Where the pixels of a piece are on its page. */
export interface PlacedPiece {
  page: number;
  /** Left upper corner of the piece, without its edge. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Images by their numbers. */
export interface ImageReader {
  facts(image: number): Promise<ImageFacts | null>;
  pixels(image: number, scale: number): Promise<Pixels | null>;
}

/** Pixels that a piece takes on a page. */
export function pixelsOf({ rect, scale }: Piece, edge = EDGE): number {
  const { width, height } = roomFor(sizeOf(rect, scale), edge);
  return width * height;
}

export class AtlasBuilder {
  readonly #pieces: Piece[] = [];
  readonly #known = new Map<string, number>();
  readonly #edge: number;

  /** `edge`: pixels around each piece that repeat what it ends with. */
  constructor(edge = EDGE) {
    this.#edge = edge;
  }

  /** Number of the piece; equal rectangles share one, at the larger scale. */
  add(piece: Piece): number {
    const { image, rect } = piece;
    const key = `${image} ${rect.left} ${rect.top} ${rect.right} ${rect.bottom}`;
    let number = this.#known.get(key);
    if (number === undefined) {
      number = this.#pieces.push({ ...piece }) - 1;
      this.#known.set(key, number);
    } else {
      this.#pieces[number]!.scale = Math.max(this.#pieces[number]!.scale, piece.scale);
    }
    return number;
  }

  /** Draws all pieces; those of an image that cannot be read stay grey. */
  async draw(images: ImageReader): Promise<{ pages: Pixels[]; placed: PlacedPiece[] }> {
    const edge = this.#edge;
    const sizes = this.#pieces.map(({ rect, scale }) => sizeOf(rect, scale));
    const { places, pages: sides } = packRectangles(
      sizes.map((size) => roomFor(size, edge)),
      PAGE_SIDE,
    );
    const placed = places.map(
      ({ page, x, y }, i): PlacedPiece => ({ page, x: x + edge, y: y + edge, ...sizes[i]! }),
    );
    const channels = await this.#channels(places, sides.length, images);
    const pages = sides.map(({ width, height }, i): Pixels => {
      return {
        width,
        height,
        channels: channels[i]!,
        data: new Uint8Array(width * height * channels[i]!).fill(128),
      };
    });
    // Image by image, so that each is decoded once.
    const byImage = Map.groupBy(this.#pieces.keys(), (i) => this.#pieces[i]!.image);
    for (const image of [...byImage.keys()].sort((a, b) => a - b)) {
      const numbers = byImage.get(image)!;
      const facts = await images.facts(image);
      const largest = Math.max(...numbers.map((i) => this.#pieces[i]!.scale));
      const source = await images.pixels(image, largest);
      if (facts === null || source === null) continue;
      const [across, down] = [source.width / facts.width, source.height / facts.height];
      for (const i of numbers) {
        const { rect } = this.#pieces[i]!;
        const { page, x, y, width, height } = placed[i]!;
        const from = {
          left: rect.left * across,
          right: rect.right * across,
          top: rect.top * down,
          bottom: rect.bottom * down,
        };
        drawPiece(pages[page]!, source, from, { x, y, width, height, edge });
      }
    }
    return { pages, placed };
  }

  /** Channels of each page: four where one of its images has transparency. */
  async #channels(places: readonly Place[], pages: number, images: ImageReader): Promise<Array<3 | 4>> {
    const channels = new Array<3 | 4>(pages).fill(3);
    for (const [i, { page }] of places.entries()) {
      if ((await images.facts(this.#pieces[i]!.image))?.hasAlpha) channels[page] = 4;
    }
    return channels;
  }
}

function sizeOf({ left, top, right, bottom }: PixelRect, scale: number): Size {
  const [width, height] = [right - left, bottom - top];
  const fits = Math.min(1, scale, (PAGE_SIDE - 2 * EDGE) / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * fits)), height: Math.max(1, Math.round(height * fits)) };
}

/** Places begin at multiples of twice the edge, so that half the resolution does not mix pieces. */
function roomFor({ width, height }: Size, edge: number): Size {
  const step = 2 * edge;
  return {
    width: step * Math.ceil((width + step) / step),
    height: step * Math.ceil((height + step) / step),
  };
}
