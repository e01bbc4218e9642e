import { type LodGeometry, standingGeometry, surfacesOf } from './feature-geometry.ts';
import type { Positions, Surface } from './gml-geometry.ts';

/**
 * A feature as spatial queries see it: what it covers on the ground, and from which to which altitude. All
 * positions are longitude, latitude, altitude; of `areas`, `lines` and `points` only the first two matter.
 */
export interface FeatureShape {
  /** Polygons that together cover what the feature's surfaces cover; rings open, exterior first. They may overlap. */
  areas: Positions[][];
  lines: Positions[];
  points: Positions[];
  /** Metres above sea level; null when the data has no heights. */
  altitudes: { min: number; max: number } | null;
}

/** Metres of a degree of latitude, near enough to tell steep from flat. */
const METRES_PER_DEGREE = 111_000;
/**
 * A surface whose normal deviates from the horizontal by less than this (sine of the angle) is a wall: on a wall
 * of 30 m it is 0.3 mm, less than coordinates resolve.
 */
const WALL = 1e-5;

/**
 * The shape of a feature by the geometry that stands for it (`standingGeometry`); null when it has none.
 *
 * Of a solid the downward surfaces are its footprint: every vertical line that meets a closed solid leaves it
 * through one. Walls cover nothing on the ground and are dropped; a feature that has nothing but walls (a fence,
 * a sign) is there where their edges are. Data without heights is two-dimensional, or has height 0 everywhere
 * and no solid: districts, hazard areas and roads are often published so.
 */
export function shapeOf(geometries: LodGeometry[]): FeatureShape | null {
  const standing = standingGeometry(geometries);
  if (standing.length === 0) return null;
  const areas: Positions[][] = [];
  const lines: Positions[] = [];
  const points: Positions[] = [];
  const seen = new Set<Surface['element']>();
  for (const solid of standing.flatMap((geometry) => geometry.solids)) {
    areas.push(...footprintOfSolid(solid));
    for (const surface of solid.flat()) seen.add(surface.element);
  }
  for (const geometry of standing) {
    for (const surface of geometry.surfaces) {
      if (seen.has(surface.element)) continue;
      seen.add(surface.element);
      if (!isWall(surface)) areas.push(surface.rings);
    }
    lines.push(...geometry.lines);
    points.push(...geometry.points);
  }
  if (areas.length + lines.length + points.length === 0) {
    for (const geometry of standing) {
      for (const surface of surfacesOf(geometry)) lines.push(...surface.rings.map(closed));
    }
  }
  return { areas, lines, points, altitudes: altitudesOf(standing) };
}

/** The downward surfaces of the outer shell; all that are no walls when none looks down (a shell that is not closed). */
function footprintOfSolid(shells: Surface[][]): Positions[][] {
  const outer = shells[0] ?? [];
  const level = outer.filter((surface) => !isWall(surface));
  const inwards = volumeSign(outer) < 0;
  const downward = level.filter((surface) => signedArea(surface.rings[0]!) < 0 !== inwards);
  return (downward.length > 0 ? downward : level).map((surface) => surface.rings);
}

/** Sign of the volume that a shell encloses: negative when its surfaces look inwards. */
function volumeSign(shell: Surface[]): number {
  let volume = 0;
  for (const { rings } of shell) {
    for (const ring of rings) volume += signedArea(ring) * meanAltitude(ring);
  }
  return Math.sign(volume);
}

function meanAltitude(ring: Positions): number {
  let sum = 0;
  for (let i = 2; i < ring.length; i += 3) sum += ring[i]!;
  return sum / (ring.length / 3);
}

function altitudesOf(standing: LodGeometry[]): FeatureShape['altitudes'] {
  if (standing.every((geometry) => geometry.flat)) return null;
  let min = Infinity;
  let max = -Infinity;
  let solid = false;
  for (const geometry of standing) {
    solid ||= geometry.solids.length > 0;
    const rings = surfacesOf(geometry).flatMap((surface) => surface.rings);
    for (const positions of [...rings, ...geometry.lines, ...geometry.points]) {
      for (let i = 2; i < positions.length; i += 3) {
        min = Math.min(min, positions[i]!);
        max = Math.max(max, positions[i]!);
      }
    }
  }
  return !solid && min === 0 && max === 0 ? null : { min, max };
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
  return Math.abs(nz) <= WALL * Math.hypot(nx, ny, nz);
}

/** Area of a ring on the ground in square degrees; positive when it runs counter-clockwise seen from above. */
export function signedArea(ring: Positions): number {
  const x0 = ring[0]!;
  const y0 = ring[1]!;
  let sum = 0;
  for (let i = 3; i + 5 < ring.length; i += 3) {
    sum += (ring[i]! - x0) * (ring[i + 4]! - y0) - (ring[i + 3]! - x0) * (ring[i + 1]! - y0);
  }
  return sum / 2;
}

/** An open ring as a line that returns to its beginning. */
export function closed(ring: Positions): Positions {
  const line = new Float64Array(ring.length + 3);
  line.set(ring);
  line.set(ring.subarray(0, 3), ring.length);
  return line;
}
