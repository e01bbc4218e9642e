/**
 * The official test of a surface: each polygon by itself, in steps of which the first that fails ends it. Names of
 * faults are the official ones.
 *
 *   points enough ─▶ holes cross in plan ─▶ planar ─▶ (in its plane) repeated points, crossing itself ─▶ closed
 *     ─▶ holes
 */
import type { PlanePolygon, Ring } from './plane-polygon.ts';
import { contains, distance, distanceToSegment, type Line2, meeting, nearPairs } from './segments.ts';
import {
  areCollinear,
  type Direction,
  directionOf,
  hullThickness,
  normalsOfSurface,
  spreadAlong,
} from './thickness.ts';
import { CROSSING, HOLE_BUFFER, PLANARITY, SAME_POINT } from './tolerances.ts';
import { isClosed, windingOf } from './winding.ts';

export type SurfaceIssue =
  | 'TooFewPoints'
  | 'InteriorRingNotContainedInExteriorRing'
  | 'NonPlanarSurface'
  | 'DuplicateConsecutivePoints'
  | 'SelfIntersection'
  | 'RingNotClosed'
  | 'IntersectionBetweenInteriorAndInterior'
  | 'IncorrectInteriorOrientation';

/** Faults of a polygon in official counting: one, or one for each hole that is wrong; none when it holds. */
export function surfaceIssues(polygon: PlanePolygon): SurfaceIssue[] {
  const known = tested.get(polygon);
  if (known !== undefined) return known;
  const issues = test(polygon);
  tested.set(polygon, issues);
  return issues;
}

const tested = new WeakMap<PlanePolygon, SurfaceIssue[]>();

function test({ rings, isLikeUpstream = false }: PlanePolygon): SurfaceIssue[] {
  if (rings.length === 0 || rings.some((ring) => withoutRepeats(ring) < 4)) return ['TooFewPoints'];
  const local = rings.map((ring) => fromFirst(ring, rings[0]!));
  const [exterior, ...holes] = local as [Ring, ...Ring[]];
  const points = joined(local);
  const { mean: normal, triangle } = normalsOfSurface(exterior, points);
  const isUpright = Math.abs(normal[2]) < UPRIGHT;
  // Seen from above, an upright surface is a line, on which everything would cross.
  if (!isUpright || isLikeUpstream) {
    const plan = flattened(exterior, UP);
    const crossing = holes.filter((hole) => crossInPlan(plan, flattened(hole, UP)));
    if (crossing.length > 0) return crossing.map(() => 'InteriorRingNotContainedInExteriorRing');
  }
  if (areCollinear(points)) return ['NonPlanarSurface'];
  // Faces of the hull decide, and not the mean plane: it halves what one corner is lifted by.
  if (spreadAlong(points, triangle) > PLANARITY && hullThickness(points, normal) > PLANARITY) {
    return ['NonPlanarSurface'];
  }
  const axes = axesOf(normal);
  const flat = local.map((ring) => flattened(ring, axes));
  for (const ring of flat) {
    const issue = ringIssue(ring);
    if (issue !== null) return [issue];
  }
  if (rings.some((ring) => !isClosed(ring))) return ['RingNotClosed'];
  return holeIssues(flat, isLikeUpstream);
}

/** Cosine of the angle to the vertical from which on a surface counts as upright. */
const UPRIGHT = 1e-3;

/** Positions that are not the same as the one before. */
function withoutRepeats(ring: Ring): number {
  let count = ring.length > 0 ? 1 : 0;
  for (let i = 3; i < ring.length; i += 3) {
    if (ring[i] !== ring[i - 3] || ring[i + 1] !== ring[i - 2] || ring[i + 2] !== ring[i - 1]) count++;
  }
  return count;
}

/** Near the origin numbers keep their digits. */
function fromFirst(ring: Ring, origin: Ring): Ring {
  return ring.map((value, i) => value - origin[i % 3]!);
}

function joined(rings: readonly Ring[]): Float64Array {
  const all = new Float64Array(rings.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const ring of rings) {
    all.set(ring, at);
    at += ring.length;
  }
  return all;
}

/** Two directions across a normal, so that turning from the first to the second goes round it counter-clockwise. */
interface Axes {
  u: Direction;
  v: Direction;
}

const UP: Axes = { u: [1, 0, 0], v: [0, 1, 0] };

function axesOf([x, y, z]: Direction): Axes {
  const isSteep = Math.abs(z) < 0.9;
  const u = directionOf(isSteep ? [-y, x, 0] : [z, 0, -x])!;
  return { u, v: [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]] };
}

function flattened(ring: Ring, { u, v }: Axes): Line2 {
  const flat = new Float64Array((ring.length / 3) * 2);
  for (let i = 0, at = 0; i < ring.length; i += 3) {
    flat[at++] = ring[i]! * u[0] + ring[i + 1]! * u[1] + ring[i + 2]! * u[2];
    flat[at++] = ring[i]! * v[0] + ring[i + 1]! * v[1] + ring[i + 2]! * v[2];
  }
  return flat;
}

/** Pieces along each other, or crossings that are far from the corners of both. */
function crossInPlan(exterior: Line2, hole: Line2): boolean {
  for (const [i, j] of nearPairs(exterior, hole)) {
    const found = meeting(exterior, i, hole, j);
    if (found === null || found.kind === 'touch') continue;
    if (found.kind === 'along') return true;
    if (!(isNearCorner(exterior, i, found) && isNearCorner(hole, j, found))) return true;
  }
  return false;
}

function isNearCorner(line: Line2, segment: number, { x, y }: { x: number; y: number }): boolean {
  return [segment, segment + 1].some((i) => Math.hypot(line[2 * i]! - x, line[2 * i + 1]! - y) <= CROSSING);
}

function ringIssue(ring: Line2): SurfaceIssue | null {
  const count = ring.length / 2;
  const isRing = distance(ring, 0, ring, count - 1) === 0;
  for (let i = 1; i < count; i++) {
    if (distance(ring, i - 1, ring, i) <= SAME_POINT) return 'DuplicateConsecutivePoints';
  }
  for (const [i, j] of nearPairs(ring, ring)) {
    const areNeighbours = j === i + 1 || (isRing && i === 0 && j === count - 2);
    if (areNeighbours || meeting(ring, i, ring, j) === null) continue;
    if (!endsAreNear(ring, i, j)) return 'SelfIntersection';
  }
  return null;
}

function endsAreNear(ring: Line2, i: number, j: number): boolean {
  return [i, i + 1].some((a) => [j, j + 1].some((b) => distance(ring, a, ring, b) < SAME_POINT));
}

function holeIssues([exterior, ...holes]: readonly Line2[], isLikeUpstream: boolean): SurfaceIssue[] {
  const issues: SurfaceIssue[] = [];
  for (const hole of holes) {
    const isOutside = !isLikeUpstream && !contains(exterior!, hole[0]!, hole[1]!);
    if (comeNear(exterior!, hole, CROSSING) || isOutside) {
      issues.push('InteriorRingNotContainedInExteriorRing');
    }
  }
  for (let i = 0; i < holes.length; i++) {
    for (let j = i + 1; j < holes.length; j++) {
      const [one, other] = [holes[i]!, holes[j]!];
      const isNested = contains(one, other[0]!, other[1]!) || contains(other, one[0]!, one[1]!);
      if (isNested || comeNear(one, other, 2 * HOLE_BUFFER))
        issues.push('IntersectionBetweenInteriorAndInterior');
    }
  }
  const outside = windingOf(raised(exterior!));
  for (const hole of holes) {
    if (windingOf(raised(hole)) === outside) issues.push('IncorrectInteriorOrientation');
  }
  return issues;
}

/** True when two lines meet, or come as near as a distance. */
function comeNear(a: Line2, b: Line2, limit: number): boolean {
  for (const [i, j] of nearPairs(a, b, limit)) {
    if (meeting(a, i, b, j) !== null) return true;
    const near = [
      distanceToSegment(a, i, b[2 * j]!, b[2 * j + 1]!),
      distanceToSegment(a, i, b[2 * j + 2]!, b[2 * j + 3]!),
      distanceToSegment(b, j, a[2 * i]!, a[2 * i + 1]!),
      distanceToSegment(b, j, a[2 * i + 2]!, a[2 * i + 3]!),
    ];
    if (Math.min(...near) < limit) return true;
  }
  return false;
}

/** With heights of 0. */
function raised(line: Line2): Ring {
  const ring = new Float64Array((line.length / 2) * 3);
  for (let i = 0; i < line.length / 2; i++) ring.set([line[2 * i]!, line[2 * i + 1]!, 0], 3 * i);
  return ring;
}
