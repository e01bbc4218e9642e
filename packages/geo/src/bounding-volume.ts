import type { Bounds } from './bounds.ts';
import {
  ecefToGeodetic,
  type Matrix4,
  maximumScale,
  meridianRadius,
  meridianToGeodetic,
  transformDirection,
  transformPoint,
  type Vec3,
  WGS84_A,
  WGS84_B,
} from './ecef.ts';

/**
 * A bounding volume of 3D Tiles (1.1, section 6.7.2.2; the same in 1.0): exactly one of
 * - `region`: west, south, east, north (radians, EPSG:4979), minimum and maximum height (metres above the ellipsoid);
 * - `box`: centre and three half axes, 12 numbers;
 * - `sphere`: centre and radius, 4 numbers.
 * Here boxes and spheres are in ECEF metres unless something else is said.
 */
export type BoundingVolume = { region: number[] } | { box: number[] } | { sphere: number[] };

/** `[west, south, east, north, minimum height, maximum height]`; west > east crosses the antimeridian. */
export type Region = [number, number, number, number, number, number];

const HALF_PI = Math.PI / 2;
/** Cells per axis of a box in which latitude and height are sampled. */
const CELLS = 6;
/** Closer to the Earth's centre than this, latitude and longitude of a volume mean nothing (metres). */
const DEEP = 4_000_000;

/**
 * True for a volume in the standard's form. It has exactly one of the three arrays with the right number of finite
 * numbers. Its radius is not negative, and its region lies inside the ranges of the standard.
 */
export function isBoundingVolume(value: unknown): value is BoundingVolume {
  if (typeof value !== 'object' || value === null) return false;
  const v = value as Record<string, unknown>;
  const kinds = ['region', 'box', 'sphere'].filter((kind) => v[kind] !== undefined);
  const numbers = v[kinds[0] ?? ''];
  if (kinds.length !== 1 || !Array.isArray(numbers) || !numbers.every((n) => Number.isFinite(n)))
    return false;
  if (kinds[0] === 'box') return numbers.length === 12;
  if (kinds[0] === 'sphere') return numbers.length === 4 && numbers[3] >= 0;
  const [west, south, east, north, low, high] = numbers as Region;
  return (
    numbers.length === 6 &&
    Math.abs(west) <= Math.PI &&
    Math.abs(east) <= Math.PI &&
    south >= -HALF_PI &&
    south <= north &&
    north <= HALF_PI &&
    low <= high
  );
}

/** A volume under a tile's transform. A region is never transformed (3D Tiles 1.1, section 6.7.2.4). */
export function transformVolume(volume: BoundingVolume, matrix: Matrix4): BoundingVolume {
  if ('region' in volume) return volume;
  if ('sphere' in volume) {
    return { sphere: [...transformPoint(matrix, volume.sphere), volume.sphere[3]! * maximumScale(matrix)] };
  }
  const { box } = volume;
  return {
    box: [
      ...transformPoint(matrix, box),
      ...transformDirection(matrix, box.slice(3, 6)),
      ...transformDirection(matrix, box.slice(6, 9)),
      ...transformDirection(matrix, box.slice(9, 12)),
    ],
  };
}

/**
 * The region that contains a volume: for a box or sphere the smallest one but for a safety that shrinks with the
 * square of the size (below 0.1 % for a city). A volume around a pole has every longitude, one that reaches deep
 * into the Earth is the whole globe.
 */
export function volumeRegion(volume: BoundingVolume): Region {
  if ('region' in volume) return volume.region.slice(0, 6) as Region;
  return 'box' in volume ? boxRegion(volume.box) : sphereRegion(volume.sphere);
}

/** The smallest region that contains both; of the two ways around the globe the shorter. */
export function unionRegions(a: Region, b: Region): Region {
  const width = (r: Region, from: number) => forward(from, r[0]) + span(r);
  const fromA = Math.max(span(a), width(b, a[0]));
  const fromB = Math.max(span(b), width(a, b[0]));
  const size = Math.min(fromA, fromB);
  let west = fromA <= fromB ? a[0] : b[0];
  let east: number;
  if (size >= 2 * Math.PI) [west, east] = [-Math.PI, Math.PI];
  // Not computed by additions where an edge is already known, so that no rounding cuts into a member.
  else if (fromA <= fromB) east = fromA === span(a) ? a[2] : b[2];
  else east = fromB === span(b) ? b[2] : a[2];
  return [west, Math.min(a[1], b[1]), east, Math.max(a[3], b[3]), Math.min(a[4], b[4]), Math.max(a[5], b[5])];
}

/** The region's rectangle in degrees; one that crosses the antimeridian has every longitude, since bounds cannot. */
export function regionBounds(region: Region): Bounds {
  const degrees = (radians: number) => (radians * 180) / Math.PI;
  const [west, south, east, north] = region;
  return {
    west: west <= east ? degrees(west) : -180,
    south: degrees(south),
    east: west <= east ? degrees(east) : 180,
    north: degrees(north),
  };
}

/** Half of the longest straight line in a region, metres: the radius of the ball that it about fills. */
export function regionRadius(region: Region): number {
  const [, south, , north, low, high] = region;
  const width = Math.min(span(region), Math.PI);
  const nearest = south <= 0 && north >= 0 ? 0 : Math.min(Math.abs(south), Math.abs(north));
  const east = 2 * WGS84_A * Math.cos(nearest) * Math.sin(width / 2);
  const up = 2 * WGS84_A * Math.sin((north - south) / 2);
  return Math.hypot(east, up, high - low) / 2;
}

/** Radians to go east from one longitude to another, 0 to 2π. */
export function forward(from: number, to: number): number {
  const d = (to - from) % (2 * Math.PI);
  return d < 0 ? d + 2 * Math.PI : d;
}

/** Width of a region in radians. */
export function span(region: Region): number {
  const width = region[2] - region[0];
  return width >= 0 ? width : width + 2 * Math.PI;
}

/** A longitude brought into [-π, π]. */
function wrap(lng: number): number {
  if (lng > Math.PI) return lng - 2 * Math.PI;
  return lng < -Math.PI ? lng + 2 * Math.PI : lng;
}

/** A point of a box by its coordinates along the half axes, each -1 to 1. */
export function boxPoint(box: readonly number[], i: number, j: number, k: number): Vec3 {
  const at = (axis: number) => box[axis]! + i * box[3 + axis]! + j * box[6 + axis]! + k * box[9 + axis]!;
  return [at(0), at(1), at(2)];
}

export const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Everything, with the heights that points between two distances from the Earth's centre can have. */
function wholeGlobe(nearest: number, farthest: number): Region {
  return [-Math.PI, -HALF_PI, Math.PI, HALF_PI, nearest - WGS84_A, farthest - WGS84_B];
}

/**
 * Height is a signed distance, so it changes by no more than the radius. Longitude and latitude are the tangents
 * from the axis and from the centre of curvature of the meridian.
 */
function sphereRegion(sphere: readonly number[]): Region {
  const [x, y, z, radius] = sphere as [number, number, number, number];
  const rho = Math.hypot(x, y);
  const distance = Math.hypot(rho, z);
  if (distance - radius < DEEP) return wholeGlobe(Math.max(0, distance - radius), distance + radius);
  const [lng, lat, height] = ecefToGeodetic([x, y, z]);
  // The meridian's radius grows towards the poles: its least value in reach is at the latitude nearest the equator.
  const reach = radius / (distance - radius);
  const curvature =
    meridianRadius(Math.max(0, Math.abs(lat) - reach)) + Math.min(height, height * Math.cos(reach));
  const up = Math.asin(Math.min(1, radius / curvature)) * (1 + 1e-9) + 1e-15;
  const polar = rho <= radius || lat + up >= HALF_PI || lat - up <= -HALF_PI;
  const side = polar ? Math.PI : Math.asin(radius / rho) * (1 + 1e-9) + 1e-15;
  return [
    polar ? -Math.PI : wrap(lng - side),
    Math.max(-HALF_PI, lat - up),
    polar ? Math.PI : wrap(lng + side),
    Math.min(HALF_PI, lat + up),
    height - radius - 1e-6,
    height + radius + 1e-6,
  ];
}

/**
 * - Longitude: the box seen along the axis is a convex polygon, whose extreme angles are at corners; every angle
 *   when the axis passes through it.
 * - Latitude and height: sampled on a grid. A point of a cell is a weighted mean of the cell's corners. The mean square
 *   distance of the corners from it is at most (a² + b² + c²) / 4 for edges a, b, c. Therefore a function with second
 *   derivatives up to K leaves the range of the samples by at most K (a² + b² + c²) / 8. K is 1 / R for height and
 *   about tan(latitude) / R² for latitude, with R the least radius of curvature plus height.
 * - Latitude is also bounded by the extreme distances from the axis and the extreme z, the only bound near a pole.
 */
function boxRegion(box: readonly number[]): Region {
  const centre = box.slice(0, 3) as Vec3;
  const axes = [box.slice(3, 6), box.slice(6, 9), box.slice(9, 12)] as [Vec3, Vec3, Vec3];
  const corners = hullCorners(box);
  const reach = Math.max(
    ...corners.map((c) => Math.hypot(c[0] - centre[0], c[1] - centre[1], c[2] - centre[2])),
  );
  const nearest = Math.hypot(...centre) - reach;
  if (nearest < DEEP)
    return wholeGlobe(Math.max(0, nearest), Math.max(...corners.map((c) => Math.hypot(...c))));

  let [latMin, latMax, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i <= CELLS; i++) {
    for (let j = 0; j <= CELLS; j++) {
      for (let k = 0; k <= CELLS; k++) {
        const p = boxPoint(box, (2 * i) / CELLS - 1, (2 * j) / CELLS - 1, (2 * k) / CELLS - 1);
        const { lat, height } = meridianToGeodetic(Math.hypot(p[0], p[1]), p[2]);
        latMin = Math.min(latMin, lat);
        latMax = Math.max(latMax, lat);
        low = Math.min(low, height);
        high = Math.max(high, height);
      }
    }
  }
  const edges = (4 * axes.reduce((sum, a) => sum + dot(a, a), 0)) / (CELLS * CELLS);
  const rim = axisBounds(corners);
  const steepest = Math.tan(Math.min(1.5, Math.max(Math.abs(rim.latMin), Math.abs(rim.latMax))));
  // 1.05 and 1.02 pay for the change of the radii of curvature with latitude.
  const radius = Math.min(nearest, meridianRadius(0) + nearest - WGS84_A) / 1.02;
  // Height is convex, so that its largest value is at a corner.
  const sag = edges / (8 * radius);
  const bend = (1.05 * Math.max(1, steepest) * edges) / (8 * radius * radius) + 1e-15;
  const nearPole = Math.max(Math.abs(rim.latMin), Math.abs(rim.latMax)) > 1.5;
  return [
    rim.west,
    Math.max(-HALF_PI, nearPole ? rim.latMin : Math.max(rim.latMin, latMin - bend)),
    rim.east,
    Math.min(HALF_PI, nearPole ? rim.latMax : Math.min(rim.latMax, latMax + bend)),
    low - sag - 1e-6,
    high + 1e-6,
  ];
}

function hullCorners(box: readonly number[]): Vec3[] {
  const signs = [-1, 1];
  return signs.flatMap((i) => signs.flatMap((j) => signs.map((k) => boxPoint(box, i, j, k))));
}

/** Exact longitudes, and bounds of the latitude from the distances to the axis and z, of the hull of some points. */
function axisBounds(corners: Vec3[]): { west: number; east: number; latMin: number; latMax: number } {
  const angles = corners.map((c) => Math.atan2(c[1], c[0])).sort((a, b) => a - b);
  let gap = angles[0]! + 2 * Math.PI - angles.at(-1)!;
  let [west, east] = [angles[0]!, angles.at(-1)!];
  for (let i = 1; i < angles.length; i++) {
    const between = angles[i]! - angles[i - 1]!;
    if (between > gap) [gap, west, east] = [between, angles[i]!, angles[i - 1]!];
  }
  const isAllAround = gap <= Math.PI;
  if (isAllAround) [west, east] = [-Math.PI, Math.PI];
  const rhos = corners.map((c) => Math.hypot(c[0], c[1]));
  const zs = corners.map((c) => c[2]);
  const rhoMin = isAllAround ? 0 : nearestToAxis(corners);
  const [rhoMax, zMin, zMax] = [Math.max(...rhos), Math.min(...zs), Math.max(...zs)];
  return {
    west,
    east,
    latMin: meridianToGeodetic(zMin <= 0 ? rhoMin : rhoMax, zMin).lat - 1e-15,
    latMax: meridianToGeodetic(zMax >= 0 ? rhoMin : rhoMax, zMax).lat + 1e-15,
  };
}

/** Least distance from the axis to any line between two corners; the edges of the hull are among them. */
function nearestToAxis(corners: Vec3[]): number {
  let least = Infinity;
  for (const [x1, y1] of corners) {
    for (const [x2, y2] of corners) {
      const [dx, dy] = [x2 - x1, y2 - y1];
      const square = dx * dx + dy * dy;
      const t = square === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / square));
      least = Math.min(least, Math.hypot(x1 + t * dx, y1 + t * dy));
    }
  }
  return least;
}
