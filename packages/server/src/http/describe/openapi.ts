/** The description of the interface in OpenAPI 3.1, made from what operations declare and from the schemas. */
import type { Allowance } from '../../base/request-budget.ts';
import { VERSION } from '../../base/version.ts';
import { type Examples, sampleExamples } from './examples.ts';
import {
  type Answer,
  type Content,
  failure,
  type Json,
  type JsonObject,
  type Operation,
  type Parameter,
} from './operation.ts';
import { SCHEMAS } from './schemas/index.ts';

/** What a description says of its own service. */
export interface Place {
  publicUrl: string;
  /** What the service holds; where nothing is given, what the sample city has. */
  examples?: Examples;
}

const TAGS = [
  ['Catalogue', 'Datasets, composites and areas.'],
  ['GraphQL', 'The same catalogue for front ends.'],
  ['CityGML', 'Source files and zips.'],
  ['Packs', 'Zips of chosen CityGML files. The server makes them in the background.'],
  ['Features', 'Single features: their attributes, and where they lie.'],
  ['OGC API', 'Single features for programs that know OGC API – Features, such as GDAL and QGIS.'],
  ['STAC', 'The same catalogue for programs that know many catalogues.'],
  ['Service', 'For operators and tools.'],
];

const HEADERS: Record<string, JsonObject> = {
  ETag: {
    description: 'Entity tag, for `If-None-Match`. Features of more than 256 KiB have none.',
    schema: { type: 'string' },
  },
  'Cache-Control': { description: 'How long a cache may keep the answer.', schema: { type: 'string' } },
  Location: { description: 'Absolute URL of the target.', schema: { type: 'string', format: 'uri' } },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer' },
  },
  Warning: { description: 'What the answer may lack.', schema: { type: 'string' } },
  Link: {
    description: 'Links, such as `next`, for forms that have no place for them.',
    schema: { type: 'string' },
  },
  'Content-Crs': {
    description: 'URI of the system of coordinates, in `<` and `>`.',
    schema: { type: 'string' },
  },
};

const ANY_REFUSAL = failure('The server does not accept the request. `error` and `reason` say why.');
const ANY_FAILURE = failure('The server cannot answer. `error` and `reason` say why.');

/** What the amounts of an allowance count. */
const AMOUNTS: Record<keyof Allowance, string> = {
  items: 'entries to look at',
  bytesHeld: 'bytes in memory',
  bytesRead: 'bytes read from the stores',
};

/** The whole description. */
export function buildOpenApi(
  operations: readonly Operation[],
  { publicUrl, examples = sampleExamples(publicUrl) }: Place,
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    const described = describe(operation, examples);
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'City-model data delivery service',
      version: VERSION,
      description:
        'Publishes 3D city models: a catalogue, CityGML, 3D Tiles, vector tiles, composite tilesets, packs and ' +
        'attributes. `HEAD` works wherever `GET` does. The server ignores unknown query parameters, but refuses them ' +
        'below `/ogc`. Every failure is the object `Error`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    // Everything is public: no operation asks who calls.
    security: [],
    tags: TAGS.map(([name, description]) => ({ name: name!, description: description! })),
    paths,
    components: {
      schemas: plainJson(SCHEMAS),
      headers: HEADERS,
    },
  };
}

function describe(operation: Operation, examples: Examples): JsonObject {
  const { id, tag, summary, parameters, body, answers } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: descriptionOf(operation),
    ...(parameters.length === 0
      ? {}
      : { parameters: parameters.map((parameter) => describeParameter(parameter, examples)) }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.required, content: describeContents(body.content, examples) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer, examples)]),
      ),
      '4XX': describeAnswer(ANY_REFUSAL, examples),
      default: describeAnswer(ANY_FAILURE, examples),
    },
  };
}

function descriptionOf({ description, allowance, number }: Operation): string {
  const parts = [description];
  if (allowance !== undefined) {
    const amounts = Object.entries(allowance).map(([amount, limit]) => {
      const shown = typeof limit === 'number' ? limit.toLocaleString('en') : `\`${limit}\``;
      return `${shown} (${AMOUNTS[amount as keyof Allowance]})`;
    });
    parts.push(`One request may cost at most: ${amounts.join(', ')}.`);
  }
  if (number !== null) parts.push(`Operation ${number} of the interface.`);
  return parts.join('\n\n');
}

function describeParameter(parameter: Parameter, examples: Examples): JsonObject {
  const { name, required, description, schema, list, example } = parameter;
  return {
    name,
    in: parameter.in,
    required,
    description,
    ...(list ? { style: 'form', explode: false } : {}),
    schema,
    ...(example === undefined ? {} : { example: example(examples) }),
  };
}

function describeAnswer({ description, content, headers = [] }: Answer, examples: Examples): JsonObject {
  return {
    description,
    ...(headers.length === 0
      ? {}
      : {
          headers: Object.fromEntries(
            headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
          ),
        }),
    ...(content === undefined ? {} : { content: describeContents(content, examples) }),
  };
}

function describeContents(contents: Record<string, Content>, samples: Examples): JsonObject {
  return Object.fromEntries(
    Object.entries(contents).map(([type, { schema, examples }]) => [
      type,
      { schema, ...(examples === undefined ? {} : { examples: examples(samples) }) },
    ]),
  );
}

/** Without what the schema library keeps for itself. */
function plainJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}
