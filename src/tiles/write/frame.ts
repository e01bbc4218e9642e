/** From places on the Earth to the coordinates that 3D Tiles have. */
import type { Vec3 } from '../../geo/ecef.ts';
import { eastNorthUp, geodeticToEcef } from '../../geo/ecef.ts';

/** Longitude and latitude in degrees, metres above the ellipsoid. */
export type GeodeticPoint = readonly [lng: number, lat: number, height: number];

const RADIANS = Math.PI / 180;

/** `[longitude, latitude, height]`: radians and metres, as regions have them (3D Tiles 1.1, section 6.7.2.2). */
export function toRadians([lng, lat, height]: GeodeticPoint): Vec3 {
  return [lng * RADIANS, lat * RADIANS, height];
}

/** Coordinates with z up, near an origin: local east, north and up, or along the axes of the Earth. */
export interface TileFrame {
  /** ECEF of the origin. */
  origin: Vec3;
  /** Root transform of the tileset, or null when the frame has the axes of ECEF and contents name the origin. */
  transform: number[] | null;
  toLocal(point: GeodeticPoint): Vec3;
}

/** East, north and up at a point. */
export function localFrame([lng, lat, height]: GeodeticPoint): TileFrame {
  const matrix = eastNorthUp(lng * RADIANS, lat * RADIANS, height);
  const origin = matrix.slice(12, 15) as Vec3;
  return {
    origin,
    transform: matrix,
    toLocal(point) {
      const p = geodeticToEcef(...toRadians(point));
      const d = [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]] as const;
      const along = (column: number) =>
        matrix[column]! * d[0] + matrix[column + 1]! * d[1] + matrix[column + 2]! * d[2];
      return [along(0), along(4), along(8)];
    },
  };
}

/** The axes of ECEF around a point: contents carry its place as RTC_CENTER. */
export function earthFrame(point: GeodeticPoint): TileFrame {
  const origin = geodeticToEcef(...toRadians(point));
  return {
    origin,
    transform: null,
    toLocal(other) {
      const p = geodeticToEcef(...toRadians(other));
      return [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]];
    },
  };
}
