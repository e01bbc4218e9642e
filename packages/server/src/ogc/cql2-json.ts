/** Filters in CQL2 JSON (OGC 21-065r2, section 8.2). */
import { quoted } from '@citymodel/base';
import { JsonTooLarge, parseJson } from '../base/parse-json.ts';
import type { Comparison, Expression, Moment, Scalar } from './cql2.ts';
import { Cql2Builder, type Geometry, MAX_DEPTH, momentOf, type Position } from './cql2-builder.ts';
import type { OgcCrs } from './crs.ts';

const BOUNDS = { maxDepth: 2 * MAX_DEPTH + 8, maxValues: 20_000 };
const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);
/** The same comparison with its sides exchanged. */
export const EXCHANGED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** Reads a filter. Throws a RangeError that says what is wrong. */
export function parseCql2Json(text: string, crs: OgcCrs): Expression {
  let value: unknown;
  try {
    value = parseJson(text, BOUNDS);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new RangeError(`filter: ${error.message}`);
    throw new RangeError(`filter is ${quoted(text)}, which is no JSON.`);
  }
  return new JsonReader(crs).expression(value, 0);
}

class JsonReader {
  readonly #build: Cql2Builder;

  constructor(crs: OgcCrs) {
    this.#build = new Cql2Builder(crs);
  }

  expression(value: unknown, depth: number): Expression {
    this.#build.checkDepth(depth);
    if (typeof value === 'boolean') return this.#build.condition({ op: 'constant', value });
    const { op, args } = objectOf(value, 'an expression such as {"op": "=", "args": […]}');
    if (typeof op !== 'string' || !Array.isArray(args))
      throw new RangeError('filter has an expression without op and args.');
    switch (op.toLowerCase()) {
      case 'and':
      case 'or':
        if (args.length < 2) throw new RangeError(`filter has ${quoted(op)} of fewer than two expressions.`);
        return {
          op: op.toLowerCase() as 'and' | 'or',
          args: args.map((arg) => this.expression(arg, depth + 1)),
        };
      case 'not':
        return { op: 'not', arg: this.expression(sized(args, 1, op)[0], depth + 1) };
      case 'isnull':
        return this.#build.condition({ op: 'isNull', property: this.#property(sized(args, 1, op)[0]) });
      case 'like': {
        const [property, pattern] = sized(args, 2, op);
        if (typeof pattern !== 'string') throw new RangeError('filter has like without a pattern.');
        return this.#build.like(this.#property(property), pattern);
      }
      case 'between': {
        const [property, low, high] = sized(args, 3, op);
        return this.#build.condition({
          op: 'between',
          property: this.#property(property),
          low: this.#scalar(low),
          high: this.#scalar(high),
        });
      }
      case 'in': {
        const [property, list] = sized(args, 2, op);
        if (!Array.isArray(list)) throw new RangeError('filter has in without a list.');
        const values = this.#build.list(list.map((one) => this.#scalar(one)));
        return this.#build.condition({ op: 'in', property: this.#property(property), values });
      }
      case 's_intersects': {
        const pair = sized(args, 2, op);
        const [property, geometry] = isProperty(pair[0]) ? pair : [pair[1], pair[0]];
        return this.#build.intersects(this.#property(property), geometryOf(geometry));
      }
      default:
        return this.#comparison(op, args);
    }
  }

  #comparison(op: string, args: readonly unknown[]): Expression {
    if (!COMPARISONS.has(op))
      throw new RangeError(`filter has the operator ${quoted(op)}, which is not known.`);
    const [left, right] = sized(args, 2, op);
    const written = op as Comparison;
    return isProperty(left)
      ? this.#build.condition({ op: written, property: this.#property(left), value: this.#scalar(right) })
      : this.#build.condition({
          op: EXCHANGED[written],
          property: this.#property(right),
          value: this.#scalar(left),
        });
  }

  #property(value: unknown): string {
    if (!isProperty(value)) throw new RangeError('filter has no property where one is expected.');
    return this.#build.property(value.property);
  }

  #scalar(value: unknown): Scalar {
    // JSON may write numbers that are too large for any.
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
      return this.#build.scalar(value as string | number | boolean);
    const { date, timestamp } = objectOf(value, 'a value');
    return momentIn(date, timestamp);
  }
}

function momentIn(date: unknown, timestamp: unknown): Moment {
  if (typeof date === 'string') return momentOf('date', date);
  if (typeof timestamp === 'string') return momentOf('timestamp', timestamp);
  throw new RangeError('filter has a value that is no text, number, boolean, date or timestamp.');
}

function isProperty(value: unknown): value is { property: string } {
  return (
    typeof value === 'object' && value !== null && 'property' in value && typeof value.property === 'string'
  );
}

function objectOf(value: unknown, expected: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RangeError(`filter has ${quoted(JSON.stringify(value) ?? '')}; expected ${expected}.`);
  return value as Record<string, unknown>;
}

function sized(args: readonly unknown[], count: number, op: string): readonly unknown[] {
  if (args.length === count) return args;
  throw new RangeError(`filter has ${quoted(op)} of ${args.length} arguments; expected ${count}.`);
}

function geometryOf(value: unknown): Geometry {
  const { type, coordinates, bbox } = objectOf(value, 'a geometry');
  if (Array.isArray(bbox)) return { kind: 'box', numbers: bbox.map(numberOf) };
  switch (type) {
    case 'Point':
      return { kind: 'points', points: [positionOf(coordinates)] };
    case 'MultiPoint':
      return { kind: 'points', points: listOf(coordinates).map(positionOf) };
    case 'Polygon':
      return { kind: 'polygons', polygons: [ringsOf(coordinates)] };
    case 'MultiPolygon':
      return { kind: 'polygons', polygons: listOf(coordinates).map(ringsOf) };
    default:
      throw new RangeError(
        `filter has the geometry ${quoted(String(type))}; expected Point, MultiPoint, Polygon, MultiPolygon or bbox.`,
      );
  }
}

function ringsOf(value: unknown): Position[][] {
  return listOf(value).map((ring) => listOf(ring).map(positionOf));
}

function positionOf(value: unknown): Position {
  const [first, second] = listOf(value);
  return [numberOf(first), numberOf(second)];
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value))
    throw new RangeError('filter has a geometry without a list where one is expected.');
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new RangeError('filter has a geometry with something else than numbers.');
  return value;
}
