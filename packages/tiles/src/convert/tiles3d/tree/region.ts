/** Regions of tiles (3D Tiles 1.1, section 6.7.2.2). */
import { type Bounds, type Region, unionRegions, WGS84_B } from '@citymodel/geo';

/** Degrees, and metres above the ellipsoid. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
  low: number;
  high: number;
}

const RADIANS = Math.PI / 180;

/** A box around nothing, which grows by the least and greatest of what is put into it. */
export function emptyBox(): Box {
  return {
    ...{ west: Infinity, south: Infinity, low: Infinity },
    ...{ east: -Infinity, north: -Infinity, high: -Infinity },
  };
}

/**
 * The region around boxes, wider by `error` metres on all sides: vertices are moved that far when they are compressed.
 */
export function regionAround(boxes: Iterable<Box>, error: number): Region {
  const all = emptyBox();
  for (const box of boxes) {
    all.west = Math.min(all.west, box.west);
    all.south = Math.min(all.south, box.south);
    all.east = Math.max(all.east, box.east);
    all.north = Math.max(all.north, box.north);
    all.low = Math.min(all.low, box.low);
    all.high = Math.max(all.high, box.high);
  }
  const up = error / (WGS84_B / 1.01);
  const aside = up / Math.cos(Math.max(Math.abs(all.south), Math.abs(all.north)) * RADIANS);
  return [
    all.west * RADIANS - aside,
    all.south * RADIANS - up,
    all.east * RADIANS + aside,
    all.north * RADIANS + up,
    all.low - error,
    all.high + error,
  ];
}

/** The region around regions, of which there is one at least. */
export function regionOf(regions: readonly Region[]): Region {
  return regions.reduce(unionRegions);
}

/** The box of a region, which is in radians. */
export function boxOf([west, south, east, north, low, high]: Region): Box {
  return {
    west: west / RADIANS,
    south: south / RADIANS,
    east: east / RADIANS,
    north: north / RADIANS,
    low,
    high,
  };
}

/** Diagonal of a box, metres. */
export function diagonalOf({ west, south, east, north, low, high }: Box): number {
  const metre = WGS84_B * RADIANS;
  const aside = (east - west) * metre * Math.cos(((south + north) / 2) * RADIANS);
  return Math.hypot(aside, (north - south) * metre, high - low);
}

/** Bounds around places, in degrees. */
export function boundsOfPlaces(places: Iterable<{ lng: number; lat: number }>): Bounds {
  const bounds = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (const { lng, lat } of places) {
    bounds.west = Math.min(bounds.west, lng);
    bounds.south = Math.min(bounds.south, lat);
    bounds.east = Math.max(bounds.east, lng);
    bounds.north = Math.max(bounds.north, lat);
  }
  return bounds;
}
