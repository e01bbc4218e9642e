/**
 * What an operation declares, beside its handler: the route, the description of the interface and the limits that its
 * handler reads all come from it. Schemas are plain JSON Schema, because the program loads declarations at its start.
 */
import type { Allowance } from '../../base/request-budget.ts';
import type { Settings } from '../../base/settings.ts';
import type { Examples } from './examples.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface Parameter {
  name: string;
  in: 'query' | 'path';
  required: boolean;
  description: string;
  schema: JsonObject;
  /** Several values with commas between. */
  list?: boolean;
  /** With the examples of the other parameters a request that the server answers with data. */
  example?: (examples: Examples) => Json;
}

export interface Content {
  schema: JsonObject;
  examples?: (examples: Examples) => Record<string, { summary: string; value: Json }>;
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
  /** How the router writes the path, where it is not the path with `:name` for `{name}`. */
  route?: string;
  /** Number in the interface specification; null for what goes beyond it. */
  number: number | null;
  tag: string;
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  body?: { required: boolean; content: Record<string, Content> };
  /** By status. */
  answers: Record<string, Answer>;
  /** What one request may cost: an amount, or the setting that has it. */
  allowance?: Partial<Record<keyof Allowance, number | keyof Settings>>;
}

/** The path of an operation as the router writes it. */
export function routeOf({ path, route }: Operation): string {
  return route ?? path.replace(/\{(\w+)\}/g, ':$1');
}

/** A schema of `components.schemas`. */
export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

export const TEXT: JsonObject = { type: 'string' };

/** A parameter in the query, optional unless told otherwise. */
export function query(
  name: string,
  description: string,
  schema: JsonObject,
  more: Partial<Pick<Parameter, 'required' | 'list' | 'example'>> = {},
): Parameter {
  return { name, in: 'query', required: false, description, schema, ...more };
}

/** A parameter in the path. */
export function path(
  name: string,
  description: string,
  example: (examples: Examples) => string,
  pattern?: RegExp,
): Parameter {
  const schema = pattern === undefined ? TEXT : { ...TEXT, pattern: pattern.source };
  return { name, in: 'path', required: true, description, schema, example };
}

/** An answer in JSON of a named schema. */
export function json(description: string, schema: string, headers: readonly string[] = []): Answer {
  return { description, content: { 'application/json': { schema: ref(schema) } }, headers };
}

/** The error object. */
export function failure(description: string, headers: readonly string[] = []): Answer {
  return json(description, 'Error', headers);
}
