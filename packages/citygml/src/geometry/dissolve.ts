/**
 * Polygons that overlap, touch or cross themselves as polygons that are valid together (OGC 06-103r4, section 6.1.14):
 * what any of them covers, once. The time is bounded by what is looked at before: vertices, and pairs of edges that may
 * cross.
 */

import type { Steps } from '@citymodel/base';
import { area as areaOf, Clipper64, ClipType, FillRule } from 'clipper2-ts';
import type { Position } from 'geojson';
import {
  boundariesOf,
  edgesOf,
  type GridEdge,
  type GridRing,
  isSimpleRing,
  nodeEdges,
} from './grid-rings.ts';
import { type Rings, splitRings } from './split-rings.ts';

/** The published data has features of up to 15,260 vertices. */
const MAX_VERTICES = 16_000;
/** Pairs of edges that cross between their ends, up to 41,859 in published data. */
const MAX_CROSSINGS = 45_000;
/** Pairs of edges for which it may be looked whether they cross. */
const MAX_COMPARISONS = 5_000_000;
/** Comparisons of one step, some milliseconds. */
const COMPARISONS_AT_ONCE = 200_000;
/** Vertices of one step of the union, which a caller may wait for between two turns of the event loop. */
const VERTICES_AT_ONCE = 4_000;
/** Vertices that the parts may have together when they are joined. */
const MAX_JOINED = 12_000;
/** Rings up to this length are looked at edge by edge. */
const MAX_SIMPLE = 64;

/** Whole numbers per degree: a unit is a tenth of a millimetre. */
const UNITS = 1e9;
/**
 * Coarser grids are for what no finer one takes: a union and its rounding may disagree for ever. The coarsest has 11
 * mm.
 */
const GRIDS = [UNITS, 1e8, 1e7];
/** How often vertices are put into the edges of a union. */
const MAX_ROUNDS = 6;

/**
 * The union of polygons; null when it would take too long. An empty union is an empty list. Positions are on the grid
 * of the ninth decimal, before and after, and the polygons are valid there: rings meet in vertices alone, and what lies
 * apart is half a unit apart at least. Large unions are made of neighbours first, then of what came of them, in
 * short steps.
 */
export function* dissolve(polygons: readonly Rings[]): Steps<Rings[] | null> {
  if (polygons.length === 0) return [];
  if (polygons.length === 1 && polygons[0]!.length === 1 && isSimple(polygons[0]![0]!)) return [polygons[0]!];
  if (!(yield* isBounded(polygons))) return null;
  yield;
  for (const units of GRIDS) {
    const grid = new Grid(polygons[0]![0]![0]!, units);
    const rings = yield* joinedUnion(polygons, grid);
    if (rings === null) return null;
    if (verticesOf(polygons) > VERTICES_AT_ONCE) yield;
    const boundaries = yield* settled(rings);
    if (boundaries === null) continue;
    return splitRings(boundaries.map((ring) => grid.positionsOf(ring)));
  }
  return null;
}

/** Whole numbers relative to a corner, so that products stay exact. */
class Grid {
  readonly #units: number;
  readonly #west: number;
  readonly #south: number;

  constructor([lng, lat]: Position, units: number) {
    this.#units = units;
    this.#west = Math.round(lng! * units);
    this.#south = Math.round(lat! * units);
  }

  /** Of a closed ring. */
  ringOf(ring: readonly Position[]): GridRing {
    return ring.slice(1).map(([x, y]) => ({
      x: Math.round(x! * this.#units) - this.#west,
      y: Math.round(y! * this.#units) - this.#south,
    }));
  }

  /** Closed again. */
  positionsOf(ring: GridRing): Position[] {
    const positions = ring.map(
      ({ x, y }): Position => [(x + this.#west) / this.#units, (y + this.#south) / this.#units],
    );
    return [...positions, positions[0]!];
  }
}

/** The union of polygons, of parts where they are many; null when the parts are too large. */
function* joinedUnion(polygons: readonly Rings[], grid: Grid): Steps<GridRing[] | null> {
  const parts = neighbours(polygons);
  if (parts.length === 1) return union(ringsOf(polygons, grid));
  const joined: GridRing[] = [];
  let vertices = 0;
  for (const part of parts) {
    if (verticesOf(part) > MAX_JOINED) return null;
    const rings = union(ringsOf(part, grid));
    joined.push(...rings);
    for (const ring of rings) vertices += ring.length + 1;
    yield;
  }
  return vertices > MAX_JOINED ? null : union(joined);
}

/** Exterior rings counter-clockwise, holes clockwise. */
function ringsOf(polygons: readonly Rings[], grid: Grid): GridRing[] {
  return polygons.flatMap((rings) =>
    rings.map((ring, i) => {
      const path = grid.ringOf(ring);
      return areaOf(path) > 0 === (i === 0) ? path : path.reverse();
    }),
  );
}

/** The boundaries of a union once its edges meet in vertices alone; null when they do not come to that. */
function* settled(rings: readonly GridRing[]): Steps<GridRing[] | null> {
  let edges: readonly GridEdge[] | null = edgesOf(rings);
  for (let round = 0; round < MAX_ROUNDS && edges !== null; round++) {
    const noded: readonly GridEdge[] | null = yield* nodeEdges(edges, MAX_COMPARISONS);
    if (noded === edges) {
      if (edges.length > VERTICES_AT_ONCE) yield;
      return boundariesOf(edges);
    }
    edges = noded;
  }
  return null;
}

/** The polygons in groups of a step each, from west to east. */
function neighbours(polygons: readonly Rings[]): Rings[][] {
  const groups: Rings[][] = [[]];
  let vertices = 0;
  for (const polygon of polygons.toSorted((a, b) => a[0]![0]![0]! - b[0]![0]![0]!)) {
    vertices += verticesOf([polygon]);
    if (vertices > VERTICES_AT_ONCE && groups.at(-1)!.length > 0) {
      groups.push([]);
      vertices = verticesOf([polygon]);
    }
    groups.at(-1)!.push(polygon);
  }
  return groups;
}

function verticesOf(polygons: readonly Rings[]): number {
  let vertices = 0;
  for (const rings of polygons) for (const ring of rings) vertices += ring.length;
  return vertices;
}

/** By Clipper2, whose arithmetic of whole numbers always ends. */
function union(rings: readonly GridRing[]): GridRing[] {
  const clipper = new Clipper64();
  clipper.preserveCollinear = false;
  clipper.addSubject([...rings]);
  const solution: GridRing[] = [];
  clipper.execute(ClipType.Union, FillRule.NonZero, solution);
  return solution;
}

/**
 * True when no two edges of a closed ring cross, touch or run back along each other; false too for a ring that is too
 * long to tell.
 */
export function isSimple(ring: readonly Position[]): boolean {
  const edges = ring.length - 1;
  return edges >= 3 && edges <= MAX_SIMPLE && isSimpleRing(new Grid(ring[0]!, UNITS).ringOf(ring));
}

/** An edge with the longitudes and latitudes that it reaches from and to. */
interface Edge {
  from: Position;
  to: Position;
  west: number;
  east: number;
  south: number;
  north: number;
}

/** Positive when the way from a over b to c turns left. */
function turn(a: Position, b: Position, c: Position): number {
  return (b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!);
}

/** True when edges a-b and c-d cross between their ends. */
function edgesCross(a: Position, b: Position, c: Position, d: Position): boolean {
  return turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
}

/** True when a union takes a bounded time: few vertices, and few pairs of edges that may cross. */
function* isBounded(polygons: readonly Rings[]): Steps<boolean> {
  if (verticesOf(polygons) > MAX_VERTICES) return false;
  const edges: Edge[] = [];
  for (const rings of polygons) {
    for (const ring of rings) {
      for (let i = 1; i < ring.length; i++) {
        const [from, to] = [ring[i - 1]!, ring[i]!];
        const [west, east] = from[0]! < to[0]! ? [from[0]!, to[0]!] : [to[0]!, from[0]!];
        const [south, north] = from[1]! < to[1]! ? [from[1]!, to[1]!] : [to[1]!, from[1]!];
        edges.push({ from, to, west, east, south, north });
      }
    }
  }
  edges.sort((a, b) => a.west - b.west);
  let crossings = 0;
  let comparisons = 0;
  let due = COMPARISONS_AT_ONCE;
  for (const [i, { from, to, east, south, north }] of edges.entries()) {
    for (let k = i + 1; k < edges.length; k++) {
      const other = edges[k]!;
      if (other.west > east) break;
      comparisons++;
      // Most edges that share a longitude lie far from each other.
      if (other.south > north || other.north < south) continue;
      if (edgesCross(from, to, other.from, other.to)) crossings++;
    }
    if (crossings > MAX_CROSSINGS || comparisons > MAX_COMPARISONS) return false;
    if (comparisons < due) continue;
    yield;
    due = comparisons + COMPARISONS_AT_ONCE;
  }
  return true;
}
