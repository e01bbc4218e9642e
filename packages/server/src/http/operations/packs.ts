/** Operation 8: asking for a pack. */

import { quoted, Turns } from '@citymodel/base';
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { JsonTooLarge, parseJson } from '../../base/parse-json.ts';
import { parseConditions } from '../../catalogue/search/conditions.ts';
import { newestFiles } from '../../catalogue/search/file-filter.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { isFlatJson } from '../answers/flat-json.ts';
import { networkOf } from '../connections/network-of.ts';
import type { ServiceContext } from '../context.ts';
import { STORE_FAILURES } from '../describe/common.ts';
import { failure, json, type Operation, ref, routeOf } from '../describe/operation.ts';

/** Longest URL and longest conditions, UTF-16 code units; reading some megabytes of them would hold up everybody. */
const MAX_URL = 4_000;
const MAX_CONDITIONS = 100_000;
/** Bytes of a body: so many for each URL that a pack may have, and for whatever else. */
const BODY_BYTES_PER_URL = 300;
const BODY_BYTES_BESIDE = 100_000;

/** Addresses whose requests are counted: those seen last. */
const MAX_ADDRESSES = 50_000;

export const postPack: Operation = {
  id: 'postPack',
  method: 'post',
  path: '/citygml/pack',
  number: 8,
  tag: 'Packs',
  summary: 'Asks for a zip of CityGML files',
  description:
    'The same files give the same pack to every caller. The zip also has what the files refer to: textures, code ' +
    'lists, schemas.',
  parameters: [],
  body: {
    required: true,
    content: {
      'application/json': {
        schema: ref('PackRequest'),
        examples: ({ gml, mesh, type }) => ({
          example1: { summary: 'Files by their URLs', value: { urls: [gml] } },
          example2: {
            summary: 'The files that the file search finds',
            value: { conditions: `m:${mesh}`, types: [type], latest: true },
          },
        }),
      },
    },
  },
  answers: {
    200: json('The server has accepted the pack, or has it already.', 'PackAccepted'),
    400: failure('The server does not accept the body or one of the URLs. `url` names it.'),
    404: failure('The conditions find no files.'),
    413: failure('The body is larger than 300 bytes for each of `PACK_MAX_URLS`, or than `MAX_BODY_BYTES`.'),
    429: failure('The caller has sent too many requests.', ['Retry-After']),
    ...STORE_FAILURES,
  },
};

/** What a body may ask for. */
type PackBody = { urls: string[] } | { conditions: string; types: string[] | undefined };

/**
 * `POST /citygml/pack`: `{"urls": […]}`, or `{"conditions": "…", "types": […], "latest": true}` for what operation 7
 * lists. Answers `{id}`. The body is JSON whatever it is declared to be, for many tools declare it wrongly.
 */
export async function registerPackPost(app: FastifyInstance, context: ServiceContext): Promise<void> {
  const { MAX_BODY_BYTES, PACK_MAX_URLS, PACK_RATE } = context.settings;
  await app.register(async (scope) => {
    if (PACK_RATE > 0) await scope.register(rateLimit, rateOf(PACK_RATE));
    scope.removeAllContentTypeParsers();
    const turns = new Turns();
    scope.addContentTypeParser('*', { parseAs: 'string' }, async (_request: FastifyRequest, body: string) => {
      // Bodies of many callers arrive at once, and each takes a while to read: others come between.
      await turns.wait();
      return readBody(body, context.settings.PACK_MAX_URLS);
    });
    scope.post(
      routeOf(postPack),
      {
        bodyLimit: Math.min(MAX_BODY_BYTES, BODY_BYTES_BESIDE + BODY_BYTES_PER_URL * PACK_MAX_URLS),
        onRequest: async (request: FastifyRequest) => {
          // Also when it is empty or no media type, which the framework refuses.
          request.headers['content-type'] = 'application/json';
        },
      },
      servePackPost(context),
    );
  });
}

/** A body as JSON. Throws ServiceError 400 for another text, and for more than a pack may ask for. */
function readBody(body: string, mostUrls: number): unknown {
  if (!isFlatJson(body))
    throw invalidBody('The body has too many lists or objects; it must be {"urls": ["…"]}.');
  try {
    return parseJson(body, { maxDepth: 10, maxValues: 2 * mostUrls + 10_000 });
  } catch (error) {
    throw invalidBody(
      error instanceof JsonTooLarge ? error.message : 'The body must be JSON: {"urls": ["…"]}.',
    );
  }
}

/** Requests of one caller in a minute; each process counts for itself. */
function rateOf(perMinute: number): RateLimitPluginOptions {
  return {
    max: perMinute,
    timeWindow: 60_000,
    cache: MAX_ADDRESSES,
    keyGenerator: (request) => networkOf(request.ip),
    addHeaders: RETRY_AFTER_ALONE,
    addHeadersOnExceeding: RETRY_AFTER_ALONE,
    errorResponseBuilder: (_request, { ttl }) =>
      new ServiceError(429, 'too many requests', {
        reason: `At most ${perMinute} of these requests are accepted from one address in a minute.`,
        retryAfter: Math.max(1, Math.ceil(ttl / 1_000)),
      }),
  };
}

const RETRY_AFTER_ALONE = {
  'x-ratelimit-limit': false,
  'x-ratelimit-remaining': false,
  'x-ratelimit-reset': false,
};

function servePackPost({ packs, settings }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const body = parseWanted(request.body);
    if ('urls' in body) {
      request.cost = { urls: body.urls.length };
      return answer(reply, await packs.accept(body.urls));
    }
    const conditions = parseConditions(body.conditions, { maxBounds: settings.MAX_BOUNDS });
    const { types } = body;
    return answer(
      reply,
      await packs.acceptConditions({ conditions, filters: newestFiles(types ?? null) }, goneSignal(reply)),
    );
  };
}

function answer(reply: FastifyReply, id: string): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ id }));
}

function parseWanted(body: unknown): PackBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBody('The body must be a JSON object: {"urls": ["…"]}.');
  }
  const { urls, conditions, types, latest } = body as Record<string, unknown>;
  if (conditions === undefined || conditions === null) return { urls: parseUrls(urls) };
  if (urls !== undefined && urls !== null) throw invalidBody('Give "urls" or "conditions", not both.');
  if (typeof conditions !== 'string') {
    throw invalidBody('"conditions" must be a string such as "m:53394509", as in the file search.');
  }
  if (conditions.length > MAX_CONDITIONS) {
    throw new ServiceError(400, 'invalid conditions', {
      reason: `"conditions" has ${conditions.length} characters; at most ${MAX_CONDITIONS} are accepted.`,
    });
  }
  if (latest !== undefined && latest !== null && typeof latest !== 'boolean') {
    throw invalidBody('"latest" must be true or false.');
  }
  return { conditions, types: parseTypes(types) };
}

function parseUrls(urls: unknown): string[] {
  if (urls === undefined || urls === null) return [];
  if (!Array.isArray(urls)) throw invalidBody('"urls" must be a list of strings.');
  const wrong = urls.findIndex((url) => typeof url !== 'string');
  if (wrong !== -1) {
    throw invalidBody(`"urls" must be a list of strings; entry ${wrong} is ${kindOf(urls[wrong])}.`);
  }
  const long = urls.find((url: string) => url.length > MAX_URL);
  if (long !== undefined) {
    throw new ServiceError(400, 'invalid url', {
      reason: `${quoted(long, 200)} has ${long.length} characters; at most ${MAX_URL} are accepted.`,
      url: long.slice(0, 200),
    });
  }
  return urls;
}

/** What a JSON value is, in words: writing it out would overflow the stack for lists nested a thousand deep. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** A list of feature-type codes, or one text with commas, as in the file search. */
function parseTypes(types: unknown): string[] | undefined {
  if (types === undefined || types === null) return undefined;
  const list = typeof types === 'string' ? types.split(',') : types;
  if (!Array.isArray(list) || list.some((type) => typeof type !== 'string')) {
    throw invalidBody('"types" must be a list of feature-type codes such as ["bldg", "tran"].');
  }
  const codes = list.map((type: string) => type.trim()).filter((type) => type !== '');
  return codes.length === 0 ? undefined : [...new Set(codes)];
}

function invalidBody(reason: string): ServiceError {
  return new ServiceError(400, 'invalid request body', { reason });
}
