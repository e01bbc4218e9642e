/** Longitude and latitude in degrees (JGD2011, taken as WGS 84); `west <= east`, `south <= north`. */
export interface Bounds {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Bounds with altitudes in metres above sea level. */
export interface Extent extends Bounds {
  minAlt: number;
  maxAlt: number;
}

/** The smallest bounds that contain both; null stands for nothing. */
export function unionBounds(a: Bounds | null, b: Bounds | null): Bounds | null {
  if (a === null || b === null) return a ?? b;
  return {
    west: Math.min(a.west, b.west),
    south: Math.min(a.south, b.south),
    east: Math.max(a.east, b.east),
    north: Math.max(a.north, b.north),
  };
}

/** True when the two share at least a point; touching edges count. */
export function boundsIntersect(a: Bounds, b: Bounds): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north;
}

/** True when the two share an area; touching edges do not count. */
export function boundsOverlap(a: Bounds, b: Bounds): boolean {
  return a.west < b.east && b.west < a.east && a.south < b.north && b.south < a.north;
}

/** Square kilometres of bounds of some kilometres, on a sphere. */
export function squareKilometres({ west, south, east, north }: Bounds): number {
  const middle = ((south + north) / 2) * (Math.PI / 180);
  return (east - west) * 111.32 * Math.cos(middle) * (north - south) * 110.95;
}

/** `[west, south, east, north]`, as in GeoJSON (RFC 7946, section 5). */
export function boundsToArray(b: Bounds): [number, number, number, number] {
  return [b.west, b.south, b.east, b.north];
}
