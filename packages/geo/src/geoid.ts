/**
 * Heights of a geoid above the ellipsoid, on a regular grid of longitudes and latitudes. Ellipsoidal height = elevation
 * + geoid height. `data/gsigeo2011.geoid` holds GSIGEO2011 (Japan, ver. 2.1); `scripts/make-geoid.ts` makes it, NOTICE
 * names its source.
 */
import { readFileSync } from 'node:fs';
import { decodeGeoid, type GeoidGrid, NO_HEIGHT } from './geoid-format.ts';

/**
 * Height of the geoid above the ellipsoid in metres, bilinear between the four nodes around the place; null outside of
 * the grid and where a node that counts has no height. `lng` and `lat` in degrees.
 */
export function geoidHeight(grid: GeoidGrid, lng: number, lat: number): number | null {
  const x = (lng - grid.west) * grid.perDegreeEast;
  const y = (grid.north - lat) * grid.perDegreeSouth;
  if (!(x >= 0 && y >= 0 && x <= grid.columns - 1 && y <= grid.rows - 1)) return null;
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [east, south] = [x - column, y - row];
  let height = 0;
  for (const [dx, dy, weight] of [
    [0, 0, (1 - east) * (1 - south)],
    [1, 0, east * (1 - south)],
    [0, 1, (1 - east) * south],
    [1, 1, east * south],
  ] as const) {
    if (weight === 0) continue;
    const node = grid.millimetres[(row + dy) * grid.columns + column + dx]!;
    if (node === NO_HEIGHT) return null;
    height += node * weight;
  }
  return height / 1_000;
}

/** Reads the grid of GSIGEO2011 that comes with the program: 4 MB in memory. */
export function readGsigeo2011(): GeoidGrid {
  return decodeGeoid(readFileSync(new URL('data/gsigeo2011.geoid', import.meta.url)));
}
