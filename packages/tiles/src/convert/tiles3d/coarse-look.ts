/** How textured features look from afar: one colour for what looks upwards, as roofs do, and one for the rest. */
import { toMetres } from '../mesh/local-metres.ts';
import { newell } from '../mesh/triangulate.ts';
import type { Appearances } from '../read/appearances.ts';
import { type Body, surfaceKeysOf } from '../read/bodies.ts';
import { type Look, linear, PLAIN_POLYGON, packColour } from './look.ts';
import { drawPiece, type Pixels } from './texture/draw.ts';
import { piece, textureOf } from './texture/polygon-texture.ts';
import type { Pictures } from './texture-look.ts';

/** Colours as `PolygonLook` has them. */
export interface MeanColours {
  up: number;
  aside: number;
}

/** Images are read at this part of their size. */
const SCALE = 1 / 8;
/** Least share of a normal that points up for a surface that looks upwards. */
const UP = 0.5;

/** The mean of images and materials, by area; white where there are none. */
export async function meanColours(
  body: Body,
  appearances: Appearances,
  pictures: Pictures,
): Promise<MeanColours> {
  const [up, aside] = [new Mean(), new Mean()];
  const metres = toMetres(body.positions);
  for (const polygon of body.polygonEnds.keys()) {
    const colour = await colourOf(body, polygon, appearances, pictures);
    if (colour === null) continue;
    const { doubleArea, isUp } = facing(metres, body, polygon);
    (isUp ? up : aside).add(colour, doubleArea);
  }
  return {
    up: up.packed() ?? aside.packed() ?? PLAIN_POLYGON.colour,
    aside: aside.packed() ?? up.packed() ?? PLAIN_POLYGON.colour,
  };
}

/** Bodies in the colours of their features, by the number of each. */
export function coarseLook(bodies: readonly Body[], colours: readonly MeanColours[]): Look {
  const isUp = bodies.map((body) => {
    const metres = toMetres(body.positions);
    return Array.from(body.polygonEnds, (_, polygon) => facing(metres, body, polygon).isUp);
  });
  return {
    images: [],
    of: (feature, polygon) => {
      const { up, aside } = colours[feature]!;
      return { ...PLAIN_POLYGON, colour: isUp[feature]![polygon] ? up : aside };
    },
  };
}

/** sRGB, 0 to 255; null for a polygon without image and material. */
async function colourOf(
  body: Body,
  polygon: number,
  appearances: Appearances,
  { images, laid }: Pictures,
): Promise<readonly number[] | null> {
  const texture = textureOf(body, polygon, appearances, laid);
  if (texture === null || typeof texture === 'string') {
    return appearances.colourOf(surfaceKeysOf(body, polygon))?.map((value) => 255 * value) ?? null;
  }
  const facts = await images.facts(texture.image);
  if (facts === null) return null;
  const source = await images.pixels(texture.image, SCALE);
  if (source === null) return null;
  const rect = piece(texture, facts);
  const [across, down] = [source.width / facts.width, source.height / facts.height];
  const from = {
    left: rect.left * across,
    right: rect.right * across,
    top: rect.top * down,
    bottom: rect.bottom * down,
  };
  const pixel: Pixels = { width: 1, height: 1, channels: 3, data: new Uint8Array(3) };
  drawPiece(pixel, source, from, { x: 0, y: 0, width: 1, height: 1, edge: 0 });
  return [...pixel.data];
}

function facing(metres: Float64Array, body: Body, polygon: number): { doubleArea: number; isUp: boolean } {
  const first = body.polygonEnds[polygon - 1] ?? 0;
  const normal = newell(metres, body.ringEnds[first - 1] ?? 0, body.ringEnds[first]!);
  const length = Math.hypot(...normal);
  return { doubleArea: length, isUp: normal[2] > UP * length };
}

class Mean {
  #sum = [0, 0, 0];
  #weight = 0;

  add(colour: readonly number[], weight: number): void {
    this.#sum = this.#sum.map((sum, i) => sum + weight * colour[i]!);
    this.#weight += weight;
  }

  packed(): number | null {
    if (this.#weight === 0) return null;
    const [red, green, blue] = this.#sum.map((sum) => linear(sum / this.#weight / 255));
    return packColour(red!, green!, blue!, 1);
  }
}
