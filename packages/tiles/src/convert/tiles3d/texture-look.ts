/** How the polygons of a textured tile look. */
import type { Appearances } from '../read/appearances.ts';
import { type Body, surfaceKeysOf } from '../read/bodies.ts';
import type { TileImage } from './glb.ts';
import { type Look, linear, PLAIN_POLYGON, type PolygonLook, packColour } from './look.ts';
import { AtlasBuilder, PAGE_SIDE, type Piece, type PlacedPiece, pixelsOf } from './texture/atlas.ts';
import { drawPiece, type Pixels } from './texture/draw.ts';
import type { ImageFacts, Images } from './texture/images.ts';
import type { LaidImages } from './texture/laid-images.ts';
import { mergePieces } from './texture/merge-pieces.ts';
import {
  metresPerPixel,
  type NoTexture,
  type PolygonTexture,
  piece,
  repeats,
  textureOf,
} from './texture/polygon-texture.ts';
import type { ShownFeature } from './tile-model.ts';

/** Middle grey (sRGB 128) for surfaces whose image is missing. */
const GREY = packColour(linear(0.5), linear(0.5), linear(0.5), 1);
/** Coarsest that textures get, metres a pixel, however far away a tile is. */
const COARSEST = 1;
/** Finest that textures get, metres a pixel, by level of detail. */
const finest = (lod: number) => (lod <= 2 ? 0.1 : 0.03);
/** Longest side of an image that repeats, pixels. */
const REPEATING_SIDE = 512;

/**
 * Metres of a pixel in a tile of a level of detail with a geometric error in metres: a pixel of the screen, where the
 * tile is replaced.
 */
function texelFor(lod: number, geometricError: number): number {
  return Math.min(COARSEST, Math.max(finest(lod), geometricError / 16));
}

/**
 * Pixels around the pieces of a tile that repeat what they end with: tiles that are replaced when one comes nearer are
 * seen at about the size that they have, so that little shines in.
 */
function edgeFor(geometricError: number): number {
  return geometricError === 0 ? 2 : 1;
}

/** A polygon that has an image. */
interface Pictured {
  feature: number;
  polygon: number;
  texture: PolygonTexture;
}

/** The images of a file, and where they lie. */
export interface Pictures {
  images: Images;
  laid: LaidImages;
}

/** What textures of a body come to. */
export interface TextureCost {
  /** An image that some polygon has, and that seems to be one; null for none. */
  pictured: number | null;
  /** Pixels in an atlas of a tile with each of some geometric errors, about. */
  pixels: number[];
  /** Polygons that have no texture though they should. */
  without: Record<NoTexture, number>;
}

export async function textureCost(
  body: Body,
  lod: number,
  geometricErrors: readonly number[],
  appearances: Appearances,
  { images, laid }: Pictures,
): Promise<TextureCost> {
  const cost: TextureCost = {
    pictured: null,
    pixels: geometricErrors.map(() => 0),
    without: { misfit: 0, outside: 0 },
  };
  const pieces: Array<Omit<Piece, 'scale'>> = [];
  const own: number[] = [];
  for (let polygon = 0; polygon < body.polygonEnds.length; polygon++) {
    const texture = textureOf(body, polygon, appearances, laid);
    if (texture === null) continue;
    if (typeof texture === 'string') {
      cost.without[texture]++;
      continue;
    }
    const facts = await images.facts(texture.image);
    if (facts === null) continue;
    cost.pictured ??= texture.image;
    if (repeats(texture)) continue;
    pieces.push({ image: texture.image, rect: piece(texture, facts) });
    own.push(metresPerPixel(body, polygon, texture, facts));
  }
  cost.pixels = pixelsAt(
    pieces,
    own,
    geometricErrors.map((error) => ({ texel: texelFor(lod, error), edge: edgeFor(error) })),
  );
  return cost;
}

/** Sums of pixels, the finest first. */
function pixelsAt(
  pieces: ReadonlyArray<Omit<Piece, 'scale'>>,
  own: readonly number[],
  sizes: ReadonlyArray<{ texel: number; edge: number }>,
): number[] {
  /**
   * What pieces come to, each with the metres of its coarsest pixel, of which most is kept; found anew where all are
   * half as large.
   */
  let merged = new Map<Piece, number>();
  let mergedAt = 0;
  return sizes.map(({ texel, edge }) => {
    if (texel >= 2 * mergedAt) {
      const found = mergePieces(
        pieces.map((piece, i) => ({ ...piece, scale: scaleFor(own[i]!, texel) })),
        edge,
      );
      merged = new Map();
      for (const [i, piece] of found.entries()) merged.set(piece, Math.max(own[i]!, merged.get(piece) ?? 0));
      mergedAt = texel;
    }
    let sum = 0;
    for (const [piece, coarsest] of merged)
      sum += pixelsOf({ ...piece, scale: scaleFor(coarsest, texel) }, edge);
    return sum;
  });
}

export class TextureLook implements Look {
  readonly images: TileImage[] = [];
  /** Half a pixel of the largest page. */
  uvError = 0.5 / PAGE_SIDE;
  readonly #looks: PolygonLook[][];

  private constructor(features: readonly ShownFeature[]) {
    this.#looks = features.map(({ body }) =>
      new Array<PolygonLook>(body.polygonEnds.length).fill(PLAIN_POLYGON),
    );
  }

  of(feature: number, polygon: number): PolygonLook {
    return this.#looks[feature]![polygon]!;
  }

  /** Draws the images of a tile. `geometricError`: of the tile, metres. `pictures`: null where none can be read. */
  static async make(
    features: readonly ShownFeature[],
    geometricError: number,
    appearances: Appearances,
    pictures: Pictures | null,
  ): Promise<TextureLook> {
    const look = new TextureLook(features);
    const pictured: Pictured[] = [];
    for (const [feature, { body }] of features.entries()) {
      for (let polygon = 0; polygon < body.polygonEnds.length; polygon++) {
        const colour = appearances.colourOf(surfaceKeysOf(body, polygon));
        if (colour !== null) {
          const [red, green, blue, opacity] = colour;
          const packed = packColour(linear(red), linear(green), linear(blue), opacity);
          look.#looks[feature]![polygon] = { ...PLAIN_POLYGON, colour: packed };
        }
        const texture = pictures === null ? null : textureOf(body, polygon, appearances, pictures.laid);
        if (texture !== null && typeof texture === 'object') pictured.push({ feature, polygon, texture });
      }
    }
    if (pictures !== null) {
      const { images } = pictures;
      await look.#drawPieces(
        pictured.filter(({ texture }) => !repeats(texture)),
        features,
        geometricError,
        images,
      );
      await look.#drawRepeating(
        pictured.filter(({ texture }) => repeats(texture)),
        images,
      );
    }
    return look;
  }

  async #drawPieces(
    pictured: readonly Pictured[],
    features: readonly ShownFeature[],
    geometricError: number,
    images: Images,
  ): Promise<void> {
    const shown: Array<{ item: Pictured; facts: ImageFacts }> = [];
    const own: Piece[] = [];
    for (const item of pictured) {
      const { feature, polygon, texture } = item;
      const facts = await images.facts(texture.image);
      if (facts === null) {
        this.#looks[feature]![polygon] = { ...PLAIN_POLYGON, colour: GREY };
        continue;
      }
      const { body, lod } = features[feature]!;
      const metres = metresPerPixel(body, polygon, texture, facts);
      const scale = scaleFor(metres, texelFor(lod, geometricError));
      shown.push({ item, facts });
      own.push({ image: texture.image, rect: piece(texture, facts), scale });
    }
    const edge = edgeFor(geometricError);
    const builder = new AtlasBuilder(edge);
    const pieces = mergePieces(own, edge);
    const numbers = pieces.map((piece) => builder.add(piece));
    const { pages, placed } = await builder.draw(images);
    for (const { item } of shown) {
      if (images.failureOf(item.texture.image) === null) images.noteDrawn(item.texture.image);
    }
    for (const page of pages) await this.#addImage(page, false, images);
    const longest = Math.max(1, ...pages.map(({ width, height }) => Math.max(width, height)));
    this.uvError = 0.5 / longest;
    for (const [i, { item, facts }] of shown.entries()) {
      const place = placed[numbers[i]!]!;
      this.#looks[item.feature]![item.polygon] = {
        image: place.page,
        uvs: onPage(item.texture.uvs, pieces[i]!.rect, facts, place, pages[place.page]!),
        colour: PLAIN_POLYGON.colour,
      };
    }
  }

  async #drawRepeating(pictured: readonly Pictured[], images: Images): Promise<void> {
    const numbers = new Map<number, number | null>();
    for (const { feature, polygon, texture } of pictured) {
      let number = numbers.get(texture.image);
      if (number === undefined) {
        number = await this.#addRepeating(texture.image, images);
        numbers.set(texture.image, number);
      }
      if (number === null) {
        this.#looks[feature]![polygon] = { ...PLAIN_POLYGON, colour: GREY };
        continue;
      }
      // CityGML counts v upwards, glTF downwards.
      const uvs = texture.uvs.map((value, i) => (i % 2 === 0 ? value : 1 - value));
      this.#looks[feature]![polygon] = { image: number, uvs, colour: PLAIN_POLYGON.colour };
      const extent = Math.max(texture.right - texture.left, texture.high - texture.low);
      this.uvError = Math.min(this.uvError, extent / 4096);
    }
  }

  /** Null for an image that cannot be read. */
  async #addRepeating(image: number, images: Images): Promise<number | null> {
    const facts = await images.facts(image);
    if (facts === null) return null;
    const source = await images.pixels(image, REPEATING_SIDE / Math.max(facts.width, facts.height));
    if (source === null) return null;
    const [width, height] = [repeatingSide(facts.width), repeatingSide(facts.height)];
    images.noteDrawn(image);
    const { channels } = source;
    const page: Pixels = { width, height, channels, data: new Uint8Array(width * height * channels) };
    const whole = { left: 0, top: 0, right: source.width, bottom: source.height };
    drawPiece(page, source, whole, { x: 0, y: 0, width, height, edge: 0 });
    return await this.#addImage(page, true, images);
  }

  async #addImage(pixels: Pixels, isRepeating: boolean, images: Images): Promise<number> {
    const bytes = await images.encode(pixels);
    const image: TileImage = {
      bytes,
      mimeType: 'image/webp',
      repeats: isRepeating,
      seeThrough: pixels.channels === 4,
    };
    return this.images.push(image) - 1;
  }
}

/** By how much a piece is made smaller whose pixels have `own` metres. */
function scaleFor(own: number, texel: number): number {
  return Number.isFinite(own) ? Math.min(1, own / texel) : 1;
}

/** Coordinates on the page, from its upper left corner. */
function onPage(
  uvs: Float32Array,
  rect: ReturnType<typeof piece>,
  facts: ImageFacts,
  place: PlacedPiece,
  page: Pixels,
): Float32Array {
  const [across, down] = [place.width / (rect.right - rect.left), place.height / (rect.bottom - rect.top)];
  return uvs.map((value, i) =>
    i % 2 === 0
      ? (place.x + (value * facts.width - rect.left) * across) / page.width
      : (place.y + ((1 - value) * facts.height - rect.top) * down) / page.height,
  );
}

/** Repeating images have sides that are powers of two. */
function repeatingSide(length: number): number {
  return Math.min(REPEATING_SIDE, 2 ** Math.round(Math.log2(length)));
}
