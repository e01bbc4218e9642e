/**
 * Where the sample city is: an invented place in the open sea, so that nobody takes it for a real one, on the
 * mesh grid of JIS X 0410. Positions are metres east and north of the south-west corner of one third mesh.
 */
import { meridianRadius, meshBounds, meshOf, WGS84_A } from '@citymodel/geo';

export type Point2 = readonly [east: number, north: number];
export type Point3 = readonly [east: number, north: number, altitude: number];

/** The third mesh whose south-west corner is the origin. */
export const ORIGIN_MESH = '38295545';
const ORIGIN = meshBounds(ORIGIN_MESH);

const RADIANS = Math.PI / 180;
const originLat = ORIGIN.south * RADIANS;
/** Metres to a degree of latitude and of longitude at the origin, by the radii of curvature there. */
const METRES_PER_LAT = meridianRadius(originLat) * RADIANS;
const METRES_PER_LNG = parallelRadius(originLat) * RADIANS;

/** South to north in a third mesh here, metres. */
export const MESH_HEIGHT = METRES_PER_LAT / 120;

/** Degrees. */
export function latOf(north: number): number {
  return ORIGIN.south + north / METRES_PER_LAT;
}

/** Degrees. */
export function lngOf(east: number): number {
  return ORIGIN.west + east / METRES_PER_LNG;
}

/** Code of the third mesh that holds the point. */
export function thirdMesh(east: number, north: number): string {
  return meshOf(lngOf(east), latOf(north), 8);
}

/** Altitude of the ground, metres: gentle hills that fall to the sea in the south. */
export function groundAltitude(east: number, north: number): number {
  const hills =
    2.1 * Math.sin(east / 310 + 0.4) * Math.cos(north / 270) + 1.3 * Math.sin((east + north) / 190);
  return Math.max(0.4, 5.2 + hills + Math.max(-4, (north - 700) / 260));
}

/** Distance from the axis of the Earth on the ellipsoid at a latitude in radians, metres. */
function parallelRadius(lat: number): number {
  // The reduced latitude's cosine times the semi-major axis; its tangent is (1 - f) tan(lat).
  return WGS84_A * Math.cos(Math.atan((1 - 1 / 298.257223563) * Math.tan(lat)));
}
