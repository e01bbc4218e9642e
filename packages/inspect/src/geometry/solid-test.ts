/**
 * The official test of a solid (L14), whose first fault ends it: it is closed, in one piece, orientable, does not cross
 * itself, and its faces look one way.
 */
import earcut from 'earcut';
import { CornerIds } from './corner-ids.ts';
import type { PlanePolygon, Ring } from './plane-polygon.ts';
import { areaVector, directionOf } from './thickness.ts';
import { type Triangle, trianglesCross } from './triangles.ts';

export type SolidIssue =
  | 'NotClosed'
  | 'NotConnected'
  | 'NotOrientable'
  | 'SelfIntersection'
  | 'WrongFace'
  | 'NotTriangulated'
  /** It has too many faces to be compared with each other. */
  | 'NotCompared';

export interface SolidFault {
  issue: SolidIssue;
  /** Edges that are wrong. */
  edges: number;
}

/** Rings of corners, each open. */
export interface Face {
  rings: number[][];
}

/** More corners than a solid has; their pairs stay exact numbers. */
const MOST_CORNERS = 2 ** 26;

/** Most triangles that are compared with each other. */
const MOST_TRIANGLES = 200_000;

/** The first fault of a solid that its surfaces bound; null when it holds. */
export function solidFault(polygons: readonly PlanePolygon[], most = MOST_TRIANGLES): SolidFault | null {
  const origin = polygons.find(({ rings }) => rings[0] !== undefined && rings[0].length >= 3)?.rings[0];
  if (origin === undefined) return { issue: 'NotClosed', edges: 0 };
  const corners = new CornerIds();
  const faces = polygons.map((polygon) => faceOf(polygon, corners, origin));
  const edges = new Map<number, EdgeUse[]>();
  faces.forEach(({ rings }, face) => {
    for (const ring of rings) {
      ring.forEach((from, i) => {
        const to = ring[(i + 1) % ring.length]!;
        if (from === to) return;
        const key = Math.min(from, to) * MOST_CORNERS + Math.max(from, to);
        const uses = edges.get(key);
        const use = { face, isForward: from < to };
        if (uses === undefined) edges.set(key, [use]);
        else uses.push(use);
      });
    }
  });
  let open = 0;
  for (const uses of edges.values()) if (uses.length !== 2) open++;
  if (open > 0 || edges.size === 0) return { issue: 'NotClosed', edges: open };
  const neighbours = neighboursOf(faces.length, edges);
  const orientation = orient(neighbours);
  if (orientation === null) return { issue: 'NotOrientable', edges: 0 };
  if (orientation.pieces > 1) return { issue: 'NotConnected', edges: 0 };
  const triangles = faces.map((face) => triangulated(face, corners.positions));
  if (triangles.some((some) => some === null)) return { issue: 'NotTriangulated', edges: 0 };
  const all = triangles.flat() as Triangle[];
  if (all.length > most) return { issue: 'NotCompared', edges: 0 };
  if (trianglesCross(all, corners.positions)) {
    return { issue: 'SelfIntersection', edges: 0 };
  }
  let wrong = 0;
  for (const [one, other] of edges.values()) if (one!.isForward === other!.isForward) wrong++;
  return wrong > 0 ? { issue: 'WrongFace', edges: wrong } : null;
}

interface EdgeUse {
  face: number;
  /** From the smaller number of a corner to the larger. */
  isForward: boolean;
}

function faceOf({ rings }: PlanePolygon, corners: CornerIds, origin: Ring): Face {
  return {
    rings: rings.map((ring) => {
      const ids: number[] = [];
      for (let i = 0; i + 2 < ring.length; i += 3) {
        const id = corners.idOf(ring[i]! - origin[0]!, ring[i + 1]! - origin[1]!, ring[i + 2]! - origin[2]!);
        if (id !== ids.at(-1)) ids.push(id);
      }
      if (ids.length > 1 && ids[0] === ids.at(-1)) ids.pop();
      return ids;
    }),
  };
}

interface Neighbour {
  face: number;
  /** Both run the edge the same way. */
  isSame: boolean;
}

function neighboursOf(faces: number, edges: ReadonlyMap<number, EdgeUse[]>): Neighbour[][] {
  const neighbours: Neighbour[][] = Array.from({ length: faces }, () => []);
  for (const [one, other] of edges.values()) {
    const isSame = one!.isForward === other!.isForward;
    neighbours[one!.face]!.push({ face: other!.face, isSame });
    neighbours[other!.face]!.push({ face: one!.face, isSame });
  }
  return neighbours;
}

/** How many pieces hang together by edges; null when faces cannot be turned so that all look one way. */
function orient(neighbours: readonly Neighbour[][]): { pieces: number } | null {
  const turned = new Int8Array(neighbours.length).fill(-1);
  let pieces = 0;
  for (let start = 0; start < neighbours.length; start++) {
    if (turned[start] !== -1 || neighbours[start]!.length === 0) continue;
    pieces++;
    turned[start] = 0;
    const waiting = [start];
    for (let face = waiting.pop(); face !== undefined; face = waiting.pop()) {
      for (const { face: next, isSame } of neighbours[face]!) {
        const wanted = isSame ? 1 - turned[face]! : turned[face]!;
        if (turned[next] === -1) {
          turned[next] = wanted;
          waiting.push(next);
        } else if (turned[next] !== wanted) {
          return null;
        }
      }
    }
  }
  return { pieces };
}

/** Triangles of a face by corners; null when it has an area and cannot be cut. */
export function triangulated({ rings }: Face, positions: readonly number[]): Triangle[] | null {
  const [exterior, ...holes] = rings;
  if (exterior === undefined || exterior.length < 3) return [];
  if (exterior.length === 3 && holes.length === 0) return [exterior as unknown as Triangle];
  const ring = Float64Array.from(
    exterior.flatMap((id) => [positions[3 * id]!, positions[3 * id + 1]!, positions[3 * id + 2]!]),
  );
  const vector = areaVector(ring);
  const normal = directionOf(vector);
  if (normal === null) return [];
  // The plane of two axes that the face is seen best on.
  const sizes = normal.map(Math.abs);
  const drop = sizes.indexOf(Math.max(...sizes));
  const [u, v] = [0, 1, 2].filter((axis) => axis !== drop) as [number, number];
  const ids = rings.flat();
  const starts: number[] = [];
  let count = exterior.length;
  for (const hole of holes) {
    starts.push(count);
    count += hole.length;
  }
  const flat = ids.flatMap((id) => [positions[3 * id + u]!, positions[3 * id + v]!]);
  const cut = earcut(flat, starts);
  if (cut.length === 0) return Math.hypot(...vector) > 1e-6 ? null : [];
  const triangles: Triangle[] = [];
  for (let i = 0; i < cut.length; i += 3)
    triangles.push([ids[cut[i]!]!, ids[cut[i + 1]!]!, ids[cut[i + 2]!]!]);
  return triangles;
}
