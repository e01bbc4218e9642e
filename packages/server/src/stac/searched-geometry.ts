/** The parameter `intersects` of a STAC search: a GeoJSON geometry, which the box of an item has to meet. */
import { quoted } from '@citymodel/base';
import { type FeatureShape, meetsBox } from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';

/** Positions of a geometry: each is compared with the box of every item. */
const MAX_POSITIONS = 1_000;
/** Collections may hold collections (RFC 7946, section 3.1.8), but not without end. */
const MAX_NESTED = 4;

export type SearchedGeometry = FeatureShape;

/** Reads a geometry of RFC 7946. Throws a RangeError that says what was found and what is expected. */
export function searchedGeometry(value: unknown): SearchedGeometry {
  const shape: FeatureShape = { points: [], lines: [], polygons: [], altitudes: null };
  const budget = { positions: 0 };
  collect(value, shape, budget, 0);
  return shape;
}

/** True where the geometry and the box share a point, edges included. */
export function meetsBounds(geometry: SearchedGeometry, bounds: Bounds): boolean {
  return meetsBox(geometry, bounds, null, 'closed');
}

type Budget = { positions: number };

function collect(value: unknown, shape: FeatureShape, budget: Budget, depth: number): void {
  if (typeof value !== 'object' || value === null) throw notGeometry(value);
  const { type, coordinates, geometries } = value as Record<string, unknown>;
  switch (type) {
    case 'Point':
      shape.points.push(position(coordinates, budget));
      return;
    case 'MultiPoint':
      shape.points.push(...list(coordinates).map((part) => position(part, budget)));
      return;
    case 'LineString':
      shape.lines.push(line(coordinates, budget, 2));
      return;
    case 'MultiLineString':
      shape.lines.push(...list(coordinates).map((part) => line(part, budget, 2)));
      return;
    case 'Polygon':
      shape.polygons.push(rings(coordinates, budget));
      return;
    case 'MultiPolygon':
      shape.polygons.push(...list(coordinates).map((part) => rings(part, budget)));
      return;
    case 'GeometryCollection':
      if (depth >= MAX_NESTED)
        throw new RangeError(`intersects has collections in collections more than ${MAX_NESTED} deep.`);
      for (const part of list(geometries)) collect(part, shape, budget, depth + 1);
      return;
    default:
      throw notGeometry(type);
  }
}

function rings(value: unknown, budget: Budget): Float64Array[] {
  const found = list(value).map((ring) => line(ring, budget, 4));
  if (found.length === 0) throw new RangeError('intersects has a polygon without a ring.');
  return found;
}

/** Pairs of longitude and latitude one after the other. */
function line(value: unknown, budget: Budget, least: number): Float64Array {
  const positions = list(value);
  if (positions.length < least) {
    throw new RangeError(
      `intersects has a line or ring of ${positions.length} positions; expected at least ${least}.`,
    );
  }
  const pairs = new Float64Array(2 * positions.length);
  for (const [n, part] of positions.entries()) pairs.set(position(part, budget), 2 * n);
  return pairs;
}

function position(value: unknown, budget: Budget): Float64Array {
  if (++budget.positions > MAX_POSITIONS) {
    throw new RangeError(`intersects has more than ${MAX_POSITIONS} positions.`);
  }
  const [lng, lat] = list(value);
  if (
    typeof lng !== 'number' ||
    typeof lat !== 'number' ||
    !(Math.abs(lng) <= 180) ||
    !(Math.abs(lat) <= 90)
  ) {
    throw new RangeError('intersects has a position that is no pair of longitude and latitude in degrees.');
  }
  return Float64Array.of(lng, lat);
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new RangeError('intersects has no list where its type has coordinates.');
  return value;
}

function notGeometry(value: unknown): RangeError {
  return new RangeError(
    `intersects is ${quoted(String(value), 100)}; expected a GeoJSON geometry such as a Polygon.`,
  );
}
