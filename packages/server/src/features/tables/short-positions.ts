/**
 * Positions of footprints in tables. Answers have 9 decimals of a degree, which fill all bits of a double with what
 * looks like noise. Multiples of 2⁻³⁰ of a degree are at most 2⁻³¹ away, less than half of the last decimal: the same 9
 * decimals come back, and the bits below are zeros, which compress.
 */
import type { Geometry } from 'geojson';

const STEPS = 2 ** 30;
const DECIMALS = 1e9;

/** A footprint as tables have it. */
export function shortened(geometry: Geometry): Geometry {
  return withPositions(geometry, (degrees) => Math.round(degrees * STEPS) / STEPS);
}

/** A footprint out of a table as answers have it. */
export function withDecimals(geometry: Geometry): Geometry {
  return withPositions(geometry, (degrees) => Math.round(degrees * DECIMALS) / DECIMALS);
}

function withPositions(geometry: Geometry, change: (degrees: number) => number): Geometry {
  if (geometry.type === 'GeometryCollection') {
    return { ...geometry, geometries: geometry.geometries.map((part) => withPositions(part, change)) };
  }
  return { ...geometry, coordinates: changed(geometry.coordinates, change) } as Geometry;
}

/** Positions at any depth of lists. */
type Nested = number | readonly Nested[];

function changed(value: Nested, change: (degrees: number) => number): Nested {
  return typeof value === 'number' ? change(value) : value.map((inner) => changed(inner, change));
}
