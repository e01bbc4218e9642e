/** The description of the interface in OpenAPI 3.1, made from the operations and the schemas. */
import { VERSION } from '../../base/version.ts';
import { CATALOGUE_OPERATIONS } from '../operations/operations-catalogue.ts';
import { CITYGML_OPERATIONS, GML_URL } from '../operations/operations-citygml.ts';
import { FURTHER_OPERATIONS } from '../operations/operations-further.ts';
import { ANY_FAILURE, SERVICE_OPERATIONS } from '../operations/operations-service.ts';
import type { Answer, Content, Operation, Parameter } from './operation.ts';
import { SCHEMAS } from './schemas/index.ts';
import { SAMPLE } from './schemas/sample.ts';

export const OPERATIONS: readonly Operation[] = [
  ...CATALOGUE_OPERATIONS,
  ...CITYGML_OPERATIONS,
  ...FURTHER_OPERATIONS,
  ...SERVICE_OPERATIONS,
];

/** What a description says of its own service. */
export interface Place {
  publicUrl: string;
  /** URL of the file `SAMPLE.gml` where the sample city is served; a URL of its form otherwise. */
  gmlUrl?: string | undefined;
}

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const TAGS = [
  ['Catalogue', 'Datasets, composites and areas.'],
  ['GraphQL', 'The same catalogue for front ends.'],
  ['CityGML', 'Source files and zips.'],
  ['Packs', 'Zips of chosen CityGML files, made in the background.'],
  ['Features', 'Single features: attributes, and which lie where.'],
  ['Service', 'For operators and tools.'],
];

const HEADERS: Record<string, JsonObject> = {
  ETag: { description: 'Entity tag, for `If-None-Match`.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How long the answer may be kept.', schema: { type: 'string' } },
  Location: { description: 'Where it is; an absolute URL.', schema: { type: 'string', format: 'uri' } },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense.',
    schema: { type: 'integer' },
  },
  Warning: { description: 'What the answer may lack.', schema: { type: 'string' } },
};

/** An example of a pack id where none is known. */
const PACK_ID = '0'.repeat(64);

/** The whole description. */
export function buildOpenApi({ publicUrl, gmlUrl }: Place): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of OPERATIONS) {
    const described = describe(operation);
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described };
  }
  const document: JsonObject = {
    openapi: '3.1.0',
    info: {
      title: 'City-model data delivery service',
      version: VERSION,
      description:
        'Publishes 3D city models: a catalogue of CityGML, 3D Tiles and vector tiles, composite tilesets, files by place, packs, attributes. `HEAD` works wherever `GET` does; unknown query parameters are ignored; every failure is the object `Error`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: TAGS.map(([name, description]) => ({ name: name!, description: description! })),
    paths,
    components: {
      schemas: plainJson(SCHEMAS),
      headers: HEADERS,
    },
  };
  return withExamples(document, {
    [GML_URL]: gmlUrl ?? `${publicUrl}/assets/00/000000-0000-0000-0000-000000000000${SAMPLE.gml}`,
    '{pack}': PACK_ID,
  });
}

function describe(operation: Operation): JsonObject {
  const { id, tag, summary, description, parameters, body, answers, number } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: number === null ? description : `${description}\n\nOperation ${number} of the interface.`,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(describeParameter) }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.required, content: describeContents(body.content) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, each]) => [status, describeAnswer(each)])),
      default: describeAnswer(ANY_FAILURE),
    },
  };
}

function describeParameter(parameter: Parameter): JsonObject {
  const { name, required, description, schema, list, example } = parameter;
  return {
    name,
    in: parameter.in,
    required,
    description,
    ...(list ? { style: 'form', explode: false } : {}),
    schema: plainJson(schema),
    ...(example === undefined ? {} : { example: plainJson(example) }),
  };
}

function describeAnswer({ description, content, headers = [] }: Answer): JsonObject {
  return {
    description,
    ...(headers.length === 0
      ? {}
      : {
          headers: Object.fromEntries(
            headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
          ),
        }),
    ...(content === undefined ? {} : { content: describeContents(content) }),
  };
}

function describeContents(contents: Record<string, Content>): JsonObject {
  return Object.fromEntries(
    Object.entries(contents).map(([type, { schema, examples }]) => [
      type,
      { schema: plainJson(schema), ...(examples === undefined ? {} : { examples: plainJson(examples) }) },
    ]),
  );
}

/** Without what the schema library keeps for itself. */
function plainJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

/** Puts values in the place of strings that stand for them. */
function withExamples(value: JsonObject, values: Record<string, string>): JsonObject {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' && Object.hasOwn(values, each) ? values[each] : each,
  );
}
