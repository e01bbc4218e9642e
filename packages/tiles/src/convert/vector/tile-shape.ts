/** Shapes of features in units of vector tiles: simplified, and clipped to each tile that they touch. */
import type { Footprint } from '@citymodel/citygml';
import {
  areaOf,
  BUFFER,
  EXTENT,
  encode,
  LINE,
  lengthOf,
  type Part,
  type Path,
  POINT,
  POLYGON,
  type TileCommands,
} from './tile-commands.ts';

/** How far a vertex may lie from the line that replaces it, units. */
const TOLERANCE = 1;
/** Polygons and lines that are smaller, in square units and units, vanish below the top zoom. */
const SMALLEST_AREA = 1;
const SMALLEST_LENGTH = 1;
/**
 * Times that a line is divided at the vertex that lies farthest off; then in the middle, so that a line which runs to
 * and fro some thousand times does not lose one vertex each time: no honest line reaches that.
 */
const MOST_UNEVEN = 100;
/** Tiles in the box of a feature at one zoom; a square of 120 km covers so many at zoom 16. */
const MAX_BOX = 1 << 16;

/**
 * Area of polygons that are too small for a zoom, square units. A square is drawn as soon as there is enough for one. A
 * coverage of small polygons keeps its area so, in place of vanishing as a whole.
 */
export interface Dust {
  area: number;
}

/** A feature on the square of Web Mercator, 0 to 1. */
export interface MercatorShape {
  type: typeof POINT | typeof LINE | typeof POLYGON;
  parts: Part[];
}

/** What a feature is in one tile. */
export interface TileGeometry extends TileCommands {
  x: number;
  y: number;
}

/** A footprint on the square of Web Mercator, as a shape for each type of geometry that it has. */
export function mercatorShapes({ polygons, lines, points }: Footprint): MercatorShape[] {
  const shapes: MercatorShape[] = [
    { type: POLYGON, parts: polygons.map((rings) => rings.map(projected)) },
    { type: LINE, parts: lines.map((line) => [projected(line)]) },
    { type: POINT, parts: points.map((point) => [projected(point)]) },
  ];
  return shapes.filter(({ parts }) => parts.length > 0);
}

/** From degrees to the square of Web Mercator. */
function projected(pairs: Float64Array): Path {
  const path: Path = new Array(pairs.length);
  for (let i = 0; i < pairs.length; i += 2) {
    path[i] = pairs[i]! / 360 + 0.5;
    const sine = Math.sin((pairs[i + 1]! * Math.PI) / 180);
    path[i + 1] = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  }
  return path;
}

/**
 * What the shape is in every tile of a zoom that it touches. `exact`: nothing is simplified or too small. Null when it
 * reaches over more tiles than any honest feature, or than `most`. `dust` goes from shape to shape of one zoom.
 */
export function tilesOf(
  shape: MercatorShape,
  zoom: number,
  exact: boolean,
  most: number,
  dust: Dust = { area: 0 },
): TileGeometry[] | null {
  const scale = EXTENT * 2 ** zoom;
  const parts = shape.parts
    .map((part) => scaled(part, scale, shape.type, exact, dust))
    .filter((part) => part !== null);
  if (parts.length === 0) return [];
  const box = boxOf(parts);
  const last = 2 ** zoom - 1;
  const tile = (value: number) => Math.min(last, Math.max(0, Math.floor(value / EXTENT)));
  const [x0, y0] = [tile(box[0] - BUFFER), tile(box[1] - BUFFER)];
  const [x1, y1] = [tile(box[2] + BUFFER), tile(box[3] + BUFFER)];
  if ((x1 - x0 + 1) * (y1 - y0 + 1) > MAX_BOX) return null;
  const found: TileGeometry[] = [];
  divide(parts, shape.type, x0, y0, x1, y1, found, most);
  return found.length > most ? null : found;
}

function scaled(
  part: Part,
  scale: number,
  type: MercatorShape['type'],
  exact: boolean,
  dust: Dust,
): Part | null {
  const paths: Part = [];
  for (const [i, path] of part.entries()) {
    const grown = path.map((value) => value * scale);
    const kept = exact || type === POINT ? grown : simplified(grown, type === POLYGON);
    const isSmall =
      !exact &&
      ((type === POLYGON && Math.abs(areaOf(kept)) < SMALLEST_AREA) ||
        (type === LINE && lengthOf(kept) < SMALLEST_LENGTH));
    if (!isSmall) paths.push(kept);
    else if (i === 0) return type === POLYGON ? gathered(grown, dust) : null;
  }
  return paths;
}

/** A square of the smallest area where a ring lies, when it and those before it have enough area for one. */
function gathered(ring: Path, dust: Dust): Part | null {
  dust.area += Math.abs(areaOf(ring));
  if (dust.area < SMALLEST_AREA) return null;
  dust.area -= SMALLEST_AREA;
  const side = Math.sqrt(SMALLEST_AREA);
  const [x, y] = [Math.floor(ring[0]!), Math.floor(ring[1]!)];
  return [[x, y, x + side, y, x + side, y + side, x, y + side]];
}

function boxOf(parts: readonly Part[]): [west: number, north: number, east: number, south: number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const part of parts) {
    for (const path of part) {
      for (let i = 0; i < path.length; i += 2) {
        box[0] = Math.min(box[0], path[i]!);
        box[1] = Math.min(box[1], path[i + 1]!);
        box[2] = Math.max(box[2], path[i]!);
        box[3] = Math.max(box[3], path[i + 1]!);
      }
    }
  }
  return box;
}

/**
 * Halves the range of tiles until one is left; parts are clipped on the way, so that large shapes are not clipped whole
 * for each tile. Ends early with more than `most`.
 */
function divide(
  parts: readonly Part[],
  type: MercatorShape['type'],
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  found: TileGeometry[],
  most: number,
): void {
  if (parts.length === 0 || found.length > most) return;
  if (x0 === x1 && y0 === y1) {
    let inside = clipped(parts, type, 0, x0 * EXTENT - BUFFER, (x0 + 1) * EXTENT + BUFFER);
    inside = clipped(inside, type, 1, y0 * EXTENT - BUFFER, (y0 + 1) * EXTENT + BUFFER);
    const geometry = encode(inside, type, x0 * EXTENT, y0 * EXTENT);
    if (geometry !== null) found.push({ x: x0, y: y0, ...geometry });
    return;
  }
  const axis = x1 - x0 >= y1 - y0 ? 0 : 1;
  const [low, high] = axis === 0 ? [x0, x1] : [y0, y1];
  const middle = (low + high) >> 1;
  const before = clipped(parts, type, axis, -Infinity, (middle + 1) * EXTENT + BUFFER);
  const after = clipped(parts, type, axis, (middle + 1) * EXTENT - BUFFER, Infinity);
  if (axis === 0) {
    divide(before, type, x0, y0, middle, y1, found, most);
    divide(after, type, middle + 1, y0, x1, y1, found, most);
  } else {
    divide(before, type, x0, y0, x1, middle, found, most);
    divide(after, type, x0, middle + 1, x1, y1, found, most);
  }
}

/** What of the parts lies between two values of a coordinate (0: x, 1: y). */
function clipped(
  parts: readonly Part[],
  type: MercatorShape['type'],
  axis: 0 | 1,
  low: number,
  high: number,
): Part[] {
  const kept: Part[] = [];
  for (const part of parts) {
    let [least, most] = [Infinity, -Infinity];
    for (let i = axis; i < part[0]!.length; i += 2) {
      least = Math.min(least, part[0]![i]!);
      most = Math.max(most, part[0]![i]!);
    }
    if (most < low || least > high) continue;
    if (least >= low && most <= high) kept.push(part);
    else if (type === POLYGON) {
      const rings = part.map((ring) => clipRing(clipRing(ring, axis, low, 1), axis, high, -1));
      if (rings[0]!.length >= 6) kept.push(rings.filter((ring) => ring.length >= 6));
    } else if (type === LINE) kept.push(...clipLine(part[0]!, axis, low, high).map((line) => [line]));
  }
  return kept;
}

/** The part of a ring on one side of a line (Sutherland and Hodgman, 1974); `sign` 1 keeps what is greater. */
function clipRing(ring: Path, axis: 0 | 1, limit: number, sign: 1 | -1): Path {
  if (!Number.isFinite(limit) || ring.length < 6) return ring;
  const result: Path = [];
  let [px, py] = [ring.at(-2)!, ring.at(-1)!];
  let before = sign * ((axis === 0 ? px : py) - limit);
  for (let i = 0; i < ring.length; i += 2) {
    const qx = ring[i]!;
    const qy = ring[i + 1]!;
    const here = sign * ((axis === 0 ? qx : qy) - limit);
    if (before < 0 !== here < 0) pushCrossing(result, axis, limit, px, py, qx, qy);
    if (here >= 0) result.push(qx, qy);
    px = qx;
    py = qy;
    before = here;
  }
  return result;
}

function pushCrossing(
  path: Path,
  axis: 0 | 1,
  limit: number,
  px: number,
  py: number,
  qx: number,
  qy: number,
): void {
  if (axis === 0) path.push(limit, py + ((limit - px) / (qx - px)) * (qy - py));
  else path.push(px + ((limit - py) / (qy - py)) * (qx - px), limit);
}

/** The pieces of a line between two values of a coordinate. */
function clipLine(line: Path, axis: 0 | 1, low: number, high: number): Path[] {
  const pieces: Path[] = [];
  let piece: Path = [];
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [px, py, qx, qy] = [line[i]!, line[i + 1]!, line[i + 2]!, line[i + 3]!];
    const [a, b] = axis === 0 ? [px, qx] : [py, qy];
    const place = (value: number) => (value < low ? -1 : value > high ? 1 : 0);
    const [from, to] = [place(a), place(b)];
    if (from === to && from !== 0) continue;
    if (from === 0 && piece.length === 0) piece.push(px, py);
    if (from !== 0) {
      piece = [];
      pushCrossing(piece, axis, from < 0 ? low : high, px, py, qx, qy);
    }
    if (to === 0) piece.push(qx, qy);
    else {
      pushCrossing(piece, axis, to < 0 ? low : high, px, py, qx, qy);
      pieces.push(piece);
      piece = [];
    }
  }
  if (piece.length >= 4) pieces.push(piece);
  return pieces;
}

/** Vertices that lie more than the tolerance from the line without them (Douglas and Peucker, 1973). */
function simplified(path: Path, isRing: boolean): Path {
  const count = path.length / 2;
  if (count <= (isRing ? 3 : 2)) return path;
  const keep = new Uint8Array(count);
  const last = isRing ? farthestFromFirst(path) : count - 1;
  keep[0] = keep[last] = 1;
  mark(path, 0, last, keep);
  if (isRing) mark(path, last, count, keep);
  const kept: Path = [];
  for (let i = 0; i < count; i++) if (keep[i] === 1) kept.push(path[2 * i]!, path[2 * i + 1]!);
  return kept;
}

/** Marks the vertices to keep between two; `to` may be the number of vertices, which stands for the first. */
function mark(path: Path, from: number, to: number, keep: Uint8Array): void {
  const count = keep.length;
  const pending = [from, to, 0];
  while (pending.length > 0) {
    const depth = pending.pop()!;
    const end = pending.pop()!;
    const start = pending.pop()!;
    // Nothing lies between them.
    if (end - start < 2) continue;
    const ax = path[2 * start]!;
    const ay = path[2 * start + 1]!;
    const last = 2 * (end % count);
    let farthest = -1;
    let most = TOLERANCE * TOLERANCE;
    for (let i = start + 1; i < end; i++) {
      const distance = squaredDistance(path[2 * i]!, path[2 * i + 1]!, ax, ay, path[last]!, path[last + 1]!);
      if (distance > most) {
        farthest = i;
        most = distance;
      }
    }
    if (farthest < 0) continue;
    const divider = depth < MOST_UNEVEN ? farthest : (start + end) >> 1;
    keep[divider] = 1;
    pending.push(start, divider, depth + 1, divider, end, depth + 1);
  }
}

function farthestFromFirst(path: Path): number {
  let farthest = 0;
  let most = -1;
  for (let i = 0; i < path.length / 2; i++) {
    const distance = (path[2 * i]! - path[0]!) ** 2 + (path[2 * i + 1]! - path[1]!) ** 2;
    if (distance > most) {
      farthest = i;
      most = distance;
    }
  }
  return farthest;
}

/** Of a point from a line between two others. */
function squaredDistance(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2;
}
