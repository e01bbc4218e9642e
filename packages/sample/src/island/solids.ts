/** Small closed shapes of trees, lamps and bridges: rings in metres, counter-clockwise seen from outside. */
import type { Point2, Point3 } from '../place.ts';

/** A prism over a ring; with `taper` its top is so much narrower, 0 for a point. */
export function prism(ring: readonly Point2[], bottom: number, top: number, taper = 1): Point3[][] {
  const middle = ring.reduce<Point2>(([a, b], [e, n]) => [a + e / ring.length, b + n / ring.length], [0, 0]);
  const upper = ring.map(
    ([e, n]): Point3 => [middle[0] + (e - middle[0]) * taper, middle[1] + (n - middle[1]) * taper, top],
  );
  const lower = ring.map(([e, n]): Point3 => [e, n, bottom]);
  const faces: Point3[][] = [[...lower].reverse()];
  if (taper > 0) faces.push(upper);
  for (let i = 0; i < ring.length; i++) {
    const j = (i + 1) % ring.length;
    faces.push(
      taper > 0
        ? [lower[i]!, lower[j]!, upper[j]!, upper[i]!]
        : [lower[i]!, lower[j]!, [middle[0], middle[1], top]],
    );
  }
  return faces;
}

/** A crown that widens and narrows again: two tapered rings with a point above and below. */
export function crown(ring: readonly Point2[], bottom: number, top: number): Point3[][] {
  const middle = ring.reduce<Point2>(([a, b], [e, n]) => [a + e / ring.length, b + n / ring.length], [0, 0]);
  const at = (height: number): Point3[] => ring.map(([e, n]) => [e, n, height]);
  const waist = at(bottom + (top - bottom) * 0.4);
  const [low, high]: [Point3, Point3] = [[...middle, bottom] as const, [...middle, top] as const];
  return waist.flatMap((point, i) => {
    const next = waist[(i + 1) % waist.length]!;
    return [
      [low, next, point],
      [point, next, high],
    ];
  });
}
