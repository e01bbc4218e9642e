/** From metres around the sample city to the coordinates that tiles have. */
import type { Vec3 } from '../geo/ecef.ts';
import { eastNorthUp, geodeticToEcef } from '../geo/ecef.ts';
import type { Point2, Point3 } from './place.ts';
import { GEOID_HEIGHT, latOf, lngOf, RADIANS } from './place.ts';

/** `[longitude, latitude, height]` of a point: radians and metres above the ellipsoid. */
export function toGeodetic([east, north, altitude]: Point3): Vec3 {
  return [lngOf(east) * RADIANS, latOf(north) * RADIANS, altitude + GEOID_HEIGHT];
}

/** Coordinates with z up, near an origin: local east, north and up, or along the axes of the Earth. */
export interface TileFrame {
  /** ECEF of the origin. */
  origin: Vec3;
  /** Root transform of the tileset, or null when the frame has the axes of ECEF and contents name the origin. */
  transform: number[] | null;
  toLocal(point: Point3): Vec3;
}

/** East, north and up at a point of the ellipsoid. */
export function localFrame([east, north]: Point2): TileFrame {
  const matrix = eastNorthUp(lngOf(east) * RADIANS, latOf(north) * RADIANS, GEOID_HEIGHT);
  const origin = matrix.slice(12, 15) as Vec3;
  return {
    origin,
    transform: matrix,
    toLocal(point) {
      const p = geodeticToEcef(...toGeodetic(point));
      const d = [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]] as const;
      const along = (column: number) =>
        matrix[column]! * d[0] + matrix[column + 1]! * d[1] + matrix[column + 2]! * d[2];
      return [along(0), along(4), along(8)];
    },
  };
}

/** The axes of ECEF around a point: contents carry its place as RTC_CENTER. */
export function earthFrame([east, north]: Point2): TileFrame {
  const origin = geodeticToEcef(...toGeodetic([east, north, 0]));
  return {
    origin,
    transform: null,
    toLocal(point) {
      const p = geodeticToEcef(...toGeodetic(point));
      return [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]];
    },
  };
}
