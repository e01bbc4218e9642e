/**
 * Parameters of the query, declared once: the description of the interface is made from them, and handlers read
 * requests by them. What they read is texts, lists, flags and numbers; what these stand for is the matter of who is
 * asked.
 */

import { quoted, readDecimal } from '@citymodel/base';
import { ServiceError } from '../../base/errors.ts';
import { type JsonObject, type Parameter, query } from './operation.ts';

/** The query of a request as it came: texts, lists of texts where one is repeated. */
export type RawQuery = Readonly<Record<string, unknown>>;

export interface QueryParameter<T> extends Parameter {
  /** The value in a request. Throws ServiceError 400 `invalid parameter`. */
  read(query: RawQuery): T;
}

type More = Partial<Pick<Parameter, 'required' | 'list' | 'example'>>;

/** The values of declared parameters, by the keys under which they are declared. */
export function readQuery<P extends Record<string, QueryParameter<unknown>>>(
  parameters: P,
  query: unknown,
): { [K in keyof P]: ReturnType<P[K]['read']> } {
  const values = {} as { [K in keyof P]: ReturnType<P[K]['read']> };
  for (const key in parameters) {
    values[key] = parameters[key]!.read(query as RawQuery) as ReturnType<P[typeof key]['read']>;
  }
  return values;
}

/** A parameter that makes sense once only; blanks around it are dropped, and an empty one is none. */
export function text(
  name: string,
  description: string,
  schema: JsonObject,
  more: More = {},
): QueryParameter<string | undefined> {
  const read = ({ [name]: value }: RawQuery) => {
    if (Array.isArray(value)) refuse(`${name} is given ${value.length} times; expected once.`);
    if (value === undefined) return undefined;
    const trimmed = String(value).trim();
    return trimmed === '' ? undefined : trimmed;
  };
  return { ...query(name, description, schema, more), read };
}

/**
 * Several values with commas between, also when it is repeated; blanks around entries and empty entries are dropped.
 */
export function list(
  name: string,
  description: string,
  items: JsonObject,
  more: More = {},
): QueryParameter<string[]> {
  const read = ({ [name]: value }: RawQuery) =>
    value === undefined
      ? []
      : [value]
          .flat()
          .flatMap((part) => String(part).split(','))
          .map((part) => part.trim())
          .filter((part) => part !== '');
  return { ...query(name, description, { type: 'array', items }, { list: true, ...more }), read };
}

/** A flag: `true`, `1` and an empty value are true; `false`, `0` and its absence are false, in any letter case. */
export function flag(name: string, description: string): QueryParameter<boolean> {
  const read = ({ [name]: text }: RawQuery) => {
    if (text === undefined) return false;
    // Python writes True.
    const value = String(text).toLowerCase();
    if (value === 'false' || value === '0') return false;
    if (value === 'true' || value === '1' || value === '') return true;
    return refuse(`${name} is ${quoted(String(text))}; it must be true or false.`);
  };
  return { ...query(name, description, { type: 'boolean' }), read };
}

/** One of some words; null when it is not given. */
export function chosen<T extends string>(
  name: string,
  description: string,
  of: readonly T[],
): QueryParameter<T | null> {
  return {
    ...query(name, description, { type: 'string', enum: [...of] }),
    read({ [name]: value }: RawQuery): T | null {
      if (value === undefined || value === '') return null;
      return of.find((one) => one === value) ?? refuse(`${name} must be one of ${of.join(', ')}.`);
    },
  };
}

/** A whole number between two, one of which it is when it is not given. */
export function whole(
  name: string,
  description: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): QueryParameter<number> {
  const read = ({ [name]: text }: RawQuery) => {
    if (text === undefined) return otherwise;
    const value = readDecimal(String(text));
    if (value !== null && Number.isInteger(value) && value >= least && value <= most) return value;
    return refuse(`${name} is ${quoted(String(text))}; it must be a whole number from ${least} to ${most}.`);
  };
  const schema = { type: 'integer', minimum: least, maximum: most, default: otherwise };
  return { ...query(name, description, schema), read };
}

/** Parameters of lists that come page by page, and the page of rows that were read: one more than it has. */
export function pages(what: string, most: number) {
  return {
    parameters: {
      after: whole('after', `Position of the last ${what} of the page before.`, {
        least: -1,
        most: 1_000_000_000,
        otherwise: -1,
      }),
      limit: whole('limit', `How many ${what}s the page has at most.`, { least: 0, most, otherwise: 100 }),
    },
    /** The rows that are shown, and the position after which the next page begins; null for the last page. */
    pageOf<T extends { position: number }>(
      rows: readonly T[],
      limit: number,
    ): { shown: T[]; next: number | null } {
      const shown = rows.slice(0, limit);
      return { shown, next: rows.length > limit && limit > 0 ? shown.at(-1)!.position : null };
    },
  };
}

/**
 * A decimal number between two; undefined when it is not given. `unit` is what it counts, for the one who gave
 * something else.
 */
export function decimal(
  name: string,
  description: string,
  { least, most, unit }: { least: number; most: number; unit: string },
  more: More = {},
): QueryParameter<number | undefined> {
  const asText = text(name, description, { type: 'number', minimum: least, maximum: most }, more);
  const read = (query: RawQuery) => {
    const written = asText.read(query);
    if (written === undefined) {
      return asText.required
        ? refuse(`${name} is missing; expected ${unit}, ${least} to ${most}.`)
        : undefined;
    }
    const value = readDecimal(written);
    if (value !== null && value >= least && value <= most) return value;
    return refuse(`${name} is ${quoted(written)}; expected ${unit}, ${least} to ${most}.`);
  };
  return { ...asText, read };
}

/** The same parameter, without which there is no answer. */
export function required<T>(parameter: QueryParameter<T | undefined>): QueryParameter<T> {
  const read = (query: RawQuery) => parameter.read(query) ?? refuse(`${parameter.name} is missing.`);
  return { ...parameter, required: true, read };
}

/** Throws ServiceError 400 `invalid parameter`. */
export function refuse(reason: string): never {
  throw new ServiceError(400, 'invalid parameter', { reason });
}
