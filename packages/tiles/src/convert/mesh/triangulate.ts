/** Polygons in space as triangles. */
import earcut from 'earcut';

/** Below this many square metres a polygon by itself is nothing that can be seen. */
export const SMALLEST_AREA = 1e-4;
/** Below this many it has no direction to look to. */
export const NO_AREA = 1e-7;
/** Narrower than this, metres, a small polygon is a line. */
const LEAST_WIDTH = 1e-4;
/** Wider than this on average, metres, what has no area is no line: its parts take each other away. */
const CROSSED_WIDTH = 0.05;
/** What areas by rings and by triangles may differ where rings do not cross: parts of it, and square metres. */
const CROSSED_AREA = { relative: 0.01, least: 0.1 };
/** Farther than this from its plane, metres, a polygon counts as bent. */
const BENT = 0.1;

export interface Triangulation {
  /** Numbers of positions, three for each triangle, counter-clockwise seen from where the normal points to. */
  triangles: number[];
  /** Unit normal. */
  normal: [x: number, y: number, z: number];
  /** True when a position lies more than 10 cm off the plane. */
  bent: boolean;
  /** Square metres within the outer ring, as the ring tells it. */
  outerArea: number;
}

/** Why a polygon has no triangles. */
export type NoTriangles = 'tiny' | 'crossed';

/**
 * Cuts a polygon into triangles. `points` has x, y, z by turns of positions `from` to `ends.at(-1)`, whose rings end at
 * `ends`, the outer one first. Numbers in the result count from 0 of `points`. The outer ring is counter-clockwise seen
 * from outside. A polygon of less than `least` square metres has none.
 */
export function triangulate(
  points: Float64Array,
  from: number,
  ends: Uint32Array,
  least = SMALLEST_AREA,
): Triangulation | NoTriangles {
  const normal = newell(points, from, ends[0]!);
  const length = Math.hypot(...normal);
  if (length / 2 < least) return isWide(points, from, ends[0]!) ? 'crossed' : 'tiny';
  if (length / 2 < SMALLEST_AREA && length < LEAST_WIDTH * extentOf(points, from, ends[0]!)) return 'tiny';
  normal[0] /= length;
  normal[1] /= length;
  normal[2] /= length;
  const count = ends.at(-1)! - from;
  const outerArea = length / 2;
  if (count === 3) return { triangles: [from, from + 1, from + 2], normal, bent: false, outerArea };
  const bent = isBent(points, from, ends.at(-1)!, normal);
  const isOneRing = ends.length === 1;
  const quad = isOneRing && count === 4 ? cutQuad(points, from, normal) : null;
  if (quad !== null) return { triangles: quad, normal, bent, outerArea };
  const axes = [0, 1, 2].sort((a, b) => Math.abs(normal[b]!) - Math.abs(normal[a]!));
  for (const axis of axes.slice(0, 2)) {
    const triangles = cutAlong(points, from, ends, axis);
    if (triangles.length > 0)
      return { triangles: turned(points, triangles, normal), normal, bent, outerArea };
  }
  return 'crossed';
}

/** What was drawn of a polygon, square metres: by its rings, by its triangles, and whether the rings cross. */
export interface CutArea {
  rings: number;
  triangles: number;
  crosses: boolean;
}

/** Areas of a polygon that was cut; the arguments are those of `triangulate`. */
export function areaOfCut(
  points: Float64Array,
  from: number,
  ends: Uint32Array,
  { triangles, bent, outerArea }: Triangulation,
): CutArea {
  if (ends.at(-1)! - from === 3) return { rings: outerArea, triangles: outerArea, crosses: false };
  const rings = ends.length === 1 ? outerArea : ringsArea(points, from, ends);
  const area = trianglesArea(points, triangles);
  // Rings count what they run around the other way as less, triangles count all that they cover.
  const most = CROSSED_AREA.least + CROSSED_AREA.relative * rings;
  return { rings, triangles: area, crosses: !bent && Math.abs(area - rings) > most };
}

/** Newell's method: sums over the edges, so that no single corner decides. Its length is twice the area. */
export function newell(points: Float64Array, from: number, to: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  // Relative to a corner, so that products stay exact.
  const [ox, oy, oz] = [points[3 * from]!, points[3 * from + 1]!, points[3 * from + 2]!];
  let [ax, ay, az] = [points[3 * to - 3]! - ox, points[3 * to - 2]! - oy, points[3 * to - 1]! - oz];
  for (let i = from; i < to; i++) {
    const bx = points[3 * i]! - ox;
    const by = points[3 * i + 1]! - oy;
    const bz = points[3 * i + 2]! - oz;
    sum[0] += (ay - by) * (az + bz);
    sum[1] += (az - bz) * (ax + bx);
    sum[2] += (ax - bx) * (ay + by);
    ax = bx;
    ay = by;
    az = bz;
  }
  return sum;
}

/** Square metres of triangles. */
function trianglesArea(points: Float64Array, triangles: readonly number[]): number {
  let twice = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const a = 3 * triangles[i]!;
    const b = 3 * triangles[i + 1]!;
    const c = 3 * triangles[i + 2]!;
    const ux = points[b]! - points[a]!;
    const uy = points[b + 1]! - points[a + 1]!;
    const uz = points[b + 2]! - points[a + 2]!;
    const vx = points[c]! - points[a]!;
    const vy = points[c + 1]! - points[a + 1]!;
    const vz = points[c + 2]! - points[a + 2]!;
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    twice += Math.sqrt(x * x + y * y + z * z);
  }
  return twice / 2;
}

/** Square metres of a polygon by its rings, whose arguments are those of `triangulate`; 0 at least. */
export function ringsArea(points: Float64Array, from: number, ends: Uint32Array): number {
  let area = 0;
  let start = from;
  for (const [i, end] of ends.entries()) {
    area += ((i === 0 ? 1 : -1) * Math.hypot(...newell(points, start, end))) / 2;
    start = end;
  }
  return Math.max(0, area);
}

/** Whether triangles from the first position over all edges are wide on average, whichever way they run. */
function isWide(points: Float64Array, from: number, to: number): boolean {
  const fan: number[] = [];
  for (let i = from + 1; i < to - 1; i++) fan.push(from, i, i + 1);
  return trianglesArea(points, fan) > Math.max(SMALLEST_AREA, CROSSED_WIDTH * extentOf(points, from, to));
}

/** Longest side of the box around positions, metres. */
function extentOf(points: Float64Array, from: number, to: number): number {
  let longest = 0;
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = from; i < to; i++) {
      low = Math.min(low, points[3 * i + axis]!);
      high = Math.max(high, points[3 * i + axis]!);
    }
    longest = Math.max(longest, high - low);
  }
  return longest;
}

function isBent(points: Float64Array, from: number, to: number, normal: readonly number[]): boolean {
  let [low, high] = [Infinity, -Infinity];
  for (let i = from; i < to; i++) {
    const distance =
      points[3 * i]! * normal[0]! + points[3 * i + 1]! * normal[1]! + points[3 * i + 2]! * normal[2]!;
    low = Math.min(low, distance);
    high = Math.max(high, distance);
  }
  return high - low > 2 * BENT;
}

/** Along the diagonal that lies inside; null where neither does. */
function cutQuad(points: Float64Array, from: number, normal: readonly number[]): number[] | null {
  const [a, b, c, d] = [from, from + 1, from + 2, from + 3];
  if (side(points, a, b, c, normal) > 0 && side(points, a, c, d, normal) > 0) return [a, b, c, a, c, d];
  if (side(points, a, b, d, normal) > 0 && side(points, b, c, d, normal) > 0) return [a, b, d, b, c, d];
  return null;
}

/** Twice the area of a triangle as seen from where the normal points to, negative for a clockwise one. */
function side(points: Float64Array, a: number, b: number, c: number, normal: readonly number[]): number {
  const ux = points[3 * b]! - points[3 * a]!;
  const uy = points[3 * b + 1]! - points[3 * a + 1]!;
  const uz = points[3 * b + 2]! - points[3 * a + 2]!;
  const vx = points[3 * c]! - points[3 * a]!;
  const vy = points[3 * c + 1]! - points[3 * a + 1]!;
  const vz = points[3 * c + 2]! - points[3 * a + 2]!;
  return (
    (uy * vz - uz * vy) * normal[0]! + (uz * vx - ux * vz) * normal[1]! + (ux * vy - uy * vx) * normal[2]!
  );
}

/** Projected along one axis. */
function cutAlong(points: Float64Array, from: number, ends: Uint32Array, axis: number): number[] {
  const [u, v] = axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1];
  const to = ends.at(-1)!;
  const flat = new Array<number>(2 * (to - from));
  for (let i = from; i < to; i++) {
    flat[2 * (i - from)] = points[3 * i + u]!;
    flat[2 * (i - from) + 1] = points[3 * i + v]!;
  }
  const holes = Array.from(ends.subarray(0, -1), (end) => end - from);
  const triangles = earcut(flat, holes.length === 0 ? undefined : holes);
  for (let i = 0; i < triangles.length; i++) triangles[i]! += from;
  return triangles;
}

/** All triangles counter-clockwise, however they were cut. */
function turned(points: Float64Array, triangles: number[], normal: readonly number[]): number[] {
  for (let i = 0; i < triangles.length; i += 3) {
    const b = triangles[i + 1]!;
    const c = triangles[i + 2]!;
    if (side(points, triangles[i]!, b, c, normal) >= 0) continue;
    triangles[i + 1] = c;
    triangles[i + 2] = b;
  }
  return triangles;
}
