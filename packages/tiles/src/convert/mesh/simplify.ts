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
 * The body with as few triangles as `error` (metres) allows, or with `triangles` at least. Null when nothing of it is
 * that large.
 */
export function simplifyBody(
  simplifier: Simplifier,
  body: Body,
  { error, triangles = 0 }: { error: number; triangles?: number },
): SimplifiedBody | null {
  const metres = toMetres(body.positions);
  // Corners of neighbours are one vertex where they are at one place: the first of them.
  // With 0 added -0 is 0, which has other bits.
  const points = Float32Array.from(metres, (value) => Math.round(value / WELD) * WELD + 0);
  const first = simplifier.generatePositionRemap(points, 3);
  const indices = trianglesOf(body, metres).map((position) => first[position]!);
  const least = Math.min(3 * triangles, indices.length);
  // Sparse: positions that are not the first of their place do not count.
  const [left, reached] = simplifier.simplify(indices, points, 3, least, error, [
    'ErrorAbsolute',
    'Prune',
    'Sparse',
  ]);
  if (left.length === 0) return null;
  const positions = new Float64Array(3 * left.length);
  for (const [i, vertex] of left.entries()) {
    positions.set(body.positions.subarray(3 * vertex, 3 * vertex + 3), 3 * i);
  }
  const ends = Uint32Array.from({ length: left.length / 3 }, (_, i) => i + 1);
  return {
    body: bodyOfPolygons(
      positions,
      ends.map((end) => 3 * end),
      ends,
      body.twoSided.includes(1),
    ),
    error: reached,
  };
}

/** Numbers of positions, three for each triangle. */
function trianglesOf({ ringEnds, polygonEnds }: Body, metres: Float64Array): Uint32Array {
  const triangles: number[] = [];
  for (let polygon = 0; polygon < polygonEnds.length; polygon++) {
    const first = polygonEnds[polygon - 1] ?? 0;
    const cut = triangulate(
      metres,
      ringEnds[first - 1] ?? 0,
      ringEnds.subarray(first, polygonEnds[polygon]!),
    );
    if (typeof cut !== 'string') for (const position of cut.triangles) triangles.push(position);
  }
  return Uint32Array.from(triangles);
}
