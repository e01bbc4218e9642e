/**
 * Coordinates of one tile: metres along the axes of the Earth (EPSG:4978) from an origin in whole metres, with y up as
 * glTF has it.
 */
import { geodeticToEcef, type Vec3, WGS84_A, WGS84_B } from '@citymodel/geo';

const RADIANS = Math.PI / 180;
const E2 = 1 - (WGS84_B / WGS84_A) ** 2;

export class TileFrame {
  /** ECEF of the origin: whole metres, so that the sum with what 32-bit floats keep of a vertex is exact. */
  readonly origin: Vec3;

  /** Near a place: longitude and latitude in degrees, ellipsoidal height in metres. */
  constructor(lng: number, lat: number, height: number) {
    this.origin = geodeticToEcef(lng * RADIANS, lat * RADIANS, height).map(Math.round) as Vec3;
  }

  /** Translation of the glTF node that has the tile's meshes: the origin with y up. */
  get translation(): Vec3 {
    const [x, y, z] = this.origin;
    return [x, z, -y];
  }

  /** Positions (longitude, latitude in degrees, ellipsoidal height) in the tile: x, y, z by turns, y up. */
  toLocal(positions: Float64Array): Float64Array {
    const local = new Float64Array(positions.length);
    const [ox, oy, oz] = this.origin;
    for (let i = 0; i < positions.length; i += 3) {
      const lng = positions[i]! * RADIANS;
      const lat = positions[i + 1]! * RADIANS;
      const height = positions[i + 2]!;
      const [sin, cos] = [Math.sin(lat), Math.cos(lat)];
      const n = WGS84_A / Math.sqrt(1 - E2 * sin * sin);
      local[i] = (n + height) * cos * Math.cos(lng) - ox;
      local[i + 1] = (n * (1 - E2) + height) * sin - oz;
      local[i + 2] = oy - (n + height) * cos * Math.sin(lng);
    }
    return local;
  }

  /** ECEF of a point of the tile. */
  toEarth([x, y, z]: readonly [number, number, number]): Vec3 {
    return [x + this.origin[0], this.origin[1] - z, y + this.origin[2]];
  }
}
