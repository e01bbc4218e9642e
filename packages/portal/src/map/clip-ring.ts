import type { Bounds } from '@citymodel/geo';
import type { Position } from 'geojson';

/** The part of a ring inside a box, by its four sides one after the other (Sutherland and Hodgman). */
export function clipRing(ring: readonly Position[], { west, south, east, north }: Bounds): Position[] {
  const sides: Array<[axis: 0 | 1, limit: number, sign: 1 | -1]> = [
    [0, west, 1],
    [0, east, -1],
    [1, south, 1],
    [1, north, -1],
  ];
  let points = [...ring];
  for (const [axis, limit, sign] of sides) {
    const inside = (point: Position) => (point[axis]! - limit) * sign >= 0;
    const kept: Position[] = [];
    for (const [i, point] of points.entries()) {
      const before = points[(i + points.length - 1) % points.length]!;
      if (inside(point) !== inside(before)) {
        const share = (limit - before[axis]!) / (point[axis]! - before[axis]!);
        kept.push([
          before[0]! + share * (point[0]! - before[0]!),
          before[1]! + share * (point[1]! - before[1]!),
        ]);
      }
      if (inside(point)) kept.push(point);
    }
    points = kept;
  }
  return points;
}
