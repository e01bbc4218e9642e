/** How far points are from lying in a plane. */
import { orient3d } from 'robust-predicates';
import { COLLINEAR } from './tolerances.ts';

/** Points in space, three numbers each. */
export type Points = Float64Array;

/** A direction of length 1. */
export type Direction = readonly [x: number, y: number, z: number];

/** More points than a hull is made of: thickness is measured along the normal then. */
const MOST_POINTS = 2000;

/**
 * The area vector of a ring, which points to where it is seen counter-clockwise (Newell's method); twice the area long.
 */
export function areaVector(ring: Points): [x: number, y: number, z: number] {
  const sum: [number, number, number] = [0, 0, 0];
  const [x0, y0, z0] = [ring[0]!, ring[1]!, ring[2]!];
  for (let i = 0; i < ring.length; i += 3) {
    const j = (i + 3) % ring.length;
    const [ax, ay, az] = [ring[i]! - x0, ring[i + 1]! - y0, ring[i + 2]! - z0];
    const [bx, by, bz] = [ring[j]! - x0, ring[j + 1]! - y0, ring[j + 2]! - z0];
    sum[0] += ay * bz - az * by;
    sum[1] += az * bx - ax * bz;
    sum[2] += ax * by - ay * bx;
  }
  return sum;
}

/** A vector of length 1, or null for one that has no direction. */
export function directionOf([x, y, z]: readonly [number, number, number]): Direction | null {
  const length = Math.hypot(x, y, z);
  return length > 0 ? [x / length, y / length, z / length] : null;
}

/** Extent of points along a direction. */
export function spreadAlong(points: Points, [x, y, z]: Direction): number {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 3) {
    const height = points[i]! * x + points[i + 1]! * y + points[i + 2]! * z;
    if (height < least) least = height;
    if (height > most) most = height;
  }
  return most - least;
}

/** Areas below this share of the largest triangle among the points are rounding, such as that of an eight. */
const ROUNDING = 1e-6;

/** Directions across points that lie about in a plane. */
export interface SurfaceNormals {
  /** By the area of the exterior; across the largest triangle where it has none. */
  mean: Direction;
  /** Across the largest triangle on the two points that are farthest apart. */
  triangle: Direction;
}

export function normalsOfSurface(exterior: Points, points: Points): SurfaceNormals {
  const vector = areaVector(exterior);
  const a = farthest(points, 0);
  const b = farthest(points, a);
  let across: [number, number, number] = [0, 0, 1];
  let most = 0;
  for (let i = 0; i < points.length / 3; i++) {
    const normal = normalOf(points, a, b, i);
    const size = Math.hypot(...normal);
    if (size > most) [across, most] = [normal, size];
  }
  const triangle = directionOf(across) ?? [0, 0, 1];
  const mean = Math.hypot(...vector) > ROUNDING * most ? directionOf(vector) : null;
  return { mean: mean ?? triangle, triangle };
}

/** True when all points lie on one line, up to rounding; also for fewer than three different ones. */
export function areCollinear(points: Points): boolean {
  const a = farthest(points, 0);
  const b = farthest(points, a);
  const direction = directionOf([
    points[3 * b]! - points[3 * a]!,
    points[3 * b + 1]! - points[3 * a + 1]!,
    points[3 * b + 2]! - points[3 * a + 2]!,
  ]);
  if (direction === null) return true;
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = [
      points[i]! - points[3 * a]!,
      points[i + 1]! - points[3 * a + 1]!,
      points[i + 2]! - points[3 * a + 2]!,
    ];
    const along = x * direction[0] + y * direction[1] + z * direction[2];
    if (Math.hypot(x - along * direction[0], y - along * direction[1], z - along * direction[2]) > COLLINEAR)
      return false;
  }
  return true;
}

function farthest(points: Points, from: number): number {
  let [best, most] = [0, -1];
  for (let i = 0; i < points.length / 3; i++) {
    const squared =
      (points[3 * i]! - points[3 * from]!) ** 2 +
      (points[3 * i + 1]! - points[3 * from + 1]!) ** 2 +
      (points[3 * i + 2]! - points[3 * from + 2]!) ** 2;
    if (squared > most) [best, most] = [i, squared];
  }
  return best;
}

/**
 * The smallest extent of the points across a face of their convex hull, in metres; 0 for points in one plane. Of more
 * than `MOST_POINTS` points it is the extent along `normal`, which is no less.
 */
export function hullThickness(points: Points, normal: Direction): number {
  if (points.length / 3 > MOST_POINTS) return spreadAlong(points, normal);
  let thickness = Infinity;
  for (const [a, b, c] of convexHull(points)) {
    const direction = directionOf(normalOf(points, a, b, c));
    if (direction !== null) thickness = Math.min(thickness, spreadAlong(points, direction));
  }
  return thickness === Infinity ? 0 : thickness;
}

type Face = readonly [a: number, b: number, c: number];

/**
 * Faces of the convex hull of points, counter-clockwise from outside; none when they lie in one plane. The predicate is
 * exact.
 */
export function convexHull(points: Points): Face[] {
  const first = tetrahedron(points);
  if (first === null) return [];
  const [a, b, c, d] = first;
  let faces: Face[] = [
    [a, b, c],
    [a, d, b],
    [b, d, c],
    [c, d, a],
  ];
  for (let point = 0; point < points.length / 3; point++) {
    if (first.includes(point)) continue;
    const seen = faces.filter((face) => side(points, face, point) > 0);
    if (seen.length === 0) continue;
    const edges = new Set(seen.flatMap(([p, q, r]) => [`${p} ${q}`, `${q} ${r}`, `${r} ${p}`]));
    const kept = new Set(seen);
    faces = faces.filter((face) => !kept.has(face));
    for (const edge of edges) {
      const [from, to] = edge.split(' ').map(Number) as [number, number];
      if (!edges.has(`${to} ${from}`)) faces.push([from, to, point]);
    }
  }
  return faces;
}

/** Four points that are not in one plane, the last below the face of the first three; null when there are none. */
function tetrahedron(points: Points): [number, number, number, number] | null {
  const a = farthest(points, 0);
  const b = farthest(points, a);
  let [c, most] = [-1, 0];
  for (let i = 0; i < points.length / 3; i++) {
    const size = Math.hypot(...normalOf(points, a, b, i));
    if (size > most) [c, most] = [i, size];
  }
  if (c < 0) return null;
  let [d, highest] = [-1, 0];
  for (let i = 0; i < points.length / 3; i++) {
    const volume = Math.abs(side(points, [a, b, c], i));
    if (volume > highest) [d, highest] = [i, volume];
  }
  if (d < 0) return null;
  return side(points, [a, b, c], d) > 0 ? [a, c, b, d] : [a, b, c, d];
}

/** Above 0 for a point that sees a face from outside. */
function side(points: Points, [a, b, c]: Face, point: number): number {
  return (
    orient3d(
      points[3 * a]!,
      points[3 * a + 1]!,
      points[3 * a + 2]!,
      points[3 * b]!,
      points[3 * b + 1]!,
      points[3 * b + 2]!,
      points[3 * c]!,
      points[3 * c + 1]!,
      points[3 * c + 2]!,
      points[3 * point]!,
      points[3 * point + 1]!,
      points[3 * point + 2]!,
    ) * -1
  );
}

function normalOf(points: Points, a: number, b: number, c: number): [number, number, number] {
  const [ux, uy, uz] = [0, 1, 2].map((i) => points[3 * b + i]! - points[3 * a + i]!) as [
    number,
    number,
    number,
  ];
  const [vx, vy, vz] = [0, 1, 2].map((i) => points[3 * c + i]! - points[3 * a + i]!) as [
    number,
    number,
    number,
  ];
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}
