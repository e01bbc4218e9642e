/**
 * Rings of vector tiles as MVT 2.1 wants them. Rounding to the units of a tile lets points fall together: what is left of a ring then may be
 * no ring any more.
 */

/** A point in units of a tile, as the library that cuts tiles writes it. */
type TilePoint = [x: number, y: number];

/** The parts of a cut feature that matter here; polygons are closed rings, outsides and holes in one list. */
interface CutFeature {
  type: number;
  geometry: unknown;
}

const POLYGON = 3;

/**
 * Features whose rings have at least three different points, no point twice in a row and an area; rings stay closed. Holes of an outside that
 * vanishes vanish with it; features without rings are left out (MVT 2.1, section 4.3.3.3). Features that are no polygons stay as they are.
 */
export function cleanPolygons<T extends CutFeature>(features: readonly T[]): T[] {
  const kept: T[] = [];
  for (const feature of features) {
    if (feature.type !== POLYGON) {
      kept.push(feature);
      continue;
    }
    const rings: TilePoint[][] = [];
    let outsideKept = false;
    for (const [index, ring] of (feature.geometry as TilePoint[][]).entries()) {
      // The first ring is an outside, and so is every ring of a positive area (y points down).
      const isOutside = index === 0 || areaOf(ring) > 0;
      const cleaned = cleanRing(ring);
      if (isOutside) outsideKept = cleaned !== null;
      if (cleaned !== null && (isOutside || outsideKept)) rings.push(cleaned);
    }
    if (rings.length > 0) kept.push({ ...feature, geometry: rings });
  }
  return kept;
}

/** The ring without repeated points, closed; null when nothing with an area is left. */
function cleanRing(ring: readonly TilePoint[]): TilePoint[] | null {
  const points: TilePoint[] = [];
  for (const point of ring) {
    const last = points.at(-1);
    if (last === undefined || last[0] !== point[0] || last[1] !== point[1]) points.push(point);
  }
  while (points.length > 1 && points[0]![0] === points.at(-1)![0] && points[0]![1] === points.at(-1)![1]) {
    points.pop();
  }
  if (points.length < 3 || areaOf(points) === 0) return null;
  return [...points, points[0]!];
}

/** Twice the signed area; positive for a clockwise ring where y points down. */
function areaOf(ring: readonly TilePoint[]): number {
  let sum = 0;
  for (let i = 0; i < ring.length; i++) {
    const [a, b] = [ring[i]!, ring[(i + 1) % ring.length]!];
    sum += a[0] * b[1] - b[0] * a[1];
  }
  return sum;
}
