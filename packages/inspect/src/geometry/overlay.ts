/** Areas on the plane that overlap by more than a tolerance. */
import {
  area,
  Clipper64,
  ClipType,
  EndType,
  FillRule,
  inflatePaths,
  JoinType,
  type Paths64,
} from 'clipper2-ts';

/** Whole numbers a metre. */
const UNITS = 1e4;

/** Rings of x and y in metres; holes run the other way than their exteriors, or lie inside of them. */
export type Region = readonly Float64Array[];

/** In how many pieces two regions overlap, narrowed by a distance each, in metres; a piece with a hole is one. */
export function overlapsOf(a: Region, b: Region, narrowing: number): number {
  // Holes run the other way than the pieces that have them.
  return shared(a, b, narrowing).filter((piece) => area(piece) > 0).length;
}

/** The area that two regions have both, in square metres, without the holes of either. */
export function overlapArea(a: Region, b: Region): number {
  return shared(a, b, 0).reduce((sum, piece) => sum + area(piece), 0) / (UNITS * UNITS);
}

function shared(a: Region, b: Region, narrowing: number): Paths64 {
  const origin = a[0] ?? b[0];
  if (origin === undefined) return [];
  const [one, other] = [a, b].map((region) => narrowed(pathsOf(region, origin[0]!, origin[1]!), narrowing));
  const clipper = new Clipper64();
  clipper.addSubject(one!);
  clipper.addClip(other!);
  const pieces: Paths64 = [];
  clipper.execute(ClipType.Intersection, FillRule.NonZero, pieces);
  return pieces;
}

/** What any of the regions covers. */
export function unionOf(regions: readonly Region[]): Float64Array[] {
  const origin = regions.find((region) => region[0] !== undefined)?.[0];
  if (origin === undefined) return [];
  const [x, y] = [origin[0]!, origin[1]!];
  const different = withoutCopies(regions);
  if (different.length === 1 && different[0]!.length === 1) return [different[0]![0]!];
  const clipper = new Clipper64();
  for (const region of different) clipper.addSubject(union(pathsOf(region, x, y), FillRule.EvenOdd));
  const pieces: Paths64 = [];
  clipper.execute(ClipType.Union, FillRule.NonZero, pieces);
  return pieces.map((piece) => {
    const ring = new Float64Array(2 * piece.length);
    for (const [i, point] of piece.entries()) ring.set([point.x / UNITS + x, point.y / UNITS + y], 2 * i);
    return ring;
  });
}

/** The roof of a box covers what its ground does. */
function withoutCopies(regions: readonly Region[]): Region[] {
  const seen = new Set<string>();
  return regions.filter((region) => {
    const key = region.map(cornersOf).join('/');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The corners of a ring whichever way it runs and wherever it begins; every one of them counts. */
function cornersOf(ring: Float64Array): string {
  let least = 0;
  const count = ring.length / 2 - 1;
  for (let i = 1; i < count; i++) {
    const [x, y] = [ring[2 * i]! - ring[2 * least]!, ring[2 * i + 1]! - ring[2 * least + 1]!];
    if (x < 0 || (x === 0 && y < 0)) least = i;
  }
  const at = (i: number) => (((least + i) % count) + count) % count;
  const isForward = ring[2 * at(1)]! < ring[2 * at(-1)]!;
  const corners: number[] = [];
  for (let i = 0; i < count; i++) {
    const corner = at(isForward ? i : -i);
    corners.push(ring[2 * corner]!, ring[2 * corner + 1]!);
  }
  return corners.join(' ');
}

function pathsOf(region: Region, x: number, y: number): Paths64 {
  return region.map((ring) => {
    const path = [];
    for (let i = 0; i + 1 < ring.length; i += 2) {
      path.push({ x: Math.round((ring[i]! - x) * UNITS), y: Math.round((ring[i + 1]! - y) * UNITS) });
    }
    return path;
  });
}

/** Rings that turn the right way round, whichever way they are written. */
function union(paths: Paths64, rule: FillRule): Paths64 {
  const clipper = new Clipper64();
  clipper.addSubject(paths);
  const pieces: Paths64 = [];
  clipper.execute(ClipType.Union, rule, pieces);
  return pieces;
}

function narrowed(paths: Paths64, distance: number): Paths64 {
  const whole = union(paths, FillRule.EvenOdd);
  return distance === 0 ? whole : inflatePaths(whole, -distance * UNITS, JoinType.Miter, EndType.Polygon);
}
