/** Shapes with fewer triangles, for tiles that are seen from afar. */
import type { MeshoptSimplifier } from 'meshoptimizer';
import { type Body, bodyOfPolygons } from '../read/bodies.ts';
import { toMetres } from './local-metres.ts';
import { triangulate } from './triangulate.ts';

export type Simplifier = typeof MeshoptSimplifier;

/** Loads the library. */
export async function loadSimplifier(): Promise<Simplifier> {
  const { MeshoptSimplifier } = await import('meshoptimizer');
  await MeshoptSimplifier.ready;
  return MeshoptSimplifier;
}

/** Positions that are nearer than this to each other, metres, are one. */
const WELD = 0.001;

/** What is left of a body. */
export interface SimplifiedBody {
  /** A polygon for each triangle, all of whose corners are positions of the body. */
  body: Body;
  /** How far its surface is from that of the body, metres. */
  error: number;
}

/**
 * The body with as few triangles as `error` (metres) allows, or with `triangles` at least. Null when nothing of it is that large.
 */
export function simplifyBody(
  simplifier: Simplifier,
  body: Body,
  { error, triangles = 0 }: { error: number; triangles?: number },
): SimplifiedBody | null {
  const { corners, indices, points } = weld(body);
  const least = Math.min(3 * triangles, indices.length);
  const [left, reached] = simplifier.simplify(indices, points, 3, least, error, ['ErrorAbsolute', 'Prune']);
  if (left.length === 0) return null;
  const positions = new Float64Array(3 * left.length);
  for (const [i, vertex] of left.entries()) {
    positions.set(body.positions.subarray(3 * corners[vertex]!, 3 * corners[vertex]! + 3), 3 * i);
  }
  const ends = Uint32Array.from({ length: left.length / 3 }, (_, i) => i + 1);
  return {
    body: bodyOfPolygons(
      positions,
      ends.map((end) => 3 * end),
      ends,
    ),
    error: reached,
  };
}

/** Triangles whose corners are shared where they are at one place. */
function weld({ positions, ringEnds, polygonEnds }: Body) {
  const metres = toMetres(positions);
  const known = new Map<string, number>();
  /** For each vertex a position of the body. */
  const corners: number[] = [];
  const indices: number[] = [];
  const vertex = (position: number): number => {
    const key = [0, 1, 2].map((axis) => Math.round(metres[3 * position + axis]! / WELD)).join();
    let number = known.get(key);
    if (number === undefined) {
      number = corners.push(position) - 1;
      known.set(key, number);
    }
    return number;
  };
  for (let polygon = 0; polygon < polygonEnds.length; polygon++) {
    const first = polygonEnds[polygon - 1] ?? 0;
    const from = ringEnds[first - 1] ?? 0;
    const cut = triangulate(metres, from, ringEnds.subarray(first, polygonEnds[polygon]!));
    if (typeof cut !== 'string') indices.push(...cut.triangles.map(vertex));
  }
  const points = new Float32Array(3 * corners.length);
  for (const [i, position] of corners.entries()) {
    points.set(metres.subarray(3 * position, 3 * position + 3), 3 * i);
  }
  return { corners, indices: Uint32Array.from(indices), points };
}
