/** Makes expressions for both encodings of CQL2, and holds them to what one request may ask for. */

import type { SearchPolygon } from '@citymodel/citygml';
import { dayExists } from '../base/day-exists.ts';
import type { Region } from '../features/region.ts';
import type { Expression, Moment, Scalar } from './cql2.ts';
import type { OgcCrs } from './crs.ts';
import { likePattern } from './like.ts';
import { boxRegion, pointRegion, polygonRegion } from './searched-place.ts';

/** Conditions of one filter: each is looked at for every feature. */
const MAX_CONDITIONS = 50;
/** Expressions within each other. */
export const MAX_DEPTH = 20;
/** Values of one list. */
const MAX_VALUES = 100;
/** Positions of all geometries. */
const MAX_POSITIONS = 2_000;
/** Longest text, and name of a property, characters. */
const MAX_TEXT = 1_000;
/** What a filter may call the geometry of a feature. */
const GEOMETRY_NAMES = new Set(['geometry', 'geom', 'place']);

export type Position = readonly [first: number, second: number];
/** A geometry as both encodings write it, in the order of the axes of `filter-crs`. */
export type Geometry =
  | { readonly kind: 'points'; readonly points: readonly Position[] }
  | { readonly kind: 'polygons'; readonly polygons: ReadonlyArray<ReadonlyArray<readonly Position[]>> }
  | { readonly kind: 'box'; readonly numbers: readonly number[] };

export class Cql2Builder {
  readonly #crs: OgcCrs;
  #conditions = 0;
  #positions = 0;

  /** @param crs the system of positions */
  constructor(crs: OgcCrs) {
    this.#crs = crs;
  }

  /** Counts a condition. Throws a RangeError for more than are accepted. */
  condition(expression: Expression): Expression {
    if (++this.#conditions > MAX_CONDITIONS)
      throw new RangeError(`filter has more than ${MAX_CONDITIONS} conditions, the most that is accepted.`);
    return expression;
  }

  checkDepth(depth: number): void {
    if (depth > MAX_DEPTH)
      throw new RangeError(`filter nests deeper than ${MAX_DEPTH}, the most that is accepted.`);
  }

  property(name: string): string {
    if (name === '' || name.length > MAX_TEXT) throw new RangeError('filter has a property without a name.');
    return name;
  }

  scalar<T extends Scalar>(value: T): T {
    if (typeof value === 'string' && value.length > MAX_TEXT)
      throw new RangeError(`filter has a text of more than ${MAX_TEXT} characters.`);
    return value;
  }

  list(values: readonly Scalar[]): readonly Scalar[] {
    if (values.length === 0 || values.length > MAX_VALUES)
      throw new RangeError(`filter has a list of ${values.length} values; expected 1 to ${MAX_VALUES}.`);
    return values.map((value) => this.scalar(value));
  }

  like(property: string, pattern: string): Expression {
    return this.condition({ op: 'like', property: this.property(property), pattern: likePattern(pattern) });
  }

  /** The feature meets the geometry. Throws a RangeError for another property than the geometry. */
  intersects(property: string, geometry: Geometry): Expression {
    if (!GEOMETRY_NAMES.has(property))
      throw new RangeError('filter has s_intersects of something else than geometry.');
    return this.condition({ op: 'intersects', regions: this.#regions(geometry) });
  }

  #regions(geometry: Geometry): Region[] {
    if (geometry.kind === 'box') return [boxRegion(geometry.numbers, this.#crs, 'filter')];
    if (geometry.kind === 'points') {
      return geometry.points.map((point) => pointRegion(...this.#place(point), 'filter'));
    }
    const polygons: SearchPolygon[] = geometry.polygons.map((rings) =>
      rings.map((ring) => {
        if (ring.length < 4) throw new RangeError('filter has a ring of fewer than four positions.');
        return ring.map((position) => this.#place(position));
      }),
    );
    if (polygons.length === 0 || polygons.some((rings) => rings.length === 0))
      throw new RangeError('filter has a polygon without a ring.');
    return [polygonRegion(polygons, null, 'filter')];
  }

  #place([first, second]: Position): [number, number] {
    if (++this.#positions > MAX_POSITIONS)
      throw new RangeError(`filter has more than ${MAX_POSITIONS} positions, the most that is accepted.`);
    return this.#crs.toLngLat(first, second);
  }
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const DAY = 86_400_000;

/** A day, or an instant in UTC. Throws a RangeError for anything else. */
export function momentOf(kind: 'date' | 'timestamp', text: string): Moment {
  const isWritten = (kind === 'date' ? DATE : INSTANT).test(text) && dayExists(text);
  const start = isWritten ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(start)) {
    const example = kind === 'date' ? '2023-04-01' : '2023-04-01T00:00:00Z';
    throw new RangeError(`filter has a ${kind} that is none; expected one such as ${example}.`);
  }
  return { start, end: kind === 'date' ? start + DAY - 1 : start };
}
