/** Which piece of which image a polygon shows. */
import type { Appearances } from '../../read/appearances.ts';
import { type Body, surfaceKeysOf } from '../../read/bodies.ts';
import type { PixelRect } from './draw.ts';
import type { ImageFacts } from './images.ts';
import type { LaidImages } from './laid-images.ts';

/** Texture coordinates of a polygon, for each of its positions. */
export interface PolygonTexture {
  image: number;
  /** u to the right and v upwards, by turns; 0 to 1 is the image. */
  uvs: Float32Array;
  /** Extremes of u and v. */
  left: number;
  right: number;
  low: number;
  high: number;
}

/** Farther than this outside of 0 to 1 a coordinate means the image repeated; nearer it is rounding. */
const ROUNDING = 0.002;

/**
 * Why a polygon that should have a texture has none: it does not fit the rings, or the polygon sticks out of a picture
 * of the ground.
 */
export type NoTexture = 'misfit' | 'outside';

/** Null for a polygon without an image. */
export function textureOf(
  body: Body,
  polygon: number,
  appearances: Appearances,
  laid: LaidImages,
): PolygonTexture | NoTexture | null {
  const [firstRing, lastRing] = [body.polygonEnds[polygon - 1] ?? 0, body.polygonEnds[polygon]!];
  const start = body.ringEnds[firstRing - 1] ?? 0;
  const outer = appearances.textureOf(body.ringKeys[firstRing]!);
  if (outer === null) {
    const number = appearances.laidOn(surfaceKeysOf(body, polygon));
    return number === null
      ? null
      : laidTexture(number, body, start, body.ringEnds[lastRing - 1]!, appearances, laid);
  }
  const uvs = new Float32Array(2 * (body.ringEnds[lastRing - 1]! - start));
  for (let ring = firstRing; ring < lastRing; ring++) {
    const texture = ring === firstRing ? outer : appearances.textureOf(body.ringKeys[ring]!);
    if (texture === null || texture.image !== outer.image) return 'misfit';
    const written = body.ringWritten[ring]!;
    // Some writers leave the repeated last position out.
    if (texture.uvs.length !== 2 * written && texture.uvs.length !== 2 * (written - 1)) return 'misfit';
    const from = body.ringEnds[ring - 1] ?? 0;
    for (let i = from; i < body.ringEnds[ring]!; i++) {
      const place = body.written?.[i] ?? i - from;
      const at = 2 * (i - start);
      uvs[at] = texture.uvs[2 * place] ?? texture.uvs[0]!;
      uvs[at + 1] = texture.uvs[2 * place + 1] ?? texture.uvs[1]!;
    }
  }
  return uvs.every(Number.isFinite) ? moved(outer.image, uvs) : 'misfit';
}

function laidTexture(
  number: number,
  body: Body,
  from: number,
  to: number,
  appearances: Appearances,
  laid: LaidImages,
): PolygonTexture | NoTexture | null {
  const isGround = laid.isGround(number);
  if (isGround === null) return null;
  const uvs = laid.coordinates(number, body.positions, from, to);
  if (!uvs.every(Number.isFinite)) return 'misfit';
  if (isGround) {
    if (uvs.some((value) => value < -ROUNDING || value > 1 + ROUNDING)) return 'outside';
    for (const [i, value] of uvs.entries()) uvs[i] = Math.min(1, Math.max(0, value));
  }
  return moved(appearances.laid[number]!.image, uvs);
}

/** Moved by whole images so that it begins inside of the first. */
function moved(image: number, uvs: Float32Array): PolygonTexture {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < uvs.length; i += 2) {
    left = Math.min(left, uvs[i]!);
    right = Math.max(right, uvs[i]!);
    low = Math.min(low, uvs[i + 1]!);
    high = Math.max(high, uvs[i + 1]!);
  }
  const [across, up] = [Math.floor(left + ROUNDING), Math.floor(low + ROUNDING)];
  if (across !== 0 || up !== 0) {
    for (let i = 0; i < uvs.length; i += 2) {
      uvs[i]! -= across;
      uvs[i + 1]! -= up;
    }
  }
  return { image, uvs, left: left - across, right: right - across, low: low - up, high: high - up };
}

/** True when the image repeats on the polygon. */
export function repeats({ right, high }: PolygonTexture): boolean {
  return right > 1 + ROUNDING || high > 1 + ROUNDING;
}

/** The pixels that a polygon shows whose image does not repeat, one at least. */
export function piece({ left, right, low, high }: PolygonTexture, { width, height }: ImageFacts): PixelRect {
  const from = (value: number, size: number) => Math.min(size - 1, Math.max(0, Math.floor(value * size)));
  const to = (value: number, size: number, least: number) =>
    Math.min(size, Math.max(least + 1, Math.ceil(value * size)));
  const [x, y] = [from(left, width), from(1 - high, height)];
  return { left: x, top: y, right: to(right, width, x), bottom: to(1 - low, height, y) };
}

/**
 * Metres of a pixel of the image on the polygon, by its areas there and here; infinite where the polygon shows none of
 * the image. Positions are longitude, latitude in degrees and height.
 */
export function metresPerPixel(
  body: Body,
  polygon: number,
  texture: PolygonTexture,
  { width, height }: ImageFacts,
): number {
  const first = body.polygonEnds[polygon - 1] ?? 0;
  const from = body.ringEnds[first - 1] ?? 0;
  const to = body.ringEnds[first]!;
  const metre = 111_320;
  const east = metre * Math.cos((body.positions[3 * from + 1]! * Math.PI) / 180);
  const normal = [0, 0, 0];
  let pixels = 0;
  const [ox, oy, oz] = body.positions.subarray(3 * from) as unknown as [number, number, number];
  for (let i = from; i < to; i++) {
    const k = i + 1 === to ? from : i + 1;
    const [ax, ay, az] = [
      (body.positions[3 * i]! - ox) * east,
      (body.positions[3 * i + 1]! - oy) * metre,
      body.positions[3 * i + 2]! - oz,
    ];
    const [bx, by, bz] = [
      (body.positions[3 * k]! - ox) * east,
      (body.positions[3 * k + 1]! - oy) * metre,
      body.positions[3 * k + 2]! - oz,
    ];
    normal[0]! += ay * bz - az * by;
    normal[1]! += az * bx - ax * bz;
    normal[2]! += ax * by - ay * bx;
    const [u, v] = [2 * (i - from), 2 * (k - from)];
    pixels += texture.uvs[u]! * texture.uvs[v + 1]! - texture.uvs[v]! * texture.uvs[u + 1]!;
  }
  return Math.sqrt(Math.hypot(...normal) / (Math.abs(pixels) * width * height));
}
