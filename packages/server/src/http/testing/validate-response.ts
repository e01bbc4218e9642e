/** Holds answers to the description of the interface that the service gives of itself. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { buildOpenApi } from '../describe/openapi.ts';
import type { Json, JsonObject } from '../describe/operation.ts';
import { OPERATIONS } from '../operations/index.ts';

/** An answer as a test has it. */
export interface DescribedReply {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  body: Uint8Array;
  json<T>(): T;
}

const DOCUMENT = buildOpenApi(OPERATIONS, { publicUrl: 'https://citymodel.example.jp/base' });
type Described = { responses: Record<string, { content?: JsonObject; headers?: JsonObject }> };
const PATHS = DOCUMENT.paths as Record<string, Record<string, Described>>;

/** Paths with their parameters as patterns, the longest first: `{id}.zip` before `{id}`. */
const PATTERNS = Object.keys(PATHS)
  .sort((a, b) => b.length - a.length)
  .map((path) => ({
    path,
    pattern: new RegExp(
      `^${path
        .replace(/[.]/g, '\\.')
        .replace(/\{conditions\}$/, '.+')
        .replace(/\{\w+\}/g, '[^/]+')}$`,
    ),
  }));

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
addFormats.default(ajv);
for (const format of ['double', 'int64']) ajv.addFormat(format, true);
ajv.addSchema({ $id: 'openapi', ...(closed(DOCUMENT) as JsonObject) });
const validators = new Map<string, ValidateFunction>();

/** The described path of a request, e.g. `/citygml/pack/{id}/status`; throws when there is none. */
export function describedPath(target: string): string {
  const path = decodeURIComponent(target.split('?', 1)[0]!);
  const found = PATTERNS.find(({ pattern }) => pattern.test(path));
  assert.ok(found, `${path} is not described`);
  return found.path;
}

/**
 * Fails unless the answer is one that the description has for the request: a status that is named, headers that it
 * names, and a body of the described media type and schema without keys that are not described.
 */
export function assertDescribed(method: string, target: string, reply: DescribedReply): void {
  const path = describedPath(target);
  const operation = PATHS[path]![method.toLowerCase()];
  assert.ok(operation, `${method} ${path} is not described`);
  const what = `${method} ${target} ${reply.status}`;
  const answer = operation.responses[String(reply.status)];
  assert.ok(answer, `${what}: the description has no such status`);
  for (const name of Object.keys(answer.headers ?? {})) {
    // What is sent piece by piece has no tag.
    const mayLack = name === 'Warning' || (name === 'ETag' && reply.headers['content-length'] === undefined);
    if (mayLack) continue;
    assert.ok(reply.headers[name.toLowerCase()] !== undefined, `${what} lacks the header ${name}`);
  }
  if (answer.content === undefined) {
    assert.equal(reply.body.length, 0, `${what} has a body`);
    return;
  }
  const type = String(reply.headers['content-type']).split(';', 1)[0]!;
  assert.ok(answer.content[type] !== undefined, `${what} is ${type}, not ${Object.keys(answer.content)}`);
  if (!/[/+]json$/.test(type)) return;
  const pointer = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(reply.status),
    'content',
    type,
    'schema',
  ]
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  let validate = validators.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `openapi#/${pointer}` });
    validators.set(pointer, validate);
  }
  if (validate(reply.json())) return;
  const errors = (validate.errors ?? [])
    .slice(0, 5)
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
  assert.fail(`${what}: ${errors.join('; ')}`);
}

/**
 * The same schemas, closed: an object has the keys that are described and no others, unless it says otherwise. What is
 * described need not be closed, for the interface may grow; what is answered must be described.
 */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closed(entry)]));
  if (entries.type !== 'object' || entries.properties === undefined) return entries;
  return { additionalProperties: false, ...entries };
}
