/** What the description of an operation is written in. */
import Type, { type TSchema } from 'typebox';
import { ref } from './schemas/common.ts';

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required: boolean;
  description: string;
  schema: TSchema;
  /** Several values with commas between. */
  list?: boolean;
  /** With the examples of the other parameters a request that the sample city answers. */
  example?: unknown;
}

export interface Content {
  schema: TSchema;
  examples?: Record<string, { summary: string; value: unknown }>;
}

export interface Answer {
  description: string;
  /** By media type. */
  content?: Record<string, Content>;
  /** Names of headers of `HEADERS`. */
  headers?: readonly string[];
}

export interface Operation {
  id: string;
  method: 'get' | 'post';
  path: string;
  /** Number in the interface specification; null for what goes beyond it. */
  number: number | null;
  tag: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  body?: { required: boolean; content: Record<string, Content> };
  /** By status. */
  answers: Record<string, Answer>;
}

/** A parameter in the query, optional unless told otherwise. */
export function query(
  name: string,
  description: string,
  schema: TSchema,
  more: Partial<Pick<Parameter, 'required' | 'list' | 'example'>> = {},
): Parameter {
  return { name, in: 'query', required: false, description, schema, ...more };
}

/** Several values in the query with commas between. */
export function queryList(
  name: string,
  description: string,
  item: TSchema,
  more: Partial<Pick<Parameter, 'required' | 'example'>> = {},
): Parameter {
  return query(name, description, Type.Array(item), { list: true, ...more });
}

/** A parameter in the path. */
export function path(name: string, description: string, example: string, pattern?: string): Parameter {
  const schema = Type.String(pattern === undefined ? {} : { pattern });
  return { name, in: 'path', required: true, description, schema, example };
}

/** A flag in the query: `true`, `1` and an empty value are true; `false` and `0` are false. */
export function flag(name: string, description: string): Parameter {
  return query(name, description, Type.Boolean());
}

/** Which years of a municipality's CityGML a search looks at. */
export const YEARS: readonly Parameter[] = [
  queryList(
    'year',
    'Only these years. Without it the search takes, of each municipality and feature type, the newest year that has the type.',
    Type.String({ pattern: '^\\d{4}$' }),
  ),
  flag('all_years', 'Every year, the newest first.'),
  flag('latest', 'Accepted, and without effect: the newest is the default.'),
];

/** An answer in JSON of a named schema. */
export function json(description: string, schema: string, headers: readonly string[] = []): Answer {
  return { description, content: { 'application/json': { schema: ref(schema) } }, headers };
}

/** The error object. */
export function failure(description: string, headers: readonly string[] = []): Answer {
  return json(description, 'Error', headers);
}
