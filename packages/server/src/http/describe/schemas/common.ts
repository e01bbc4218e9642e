/** Parts that several schemas share. Schemas are JSON Schema 2020-12, which OpenAPI 3.1 takes as it is. */

import { TYPE_CODE } from '@citymodel/citygml';
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { ref as plainRef } from '../operation.ts';

/** A schema of `components.schemas`. */
export function ref(name: string): TSchema {
  return Type.Unsafe(plainRef(name));
}

/** A value that may also be null. */
export function nullable(schema: TSchema, description?: string): TSchema {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** An object whose keys are all required but those in `optional`. */
export function object(required: TProperties, optional: TProperties = {}, description?: string): TObject {
  const all = { ...required };
  for (const [name, schema] of Object.entries(optional)) all[name] = Type.Optional(schema);
  return Type.Object(all, description === undefined ? {} : { description });
}

/** An object with keys of any name and values of one kind. */
export function record(value: TSchema, description?: string): TSchema {
  return Type.Unsafe({
    type: 'object',
    additionalProperties: value,
    ...(description === undefined ? {} : { description }),
  });
}

export const text = (description: string) => Type.String({ description });
export const integer = (description: string) => Type.Integer({ description });
export const url = (description: string) => Type.String({ format: 'uri', description });
/** A URL with `{z}`, `{x}` and `{y}` in it is none in the sense of the format. */
export const urlTemplate = (description: string) => Type.String({ pattern: '^https?://', description });
export const texts = (description: string) => Type.Array(Type.String(), { description });

export const prefCode = Type.String({ pattern: '^\\d{2}$', description: '2-digit prefecture code.' });
export const cityCode = Type.String({
  pattern: '^(\\d{5}|\\d{2})$',
  description: "5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.",
});
export const wardCode = nullable(
  Type.String({ pattern: '^\\d{5}$' }),
  '5-digit ward code; only where data is of one ward.',
);
export const year = Type.Integer({ minimum: 1900, maximum: 2999, description: 'Fiscal year of production.' });
export const registrationYear = Type.Integer({
  minimum: 1900,
  maximum: 2999,
  description: 'Fiscal year of registration.',
});
export const latest = Type.Literal('latest');
export const typeCode = Type.String({
  pattern: `^${TYPE_CODE}$`,
  description: 'Feature-type code such as bldg.',
});
export const fileSize = Type.Integer({ format: 'int64', minimum: 0, description: 'Bytes.' });
export const bbox = nullable(
  Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }),
  'West, south, east, north in degrees; null where unknown.',
);
export const license = text('Licence, where the metadata names one.');

export const ErrorObject = Type.Object(
  {
    error: text('One of the fixed texts, for programs.'),
    reason: Type.Optional(text('A sentence for people: what is wrong and what the server accepts.')),
    url: Type.Optional(text('The URL that the error is about.')),
  },
  { description: 'The body of every answer with a status of 400 or above.' },
);
