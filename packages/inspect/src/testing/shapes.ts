/** Plain shapes for tests of geometry. */
import type { PlanePolygon } from '../geometry/plane-polygon.ts';

export type Point = readonly [x: number, y: number, z: number];

/** A polygon whose rings are as they are, closed or not. */
export function polygonOf(...rings: ReadonlyArray<readonly Point[]>): PlanePolygon {
  return {
    element: { name: 'gml:Polygon', attributes: {}, children: [], text: '' },
    id: null,
    rings: rings.map((ring) => Float64Array.from(ring.flat())),
  };
}

/** Closes a ring. */
export const closed = (ring: readonly Point[]): Point[] => [...ring, ring[0]!];

export const SQUARE: readonly Point[] = [
  [0, 0, 0],
  [10, 0, 0],
  [10, 10, 0],
  [0, 10, 0],
];

/** A square hole, which runs the other way. */
export function hole(x: number, y: number, size: number): Point[] {
  return [
    [x, y, 0],
    [x, y + size, 0],
    [x + size, y + size, 0],
    [x + size, y, 0],
  ];
}

/** The six faces of a box, looking outwards. */
export function box(
  x: number,
  y: number,
  z: number,
  width: number,
  depth: number,
  height: number,
): Point[][] {
  const at = (a: number, b: number, c: number): Point => [x + a * width, y + b * depth, z + c * height];
  return [
    [at(0, 0, 0), at(0, 1, 0), at(1, 1, 0), at(1, 0, 0)],
    [at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)],
    [at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1)],
    [at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1)],
    [at(1, 1, 0), at(0, 1, 0), at(0, 1, 1), at(1, 1, 1)],
    [at(0, 1, 0), at(0, 0, 0), at(0, 0, 1), at(0, 1, 1)],
  ];
}
