/** Which vector tiles the ground is drawn from, and where they lie: XYZ tiles in Web Mercator. */
import type { Bounds } from '@citymodel/geo';

export interface TileAddress {
  z: number;
  x: number;
  y: number;
}

/** Tiles that are drawn at once at most. */
export const MOST_TILES = 30;
const FINEST = 17;
const COARSEST = 10;

/**
 * The finest tiles that cover a box with at most `MOST_TILES`; of more, those nearest to its middle at the coarsest
 * zoom.
 */
export function tilesOver(bounds: Bounds): TileAddress[] {
  for (let z = FINEST; z >= COARSEST; z--) {
    const west = Math.floor(columnOf(bounds.west, z));
    const east = Math.floor(columnOf(bounds.east, z));
    const north = Math.floor(rowOf(bounds.north, z));
    const south = Math.floor(rowOf(bounds.south, z));
    if ((east - west + 1) * (south - north + 1) > MOST_TILES) continue;
    const tiles: TileAddress[] = [];
    for (let y = north; y <= south; y++) for (let x = west; x <= east; x++) tiles.push({ z, x, y });
    return tiles;
  }
  return [];
}

/** Degrees. */
export function boundsOfTile({ z, x, y }: TileAddress): Bounds {
  return { west: lngOf(x, z), south: latOf(y + 1, z), east: lngOf(x + 1, z), north: latOf(y, z) };
}

/** Whether two boxes have a point in common. */
export function meets(a: Bounds, b: Bounds): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north;
}

/**
 * The tile to ask for where a source has no finer ones than `maxzoom`, and which part of it: a corner and a size, 0 to
 * 1.
 */
export function sourceTile(
  { z, x, y }: TileAddress,
  maxzoom: number,
): { tile: TileAddress; left: number; top: number; size: number } {
  const up = Math.max(0, z - maxzoom);
  const tile = { z: z - up, x: x >> up, y: y >> up };
  const size = 1 / 2 ** up;
  return { tile, left: (x - (tile.x << up)) * size, top: (y - (tile.y << up)) * size, size };
}

function columnOf(lng: number, z: number): number {
  return ((lng + 180) / 360) * 2 ** z;
}

function rowOf(lat: number, z: number): number {
  const radians = (lat * Math.PI) / 180;
  return ((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * 2 ** z;
}

function lngOf(x: number, z: number): number {
  return (x / 2 ** z) * 360 - 180;
}

function latOf(y: number, z: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** z))) * 180) / Math.PI;
}
