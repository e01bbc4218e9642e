/**
 * What rings on a grid of whole numbers bound, with edges that meet in their vertices alone. An intersection that is
 * rounded to the grid moves two edges a little, over others that were near; so vertices are put into every edge that
 * passes near them until none does (snap rounding: Hobby, "Practical segment intersection with finite precision
 * output", 1999). What lies apart on the grid then lies so far apart that it does in floating-point numbers too.
 */
import type { Steps } from '@citymodel/base';

/** Whole numbers. */
export interface GridPoint {
  x: number;
  y: number;
}

/** Does not repeat its first vertex. */
export type GridRing = GridPoint[];

/** An edge that runs north, or east where it is level. */
export interface GridEdge {
  from: GridPoint;
  to: GridPoint;
  /** By how much more often rings run along it than back; never 0. */
  times: number;
}

/** Square of the distance up to which a vertex lies on an edge: half of the diagonal of a unit. */
const NEAR = 0.5;
/** Pairs of edges of one step, some milliseconds. */
const PAIRS_AT_ONCE = 200_000;
/** Levels by which edges are found. */
const MAX_LEVELS = 256;

/** The edges of rings, each once; those along which rings run as often as back bound nothing. */
export function edgesOf(rings: readonly GridRing[]): GridEdge[] {
  return merged(
    rings.flatMap((ring) =>
      ring.map((from, i): GridEdge => ({ from, to: ring[(i + 1) % ring.length]!, times: 1 })),
    ),
  );
}

function merged(edges: readonly GridEdge[]): GridEdge[] {
  const found = new Map<string, GridEdge>();
  for (const { from, to, times } of edges) {
    const isForward = from.y < to.y || (from.y === to.y && from.x < to.x);
    const [a, b] = isForward ? [from, to] : [to, from];
    if (a.x === b.x && a.y === b.y) continue;
    const key = `${a.x} ${a.y} ${b.x} ${b.y}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { from: a, to: b, times: isForward ? times : -times });
    else known.times += isForward ? times : -times;
  }
  return [...found.values()].filter(({ times }) => times !== 0);
}

/**
 * Edges with a vertex wherever one lies on them or nearly so, and where they cross. The same array when there is
 * nothing to put in; null when more than `maxPairs` pairs of edges would have to be compared. New vertices may lie near
 * other edges: look again.
 */
export function* nodeEdges(edges: readonly GridEdge[], maxPairs: number): Steps<readonly GridEdge[] | null> {
  const sorted = edges
    .map((edge) => ({ edge, west: Math.min(edge.from.x, edge.to.x), inside: [] as GridPoint[] }))
    .sort((a, b) => a.west - b.west);
  let pairs = 0;
  let due = PAIRS_AT_ONCE;
  let isNoded = true;
  for (const [i, { edge, inside }] of sorted.entries()) {
    const east = Math.max(edge.from.x, edge.to.x) + 1;
    for (let k = i + 1; k < sorted.length && sorted[k]!.west <= east; k++) {
      pairs++;
      if (meet(edge, inside, sorted[k]!.edge, sorted[k]!.inside)) isNoded = false;
    }
    if (pairs > maxPairs) return null;
    if (pairs < due) continue;
    yield;
    due = pairs + PAIRS_AT_ONCE;
  }
  return isNoded ? edges : merged(sorted.flatMap(({ edge, inside }) => split(edge, inside)));
}

type Line = Pick<GridEdge, 'from' | 'to'>;

/** Notes the vertices to put into two edges; true when there are any. */
function meet(a: Line, insideA: GridPoint[], b: Line, insideB: GridPoint[]): boolean {
  if (areLevelsApart(a, b)) return false;
  const before = insideA.length + insideB.length;
  for (const vertex of [b.from, b.to]) if (isInside(vertex, a)) insideA.push(vertex);
  for (const vertex of [a.from, a.to]) if (isInside(vertex, b)) insideB.push(vertex);
  if (insideA.length + insideB.length > before) return true;
  const crossing = crossingOf(a, b);
  if (crossing === null) return false;
  insideA.push(crossing);
  insideB.push(crossing);
  return true;
}

function areLevelsApart(a: Line, b: Line): boolean {
  return (
    Math.max(a.from.y, a.to.y) + 1 < Math.min(b.from.y, b.to.y) ||
    Math.max(b.from.y, b.to.y) + 1 < Math.min(a.from.y, a.to.y)
  );
}

/** True for edges of which one lies to the east of the other. */
function areColumnsApart(a: Line, b: Line): boolean {
  return (
    Math.max(a.from.x, a.to.x) + 1 < Math.min(b.from.x, b.to.x) ||
    Math.max(b.from.x, b.to.x) + 1 < Math.min(a.from.x, a.to.x)
  );
}

/** True where `meet` would put something in. */
function touch(a: Line, b: Line): boolean {
  return (
    !areLevelsApart(a, b) &&
    !areColumnsApart(a, b) &&
    (isInside(b.from, a) ||
      isInside(b.to, a) ||
      isInside(a.from, b) ||
      isInside(a.to, b) ||
      crossingOf(a, b) !== null)
  );
}

/** Where two edges cross between their ends, rounded. */
function crossingOf(a: Line, b: Line): GridPoint | null {
  const c = turn(b, a.from);
  const d = turn(b, a.to);
  if (turn(a, b.from) * turn(a, b.to) >= 0 || c * d >= 0) return null;
  const along = c / (c - d);
  return {
    x: Math.round(a.from.x + (a.to.x - a.from.x) * along),
    y: Math.round(a.from.y + (a.to.y - a.from.y) * along),
  };
}

/** True when a vertex lies on an edge, or nearly so, and is not one of its ends. */
function isInside(vertex: GridPoint, { from, to }: Line): boolean {
  const vx = vertex.x - from.x;
  const vy = vertex.y - from.y;
  const ux = to.x - from.x;
  const uy = to.y - from.y;
  if ((vx === 0 && vy === 0) || (vx === ux && vy === uy)) return false;
  const length = ux * ux + uy * uy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, (ux * vx + uy * vy) / length));
  const dx = vx - ux * along;
  const dy = vy - uy * along;
  return dx * dx + dy * dy <= NEAR;
}

/** Positive when a point lies to the left of an edge. */
function turn({ from, to }: Line, { x, y }: GridPoint): number {
  return (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
}

function split({ from, to, times }: GridEdge, inside: GridPoint[]): GridEdge[] {
  if (inside.length === 0) return [{ from, to, times }];
  const along = ({ x, y }: GridPoint) => (x - from.x) * (to.x - from.x) + (y - from.y) * (to.y - from.y);
  const points = [from, ...inside.sort((a, b) => along(a) - along(b)), to];
  return points.slice(1).map((point, i) => ({ from: points[i]!, to: point, times }));
}

/** True when a ring has three vertices or more, none of them lies on another edge, and no two edges cross. */
export function isSimpleRing(ring: GridRing): boolean {
  const edges = ring.map((from, i): Line => ({ from, to: ring[(i + 1) % ring.length]! }));
  return edges.every((edge, i) => {
    const { from, to } = edge;
    if (from.x === to.x && from.y === to.y) return false;
    for (let k = i + 1; k < edges.length; k++) {
      const other = edges[k]!;
      if ((from.x === other.from.x && from.y === other.from.y) || touch(edge, other)) return false;
    }
    return ring.length > 2;
  });
}

/**
 * The boundaries of all that noded edges surround (the rule "non-zero"), with the area on the left. Each belongs to one
 * connected area: where areas touch in a vertex, a boundary stays with its own. Null for edges that are not noded.
 */
export function boundariesOf(edges: readonly GridEdge[]): GridRing[] | null {
  const levels = new Levels(edges);
  const around = new Map<string, HalfEdge[]>();
  const add = (at: GridPoint, to: GridPoint, isOutgoing: boolean) => {
    const half = { from: at, to, angle: Math.atan2(to.y - at.y, to.x - at.x), isOutgoing };
    const own = around.get(keyOf(at));
    if (own === undefined) around.set(keyOf(at), [half]);
    else own.push(half);
  };
  for (const edge of edges) {
    const { left, right } = levels.sidesOf(edge);
    if (left === right) continue;
    const [from, to] = left ? [edge.from, edge.to] : [edge.to, edge.from];
    add(from, to, true);
    add(to, from, false);
  }
  for (const own of around.values()) own.sort((a, b) => a.angle - b.angle);
  return walksAlong(around);
}

/** An edge of a boundary as one of its ends sees it. */
interface HalfEdge {
  from: GridPoint;
  to: GridPoint;
  angle: number;
  isOutgoing: boolean;
}

function keyOf({ x, y }: GridPoint): string {
  return `${x} ${y}`;
}

function walksAlong(around: ReadonlyMap<string, HalfEdge[]>): GridRing[] | null {
  const found: GridRing[] = [];
  const done = new Set<HalfEdge>();
  for (const first of [...around.values()].flat()) {
    if (!first.isOutgoing || done.has(first)) continue;
    const walk: GridRing = [];
    for (let half = first; !done.has(half); ) {
      done.add(half);
      walk.push(half.from);
      // The area is on the left, so it ends at the first edge clockwise from the one that the walk came by.
      const others = around.get(keyOf(half.to))!;
      const { from } = half;
      const back = others.findIndex(
        ({ to, isOutgoing }) => !isOutgoing && to.x === from.x && to.y === from.y,
      );
      half = others.at(back - 1)!;
      if (!half.isOutgoing) return null;
    }
    found.push(walk);
  }
  return found;
}

/** Edges by the levels that they pass, to tell what lies on either side of one. */
class Levels {
  readonly #south: number;
  readonly #height: number;
  readonly #levels: GridEdge[][];

  constructor(edges: readonly GridEdge[]) {
    let [south, north] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { from, to } of edges) {
      south = Math.min(south, from.y);
      north = Math.max(north, to.y);
    }
    const count = Math.min(MAX_LEVELS, 1 + (edges.length >> 3));
    this.#south = south;
    this.#height = (north - south + 1) / count;
    this.#levels = Array.from({ length: count }, () => []);
    for (const edge of edges) {
      for (let i = this.#levelOf(edge.from.y); i <= this.#levelOf(edge.to.y); i++)
        this.#levels[i]!.push(edge);
    }
  }

  /**
   * Whether the area lies on the left and on the right of an edge. The edges to the east of its middle are counted, a
   * hair's breadth above it, so that no vertex lies there. A crossing is told by its side of the edge, which is exact
   * enough for noded edges.
   */
  sidesOf(own: GridEdge): { left: boolean; right: boolean } {
    const middle = { x: (own.from.x + own.to.x) / 2, y: (own.from.y + own.to.y) / 2 };
    let east = 0;
    for (const edge of this.#levels[this.#levelOf(middle.y)]!) {
      if (edge === own || edge.from.y > middle.y || edge.to.y <= middle.y) continue;
      if (turn(edge, middle) > 0) east += edge.times;
    }
    return own.from.y === own.to.y
      ? { left: east !== 0, right: east - own.times !== 0 }
      : { left: east + own.times !== 0, right: east !== 0 };
  }

  #levelOf(y: number): number {
    return Math.floor((y - this.#south) / this.#height);
  }
}
