/**
 * Filters in the Common Query Language (OGC 21-065r2): what a filter means, whichever encoding it came in, and which
 * features it wants. Kept are Basic CQL2, the advanced comparison operators and the basic spatial functions.
 */
import type { FeatureEntry } from '@citymodel/citygml';
import { altitudeProperties } from '@citymodel/citygml';
import { compares, isSame, UNKNOWN, valuesNamed } from '../features/attribute-filter.ts';
import type { FeatureCondition } from '../features/feature-query.ts';
import type { FeatureWork } from '../features/feature-work.ts';
import { altitudesOf, meetsRegion } from '../features/find-features.ts';
import type { OpenGml } from '../features/open-gml.ts';
import type { Region } from '../features/region.ts';
import { type LikePattern, matchesLike } from './like.ts';

/** A moment, or the first and last of a day; milliseconds since 1970. */
export interface Moment {
  readonly start: number;
  readonly end: number;
}

export type Scalar = string | number | boolean | Moment;
export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Expression =
  | { readonly op: 'and' | 'or'; readonly args: readonly Expression[] }
  | { readonly op: 'not'; readonly arg: Expression }
  | { readonly op: 'constant'; readonly value: boolean }
  | { readonly op: Comparison; readonly property: string; readonly value: Scalar }
  | { readonly op: 'between'; readonly property: string; readonly low: Scalar; readonly high: Scalar }
  | { readonly op: 'in'; readonly property: string; readonly values: readonly Scalar[] }
  | { readonly op: 'like'; readonly property: string; readonly pattern: LikePattern }
  | { readonly op: 'isNull'; readonly property: string }
  /** The feature meets one of the regions. */
  | { readonly op: 'intersects'; readonly regions: readonly Region[] };

/** True, false, or unknown, which is what anything says of a value that is not there. */
type Truth = boolean | null;

/** What a filter asks of the search, and what is left to ask of each feature. */
export interface Plan {
  /** Each must be met. */
  readonly regions: readonly Region[];
  readonly condition: Cql2Condition | null;
}

/** Places that every wanted feature must meet go to the search, which has an index for them. */
export function planOf(expression: Expression): Plan {
  const parts = expression.op === 'and' ? expression.args : [expression];
  const regions: Region[] = [];
  const rest: Expression[] = [];
  for (const part of parts) {
    if (part.op === 'intersects' && part.regions.length === 1) regions.push(part.regions[0]!);
    else rest.push(part);
  }
  if (rest.length === 0) return { regions, condition: null };
  return { regions, condition: new Cql2Condition(rest.length === 1 ? rest[0]! : { op: 'and', args: rest }) };
}

type Intersects = Extract<Expression, { op: 'intersects' }>;

/** A filter as a condition on features. */
export class Cql2Condition implements FeatureCondition {
  readonly #expression: Expression;
  readonly #places: readonly Intersects[];
  /** Which of the features that are looked at meet each place. */
  #meeting = new Map<Intersects, Set<number>>();

  constructor(expression: Expression) {
    this.#expression = expression;
    this.#places = [...placesIn(expression)];
  }

  /** Finds out which features meet the places of the filter, before it is asked about them. */
  async prepare(gml: OpenGml, entries: readonly FeatureEntry[], work: FeatureWork): Promise<void> {
    const meeting = new Map(this.#places.map((place) => [place, new Set<number>()]));
    for (const [place, numbers] of meeting) {
      for (const entry of entries) {
        for (const region of place.regions) {
          work.budget.items(region.parts);
          if (!(await meetsRegion(gml, entry, region, work))) continue;
          numbers.add(entry.index);
          break;
        }
        if (work.slices.due()) await work.slices.pause();
      }
    }
    this.#meeting = meeting;
  }

  accepts(attributes: Readonly<Record<string, unknown>>, entry: FeatureEntry): boolean {
    const known = new Map<string, Value[]>();
    const all = { ...attributes, ...altitudeProperties(altitudesOf(entry)) };
    const valuesOf = (property: string): Value[] => {
      let values = known.get(property);
      if (values === undefined) {
        values = [...valuesNamed(all, property === 'id' ? 'gml:id' : property)];
        known.set(property, values);
      }
      return values;
    };
    const meets = (place: Intersects) => this.#meeting.get(place)?.has(entry.index) ?? false;
    return truthOf(this.#expression, valuesOf, meets) === true;
  }
}

type Value = string | number | boolean;

function truthOf(
  expression: Expression,
  valuesOf: (property: string) => readonly Value[],
  meets: (place: Intersects) => boolean,
): Truth {
  switch (expression.op) {
    case 'and':
    case 'or': {
      const decisive = expression.op === 'or';
      let truth: Truth = !decisive;
      for (const arg of expression.args) {
        const one = truthOf(arg, valuesOf, meets);
        if (one === decisive) return decisive;
        if (one === null) truth = null;
      }
      return truth;
    }
    case 'not': {
      const truth = truthOf(expression.arg, valuesOf, meets);
      return truth === null ? null : !truth;
    }
    case 'constant':
      return expression.value;
    case 'intersects':
      return meets(expression);
    case 'isNull':
      return valuesOf(expression.property).length === 0;
    case 'in': {
      const values = valuesOf(expression.property);
      return anyOf(values, (value) => expression.values.some((wanted) => equals(value, wanted)));
    }
    case 'like':
      return anyOf(valuesOf(expression.property), (value) => matchesLike(expression.pattern, String(value)));
    case 'between': {
      const { low, high } = expression;
      return anyOf(
        ordered(valuesOf(expression.property)),
        (value) => order(value, '>=', low) && order(value, '<=', high),
      );
    }
    case '=':
      return anyOf(valuesOf(expression.property), (value) => equals(value, expression.value));
    case '<>': {
      const same = anyOf(valuesOf(expression.property), (value) => equals(value, expression.value));
      return same === null ? null : !same;
    }
    default: {
      const { op, value: bound } = expression;
      return anyOf(ordered(valuesOf(expression.property)), (value) => order(value, op, bound));
    }
  }
}

/** Of several values one must meet the condition; of none nobody knows. */
function anyOf(values: readonly Value[], test: (value: Value) => boolean): Truth {
  return values.length === 0 ? null : values.some(test);
}

/** Values that are more or less than others: what stands for unknown is neither. */
function ordered(values: readonly Value[]): Value[] {
  return values.filter((value) => !UNKNOWN.has(value));
}

function equals(found: Value, wanted: Scalar): boolean {
  if (typeof wanted !== 'object') return isSame(found, String(wanted));
  const moment = Date.parse(String(found));
  return moment >= wanted.start && moment <= wanted.end;
}

function order(found: Value, op: Exclude<Comparison, '=' | '<>'>, bound: Scalar): boolean {
  if (typeof bound === 'number') return compares(found, op, bound);
  if (typeof bound === 'object') {
    const moment = Date.parse(String(found));
    if (op === '<') return moment < bound.start;
    if (op === '>') return moment > bound.end;
    return op === '<=' ? moment <= bound.end : moment >= bound.start;
  }
  const [a, b] = [String(found), String(bound)];
  if (op === '<') return a < b;
  if (op === '<=') return a <= b;
  return op === '>' ? a > b : a >= b;
}

function* placesIn(expression: Expression): Generator<Intersects> {
  if (expression.op === 'intersects') yield expression;
  else if (expression.op === 'not') yield* placesIn(expression.arg);
  else if (expression.op === 'and' || expression.op === 'or')
    for (const arg of expression.args) yield* placesIn(arg);
}
