/** Which vector tiles the ground is drawn from, and where they lie: XYZ tiles in Web Mercator. */
import type { Bounds } from '@citymodel/geo';

export interface TileAddress {
  z: number;
  x: number;
  y: number;
}

/** Tiles that are drawn for a whole ground at most. */
export const MOST_TILES = 16;
/** Tiles along a side of the finer ground below the eye. */
const FINER = 4;
/** Metres of a degree of latitude. */
export const METRES_PER_DEGREE = 111_320;
/** Metres around the earth. */
const AROUND = 40_075_017;
/** The ground reaches so many times the extent of a model beyond it, and at least so many degrees, some 300 m. */
const BEYOND = 0.6;
const LEAST_BEYOND = 0.003;
const FINEST = 17;
const COARSEST = 8;

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

/**
 * A square of finer tiles around a place; none where those of the whole are as fine already.
 *
 * @param place longitude and latitude, degrees
 * @param metres from there that are to be within
 * @param coarse zoom of the whole
 */
export function tilesAround([lng, lat]: readonly number[], metres: number, coarse: number): TileAddress[] {
  for (let z = FINEST; z > coarse; z--) {
    const side = (AROUND * Math.cos((lat! * Math.PI) / 180)) / 2 ** z;
    if (side * FINER < 2 * metres) continue;
    // Place and distance alone decide, so that a link shows what was seen before.
    const [left, top] = [columnOf(lng!, z), rowOf(lat!, z)].map((at) => Math.round(at) - FINER / 2) as [
      number,
      number,
    ];
    return Array.from({ length: FINER ** 2 }, (_, i) => ({
      z,
      x: left + (i % FINER),
      y: top + Math.floor(i / FINER),
    }));
  }
  return [];
}

/** What is drawn for a model: it, and what the sources of the ground have around it. */
export function groundBounds(model: Bounds, sources: readonly Bounds[]): Bounds {
  const [wide, high] = [model.east - model.west, model.north - model.south].map((extent) =>
    Math.max(LEAST_BEYOND, extent * BEYOND),
  ) as [number, number];
  const held = boundsAround([model, ...sources]);
  return {
    west: Math.max(held.west, model.west - wide),
    south: Math.max(held.south, model.south - high),
    east: Math.min(held.east, model.east + wide),
    north: Math.min(held.north, model.north + high),
  };
}

/** The box around boxes, of which there is one at least. */
export function boundsAround(boxes: readonly Bounds[]): Bounds {
  return {
    west: Math.min(...boxes.map(({ west }) => west)),
    south: Math.min(...boxes.map(({ south }) => south)),
    east: Math.max(...boxes.map(({ east }) => east)),
    north: Math.max(...boxes.map(({ north }) => north)),
  };
}

/** What two boxes have in common; of those that have nothing, a box whose ends are the wrong way round. */
export function boundsWithin(a: Bounds, b: Bounds): Bounds {
  return {
    west: Math.max(a.west, b.west),
    south: Math.max(a.south, b.south),
    east: Math.min(a.east, b.east),
    north: Math.min(a.north, b.north),
  };
}

/** Degrees. */
export function boundsOfTile({ z, x, y }: TileAddress): Bounds {
  return { west: lngOf(x, z), south: latOf(y + 1, z), east: lngOf(x + 1, z), north: latOf(y, z) };
}

export function isSameBox(a: Bounds, b: Bounds): boolean {
  return a.west === b.west && a.south === b.south && a.east === b.east && a.north === b.north;
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
