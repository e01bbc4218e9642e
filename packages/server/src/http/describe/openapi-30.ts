/**
 * A description in OpenAPI 3.1 as one in 3.0.3, for tools that read no other: its schemas are an older dialect of JSON
 * Schema, without null as a type and with single examples.
 */
import type { Json, JsonObject } from './operation.ts';

/** The same description in OpenAPI 3.0.3. */
export function toOpenApi30(document: JsonObject): JsonObject {
  const { info, ...rest } = document as { info: JsonObject };
  const { license, ...about } = info;
  const { identifier: _, ...named } = license as JsonObject;
  const older = convert(rest as JsonObject) as JsonObject;
  const licence = { ...named, url: 'https://www.apache.org/licenses/LICENSE-2.0' };
  return { ...older, openapi: '3.0.3', info: { ...about, license: licence } };
}

function convert(value: Json): Json {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const converted: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    // Examples are values, not schemas.
    converted[key] = key === 'example' || key === 'examples' ? item : convert(item);
  }
  return olderSchema(converted);
}

function olderSchema(schema: JsonObject): JsonObject {
  const { const: only, anyOf, ...rest } = schema;
  if (only !== undefined) return { ...rest, type: typeOf(only), enum: [only] };
  if (anyOf !== undefined) return olderUnion(rest, anyOf as JsonObject[]);
  if (Array.isArray(rest.enum) && rest.type === undefined) return { ...rest, type: typeOf(rest.enum[0]!) };
  return rest;
}

/** Null among the alternatives becomes `nullable`; a reference cannot have it beside itself. */
function olderUnion(rest: JsonObject, anyOf: JsonObject[]): JsonObject {
  const others = anyOf.filter((alternative) => alternative.type !== 'null');
  const nullable = others.length < anyOf.length ? { nullable: true } : {};
  const [only] = others;
  if (others.length > 1) return { ...rest, anyOf: others, ...nullable };
  if ('$ref' in only!) return { ...rest, allOf: [only], ...nullable };
  const values =
    Array.isArray(only!.enum) && others.length < anyOf.length ? { enum: [...only!.enum, null] } : {};
  return { ...only, ...values, ...rest, ...nullable };
}

function typeOf(value: Json): string {
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
