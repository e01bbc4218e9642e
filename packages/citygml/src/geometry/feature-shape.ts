import type { Extent } from '@citymodel/geo';
import { extentOf, type LodGeometry, standingGeometry, surfacesOf } from './feature-geometry.ts';
import type { Footprint } from './footprint.ts';
import type { Positions } from './positions.ts';
import type { Surface } from './surface.ts';

/** A feature as spatial queries see it: what it covers on the ground, and from which to which altitude. */
export interface FeatureShape extends Footprint {
  /** Metres above sea level; null when the data has no heights. */
  altitudes: { min: number; max: number } | null;
}

/**
 * The shape of a feature by the geometry that stands for it (`standingGeometry`): the projection of all its
 * surfaces, lines and points; null when it has none. A wall is a polygon without area, which covers its edges.
 * Districts, hazard areas and roads are often published without heights (see `altitudeRange`).
 */
export function shapeOf(geometries: LodGeometry[]): FeatureShape | null {
  const standing = standingGeometry(geometries);
  const extent = extentOf(standing);
  if (extent === null) return null;
  const hasHeights = standing.some((geometry) => !geometry.flat);
  const solid = standing.some((geometry) => geometry.solids.length > 0);
  return {
    polygons: [...distinct(standing.flatMap(surfacesOf))].map((surface) => surface.rings.map(projected)),
    lines: standing.flatMap((geometry) => geometry.lines.map(projected)),
    points: standing.flatMap((geometry) => geometry.points.map(projected)),
    altitudes: altitudeRange(extent, hasHeights, solid),
  };
}

/** Metres of a degree of latitude, near enough to tell steep from flat. */
const METRES_PER_DEGREE = 111_000;
/** A surface is a wall when the sine of its angle to the plumb line is below this: 0.3 mm on 30 m. */
const STEEP = 1e-5;

/**
 * The footprint of a feature for drawing, as few polygons as tell the same. Of a solid the downward surfaces are
 * its footprint: every vertical line that meets a closed solid leaves it through one. Walls are dropped, but a
 * feature that has nothing else (a fence, a sign) is the lines of their edges. Null when it has no geometry.
 */
export function footprintOf(geometries: LodGeometry[]): Footprint | null {
  const standing = standingGeometry(geometries);
  if (standing.length === 0) return null;
  const solids = standing.flatMap((geometry) => geometry.solids);
  const ofSolids = new Set(solids.flat(2).map((surface) => surface.element));
  const loose = standing.flatMap((geometry) => geometry.surfaces);
  const polygons = [
    ...solids.flatMap(downwardSurfaces),
    ...[...distinct(loose)].filter((surface) => !ofSolids.has(surface.element) && !isWall(surface)),
  ].map((surface) => surface.rings.map(projected));
  const lines = standing.flatMap((geometry) => geometry.lines.map(projected));
  const points = standing.flatMap((geometry) => geometry.points.map(projected));
  if (polygons.length + lines.length + points.length === 0) {
    for (const { rings } of standing.flatMap(surfacesOf))
      lines.push(...rings.map((ring) => closed(projected(ring))));
  }
  return { polygons, lines, points };
}

/** Each polygon of the data once, however often it is referred to. */
function distinct(surfaces: Surface[]): Iterable<Surface> {
  return new Map(surfaces.map((surface) => [surface.element, surface])).values();
}

/**
 * The downward surfaces of the outer shell; all that are no walls when none looks down (a shell that is open below).
 */
function downwardSurfaces(shells: Surface[][]): Surface[] {
  const outer = shells[0] ?? [];
  const level = outer.filter((surface) => !isWall(surface));
  const inwards = volumeSign(outer) < 0;
  const downward = level.filter((surface) => signedArea(projected(surface.rings[0]!)) < 0 !== inwards);
  return downward.length > 0 ? downward : level;
}

/** Sign of the volume that a shell encloses: negative when its surfaces look inwards. */
function volumeSign(shell: Surface[]): number {
  let volume = 0;
  for (const { rings } of shell) {
    for (const ring of rings) volume += signedArea(projected(ring)) * meanAltitude(ring);
  }
  return Math.sign(volume);
}

function meanAltitude(ring: Positions): number {
  let sum = 0;
  for (let i = 2; i < ring.length; i += 3) sum += ring[i]!;
  return sum / (ring.length / 3);
}

/**
 * The altitudes of a feature whose geometry has this extent; null when the data has no heights: it is
 * two-dimensional, or every height is 0 and there is no solid.
 */
export function altitudeRange(
  extent: Extent,
  hasHeights: boolean,
  solid: boolean,
): FeatureShape['altitudes'] {
  const { minAlt: min, maxAlt: max } = extent;
  return !hasHeights || (!solid && min === 0 && max === 0) ? null : { min, max };
}

function isWall(surface: Surface): boolean {
  const ring = surface.rings[0]!;
  const east = METRES_PER_DEGREE * Math.cos((ring[1]! * Math.PI) / 180);
  // Newell's normal in metres, relative to the first position.
  let nx = 0;
  let ny = 0;
  let nz = 0;
  for (let i = 0, j = ring.length - 3; i < ring.length; j = i, i += 3) {
    const ax = (ring[j]! - ring[0]!) * east;
    const ay = (ring[j + 1]! - ring[1]!) * METRES_PER_DEGREE;
    const az = ring[j + 2]! - ring[2]!;
    const bx = (ring[i]! - ring[0]!) * east;
    const by = (ring[i + 1]! - ring[1]!) * METRES_PER_DEGREE;
    const bz = ring[i + 2]! - ring[2]!;
    nx += ay * bz - az * by;
    ny += az * bx - ax * bz;
    nz += ax * by - ay * bx;
  }
  return Math.abs(nz) <= STEEP * Math.hypot(nx, ny, nz);
}

/** Longitudes and latitudes of positions, without the altitudes. */
function projected(positions: Positions): Float64Array {
  const pairs = new Float64Array((positions.length / 3) * 2);
  for (let from = 0, to = 0; from < positions.length; from += 3, to += 2) {
    pairs[to] = positions[from]!;
    pairs[to + 1] = positions[from + 1]!;
  }
  return pairs;
}

/** Area of a ring `[lng, lat, …]`, open or closed, in squares of its unit; positive when it runs counter-clockwise. */
export function signedArea(ring: Float64Array): number {
  const x0 = ring[0]!;
  const y0 = ring[1]!;
  let sum = 0;
  for (let i = 2; i + 3 < ring.length; i += 2) {
    sum += (ring[i]! - x0) * (ring[i + 3]! - y0) - (ring[i + 2]! - x0) * (ring[i + 1]! - y0);
  }
  return sum / 2;
}

/** An open ring `[lng, lat, …]` as a line that returns to its beginning. */
export function closed(ring: Float64Array): Float64Array {
  const line = new Float64Array(ring.length + 2);
  line.set(ring);
  line.set(ring.subarray(0, 2), ring.length);
  return line;
}
