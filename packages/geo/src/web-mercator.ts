import type { Bounds } from './bounds.ts';

/** Longitude in degrees of an x on the square of Web Mercator, 0 (west) to 1 (east). */
export function mercatorLng(x: number): number {
  return x * 360 - 180;
}

/** Latitude in degrees of a y on the square of Web Mercator, 0 (north) to 1 (south). */
export function mercatorLat(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

/** Bounds of a range of XYZ tiles at a zoom; `x2` and `y2` are the last tile's own and belong to it. */
export function tileBounds(z: number, x1: number, y1: number, x2 = x1, y2 = y1): Bounds {
  const n = 2 ** z;
  return {
    west: mercatorLng(x1 / n),
    south: mercatorLat((y2 + 1) / n),
    east: mercatorLng((x2 + 1) / n),
    north: mercatorLat(y1 / n),
  };
}
