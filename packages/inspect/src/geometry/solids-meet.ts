/** Whether two solids share some of their insides. */
import { CornerIds } from './corner-ids.ts';
import type { PlanePolygon } from './plane-polygon.ts';
import { type Face, triangulated } from './solid-test.ts';
import type { Triangle } from './triangles.ts';

/** A closed solid in triangles, which are nine numbers each: x, y, z of three corners in metres. */
export type TriangleSolid = readonly Float64Array[];

/** Lengths below this do not count, in metres: faces that touch do not make insides meet. */
const TOUCHING = 0.01;

/** Pieces of the plane that are narrower are walls that touch, in metres: coordinates are rounded. */
const NARROW = TOUCHING / 2;

/** The triangles of a solid's polygons around an origin; faces that cannot be cut are left out. */
export function triangleSolid(
  polygons: readonly Pick<PlanePolygon, 'rings'>[],
  origin: readonly [number, number],
): TriangleSolid {
  const corners = new CornerIds();
  const triangles: Triangle[] = [];
  for (const { rings } of polygons) {
    const face: Face = { rings: [] };
    for (const ring of rings) {
      const ids: number[] = [];
      for (let i = 0; i + 2 < ring.length; i += 3) {
        const id = corners.idOf(ring[i]! - origin[0], ring[i + 1]! - origin[1], ring[i + 2]!);
        if (id !== ids.at(-1)) ids.push(id);
      }
      if (ids.length > 1 && ids[0] === ids.at(-1)) ids.pop();
      face.rings.push(ids);
    }
    triangles.push(...(triangulated(face, corners.positions) ?? []));
  }
  return triangles.map((triangle) =>
    Float64Array.from(triangle.flatMap((corner) => corners.positions.slice(3 * corner, 3 * corner + 3))),
  );
}

/**
 * True when insides meet. A vertical line goes through each solid between pairs of heights; insides meet where such
 * spans overlap. Lines stand where triangles of both lie above each other: at the middle of the piece that they share,
 * and just inside of its corners.
 */
export function solidsMeet(one: TriangleSolid, other: TriangleSolid): boolean {
  for (const a of one) {
    if (isUpright(a)) continue;
    for (const b of other) {
      if (isUpright(b) || !boxesMeet(a, b)) continue;
      for (const [x, y] of placesWithin(sharedPiece(a, b))) if (spansOverlap(one, other, x, y)) return true;
    }
  }
  return false;
}

type Place = readonly [x: number, y: number];

function spansOverlap(one: TriangleSolid, other: TriangleSolid, x: number, y: number): boolean {
  const [a, b] = [heightsAt(one, x, y), heightsAt(other, x, y)];
  // A line that only grazes an edge tells nothing.
  if (a.length % 2 !== 0 || b.length % 2 !== 0) return false;
  for (let i = 0; i < a.length; i += 2) {
    for (let j = 0; j < b.length; j += 2) {
      if (Math.min(a[i + 1]!, b[j + 1]!) - Math.max(a[i]!, b[j]!) > TOUCHING) return true;
    }
  }
  return false;
}

/** Heights at which a vertical line goes through the surface of a solid, ascending. */
function heightsAt(solid: TriangleSolid, x: number, y: number): number[] {
  const heights: number[] = [];
  for (const [ax, ay, az, bx, by, bz, cx, cy, cz] of solid as Iterable<
    Float64Array & [number, number, number, number, number, number, number, number, number]
  >) {
    const whole = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (whole === 0) continue;
    const ofB = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / whole;
    const ofC = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / whole;
    if (ofB >= 0 && ofC >= 0 && ofB + ofC <= 1) heights.push(az + ofB * (bz - az) + ofC * (cz - az));
  }
  return heights.sort((a, b) => a - b);
}

/** Twice the area on the plane; above 0 for a triangle that runs counter-clockwise. */
function planArea(t: Float64Array): number {
  return (t[3]! - t[0]!) * (t[7]! - t[1]!) - (t[4]! - t[1]!) * (t[6]! - t[0]!);
}

function isUpright(triangle: Float64Array): boolean {
  return Math.abs(planArea(triangle)) < TOUCHING * TOUCHING;
}

function boxesMeet(a: Float64Array, b: Float64Array): boolean {
  return [0, 1].every((axis) => {
    const [ofA, ofB] = [a, b].map((t) => [t[axis]!, t[axis + 3]!, t[axis + 6]!]);
    return Math.min(...ofA!) < Math.max(...ofB!) && Math.min(...ofB!) < Math.max(...ofA!);
  });
}

/** What two triangles share on the plane: the first, cut along the edges of the second. */
function sharedPiece(a: Float64Array, b: Float64Array): Place[] {
  const sign = Math.sign(planArea(b));
  let piece: Place[] = [
    [a[0]!, a[1]!],
    [a[3]!, a[4]!],
    [a[6]!, a[7]!],
  ];
  for (let i = 0; i < 3; i++) {
    const [fromX, fromY] = [b[3 * i]!, b[3 * i + 1]!];
    const [toX, toY] = [b[(3 * i + 3) % 9]!, b[(3 * i + 4) % 9]!];
    const side = ([x, y]: Place) => sign * ((toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX));
    const kept: Place[] = [];
    piece.forEach((to, k) => {
      const from = piece[(k + piece.length - 1) % piece.length]!;
      const [before, after] = [side(from), side(to)];
      if (before >= 0 !== after >= 0) {
        const share = before / (before - after);
        kept.push([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
      }
      if (after >= 0) kept.push(to);
    });
    piece = kept;
  }
  return piece;
}

/** The middle of a piece, and places near its corners; none of a narrow piece. */
function placesWithin(piece: readonly Place[]): Place[] {
  if (widthOf(piece) < NARROW) return [];
  const middle: Place = [
    piece.reduce((sum, [x]) => sum + x, 0) / piece.length,
    piece.reduce((sum, [, y]) => sum + y, 0) / piece.length,
  ];
  const places = piece.map(([x, y]): Place => [x + NEAR * (middle[0] - x), y + NEAR * (middle[1] - y)]);
  return [middle, ...places];
}

/** The least distance of two parallel lines that have a convex piece between them. */
function widthOf(piece: readonly Place[]): number {
  let width = piece.length < 3 ? 0 : Infinity;
  piece.forEach(([toX, toY], k) => {
    const [fromX, fromY] = piece[(k + piece.length - 1) % piece.length]!;
    const length = Math.hypot(toX - fromX, toY - fromY);
    if (length < NARROW) return;
    const distances = piece.map(([x, y]) => (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX));
    width = Math.min(width, Math.max(...distances.map(Math.abs)) / length);
  });
  return Number.isFinite(width) ? width : 0;
}

/** How far from a corner to the middle of a piece a line stands. */
const NEAR = 0.05;
