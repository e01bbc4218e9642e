import { tileBounds } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';

/**
 * Whether the path is a tile inside the zooms and bounds that the TileJSON of the package says. Where the package has
 * no such tile, nothing lies there: clients that ask for every tile of an area should not take it for a fault.
 */
export function isTileOf({ dataset, bounds }: PackageRow, path: string): boolean {
  if (dataset === null || bounds === null) return false;
  const [before, suffix] = dataset.entry.split('{z}/{x}/{y}');
  if (before === undefined || suffix === undefined) return false;
  if (!path.startsWith(before) || !path.endsWith(suffix)) return false;
  const match = /^(\d{1,2})\/(\d{1,10})\/(\d{1,10})$/.exec(
    path.slice(before.length, path.length - suffix.length),
  );
  if (match === null) return false;
  const [z, x, y] = match.slice(1).map(Number) as [number, number, number];
  if (z < (dataset.minzoom ?? 0) || z > (dataset.maxzoom ?? 0) || x >= 2 ** z || y >= 2 ** z) return false;
  const tile = tileBounds(z, x, y);
  return (
    tile.west <= bounds.east &&
    tile.east >= bounds.west &&
    tile.south <= bounds.north &&
    tile.north >= bounds.south
  );
}
