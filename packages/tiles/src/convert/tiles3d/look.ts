/** How the polygons of a tile look. */
import type { TileImage } from './glb.ts';

/** Opaque white: red, green, blue, opacity in 8 bits each. */
const WHITE = 0xffffffff;

/** How light falls on a polygon of a surface. */
export interface Shade {
  /** Unit vectors for each position of the polygon, x, y, z by turns, y up, along the axes of tiles. */
  normals: Float32Array;
  /** True for one whose ring runs the other way round, seen from where the normals point to. */
  isTurned: boolean;
}

export interface PolygonLook {
  /** Number of the image among those of the tile; null for none. */
  image: number | null;
  /** u and v from the upper left for each position of the polygon; null without an image. */
  uvs: Float32Array | null;
  /** Linear red, green, blue and opacity, 8 bits each, red highest. */
  colour: number;
  /** Without it a polygon is flat by itself. */
  shade?: Shade;
}

export interface Look {
  readonly images: TileImage[];
  /** Of a polygon of a feature of the tile, by their numbers. */
  of(feature: number, polygon: number): PolygonLook;
}

/** White, without an image. */
export const PLAIN_POLYGON: PolygonLook = { image: null, uvs: null, colour: WHITE };

/** Everything white. */
export const PLAIN_LOOK: Look = { images: [], of: () => PLAIN_POLYGON };

/** 8 bits each of linear values from 0 to 1. */
export function packColour(red: number, green: number, blue: number, opacity: number): number {
  const byte = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 255);
  return ((byte(red) << 24) | (byte(green) << 16) | (byte(blue) << 8) | byte(opacity)) >>> 0;
}

/** From sRGB, 0 to 1, as appearances and lists of colours have it, to the linear values of glTF. */
export function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
