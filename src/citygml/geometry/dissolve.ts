/**
 * Polygons that overlap, touch or cross themselves as polygons that are valid together (OGC 06-103r4, section 6.1.14): what any of
 * them covers, once. The time is bounded by what is looked at before: vertices, and pairs of edges that may cross.
 */

import { area as areaOf, Clipper64, ClipType, FillRule, type PolyPath64, PolyTree64 } from 'clipper2-ts';
import type { Position } from 'geojson';
import type { Steps } from '../../base/steps.ts';
import { type Rings, splitRings } from './split-rings.ts';

/** The published data has features of up to 15,260 vertices. */
const MAX_VERTICES = 16_000;
/** Pairs of edges that cross between their ends, up to 41,859 in published data. */
const MAX_CROSSINGS = 45_000;
/** Pairs of edges for which it may be looked whether they cross. */
const MAX_COMPARISONS = 5_000_000;
/** Comparisons of one step, some milliseconds. */
const COMPARISONS_AT_ONCE = 200_000;
/** Vertices of one step of the union, which takes some 0.04 s of CPU. */
const VERTICES_AT_ONCE = 4_000;
/** Vertices that the parts may have together when they are joined. */
const MAX_JOINED = 12_000;
/** Rings up to this length are looked at edge by edge. */
const MAX_SIMPLE = 64;

/** Whole numbers per degree: a unit is a tenth of a millimetre. */
const UNITS = 1e9;

/**
 * The union of polygons; null when it would take too long. An empty union is an empty list. Positions are on the grid of the ninth
 * decimal, before and after. Large unions are made of neighbours first, then of what came of them; a step takes less than 0.1 s of CPU.
 */
export function* dissolve(polygons: readonly Rings[]): Steps<Rings[] | null> {
  if (polygons.length === 0) return [];
  if (polygons.length === 1 && polygons[0]!.length === 1 && isSimple(polygons[0]![0]!)) return [polygons[0]!];
  if (!(yield* isBounded(polygons))) return null;
  yield;
  const parts = neighbours(polygons);
  if (parts.length === 1) return union(polygons);
  const joined: Rings[] = [];
  for (const part of parts) {
    if (verticesOf(part) > MAX_JOINED) return null;
    joined.push(...union(part));
    yield;
  }
  return verticesOf(joined) > MAX_JOINED ? null : union(joined);
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

/** By Clipper2, whose arithmetic of whole numbers always ends; relative to a corner, so that products stay exact. */
function union(polygons: readonly Rings[]): Rings[] {
  const [lng, lat] = polygons[0]![0]![0] as [number, number];
  const [west, south] = [Math.round(lng * UNITS), Math.round(lat * UNITS)];
  const clipper = new Clipper64();
  clipper.preserveCollinear = false;
  for (const rings of polygons) {
    for (const [i, ring] of rings.entries()) {
      const path = ring
        .slice(1)
        .map(([x, y]) => ({ x: Math.round(x! * UNITS) - west, y: Math.round(y! * UNITS) - south }));
      if (areaOf(path) > 0 !== (i === 0)) path.reverse();
      clipper.addSubject([path]);
    }
  }
  const tree = new PolyTree64();
  clipper.execute(ClipType.Union, FillRule.NonZero, tree, []);
  const ringOf = ({ poly }: PolyPath64): Position[] => {
    const ring = poly!.map(({ x, y }): Position => [(x + west) / UNITS, (y + south) / UNITS]);
    return [...ring, ring[0]!];
  };
  const found: Rings[] = [];
  const visit = (outside: PolyPath64) => {
    for (const exterior of childrenOf(outside)) {
      const holes = childrenOf(exterior);
      found.push(...splitRings([ringOf(exterior), ...holes.map(ringOf)]));
      for (const hole of holes) visit(hole);
    }
  };
  visit(tree);
  return found;
}

function childrenOf(path: PolyPath64): PolyPath64[] {
  return Array.from({ length: path.count }, (_, i) => path.child(i));
}

/** True when no two edges of a closed ring cross, touch or run back along each other; false too for a ring that is too long to tell. */
export function isSimple(ring: readonly Position[]): boolean {
  const edges = ring.length - 1;
  if (edges < 3 || edges > MAX_SIMPLE) return false;
  for (let i = 0; i < edges; i++) {
    const [a, b, c] = [ring[i]!, ring[i + 1]!, ring[(i + 2) % edges]!];
    if (turn(a, b, c) === 0 && (b[0]! - a[0]!) * (c[0]! - b[0]!) + (b[1]! - a[1]!) * (c[1]! - b[1]!) <= 0) {
      return false;
    }
    for (let k = i + 2; k < edges; k++) {
      if (i === 0 && k === edges - 1) continue;
      if (edgesMeet(a, b, ring[k]!, ring[k + 1]!)) return false;
    }
  }
  return true;
}

/** An edge with the longitudes that it reaches from and to. */
interface Edge {
  from: Position;
  to: Position;
  west: number;
  east: number;
}

/** Positive when the way from a over b to c turns left. */
function turn(a: Position, b: Position, c: Position): number {
  return (b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!);
}

/** True when edges a-b and c-d have a point in common, or nearly so. */
function edgesMeet(a: Position, b: Position, c: Position, d: Position): boolean {
  if (Math.max(a[0]!, b[0]!) < Math.min(c[0]!, d[0]!) || Math.max(c[0]!, d[0]!) < Math.min(a[0]!, b[0]!)) {
    return false;
  }
  if (Math.max(a[1]!, b[1]!) < Math.min(c[1]!, d[1]!) || Math.max(c[1]!, d[1]!) < Math.min(a[1]!, b[1]!)) {
    return false;
  }
  const [c1, c2, c3, c4] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
  return c1 * c2 <= 0 && c3 * c4 <= 0;
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
        edges.push({ from, to, west: Math.min(from[0]!, to[0]!), east: Math.max(from[0]!, to[0]!) });
      }
    }
  }
  edges.sort((a, b) => a.west - b.west);
  let crossings = 0;
  let comparisons = 0;
  let due = COMPARISONS_AT_ONCE;
  for (const [i, { from, to, east }] of edges.entries()) {
    for (let k = i + 1; k < edges.length && edges[k]!.west <= east; k++) {
      comparisons++;
      if (edgesCross(from, to, edges[k]!.from, edges[k]!.to)) crossings++;
    }
    if (crossings > MAX_CROSSINGS || comparisons > MAX_COMPARISONS) return false;
    if (comparisons < due) continue;
    yield;
    due = comparisons + COMPARISONS_AT_ONCE;
  }
  return true;
}
