/** Operations 1 and 2: the catalogue in GraphQL, and GraphiQL for people. */

import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ServiceError } from '../../base/errors.ts';
import { JsonTooLarge, parseJson } from '../../base/parse-json.ts';
import type { AssetUrls } from '../../catalogue/names/asset-urls.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import type { CatalogueGraph } from '../../graphql/catalogue-graph.ts';
import { exampleQueries } from '../../graphql/examples.ts';
import type { Executor, GraphAnswer, GraphRequest } from '../../graphql/execute.ts';
import { keyCatalogue } from '../answers/cache-keys.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { isUnchanged } from '../answers/conditional.ts';
import { ASKED_AGAIN, sendReady } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { NO_CATALOGUE, NOT_MODIFIED } from '../describe/common.ts';
import type { Examples } from '../describe/examples.ts';
import {
  failure,
  type JsonObject,
  type Operation,
  query,
  ref,
  routeOf,
  TEXT,
} from '../describe/operation.ts';
import { pageOf } from '../pages/pages.ts';

const ALLOWANCE: Operation['allowance'] = {
  items: 'GRAPHQL_MAX_COST',
  bytesHeld: 'GRAPHQL_MAX_ANSWER_BYTES',
};

const RESPONSES = {
  'application/json': { schema: ref('GraphqlResponse') },
  'application/graphql-response+json': { schema: ref('GraphqlResponse') },
};

export const getGraphql: Operation = {
  id: 'getGraphql',
  method: 'get',
  path: '/datacatalog/graphql',
  number: 1,
  tag: 'GraphQL',
  summary: 'GraphiQL, or the answer to a query',
  description:
    'Browsers get GraphiQL. Callers that give `query` and do not accept `text/html` get the answer with an entity tag.',
  parameters: [
    query('query', 'The query.', TEXT, { example: () => '{ years }' }),
    query('variables', 'Values of its variables as JSON.', TEXT),
    query('operationName', 'Which of several operations.', TEXT),
  ],
  answers: {
    200: {
      description: 'GraphiQL, or the answer.',
      content: {
        'text/html': { schema: TEXT },
        ...RESPONSES,
      },
      headers: ['ETag'],
    },
    304: NOT_MODIFIED,
    400: {
      description: 'Nothing was executed, and the caller prefers `application/graphql-response+json`.',
      content: { 'application/graphql-response+json': { schema: ref('GraphqlResponse') } },
    },
    503: NO_CATALOGUE,
  },
  allowance: ALLOWANCE,
};

export const postGraphql: Operation = {
  id: 'postGraphql',
  method: 'post',
  path: '/datacatalog/graphql',
  number: 2,
  tag: 'GraphQL',
  summary: 'The catalogue in GraphQL',
  description:
    'The schema is in `docs/schema.graphql` and answers introspection. Errors of syntax, validation and execution ' +
    'have status 200 and `errors`. So has a query over a limit, whose `extensions.code` is `QUERY_TOO_LARGE`. ' +
    'Callers that prefer `application/graphql-response+json` get that media type, and 400 where nothing was ' +
    'executed.',
  parameters: [],
  body: {
    required: true,
    content: {
      'application/json': { schema: ref('GraphqlRequest'), examples: describedExamples },
      'application/graphql': { schema: TEXT },
    },
  },
  answers: {
    200: { description: 'The answer.', content: RESPONSES },
    400: {
      description:
        'The body has no query, is neither JSON nor `application/graphql`, or is declared as `text/plain` or as ' +
        'nothing. Or nothing was executed, and the caller prefers `application/graphql-response+json`.',
      content: {
        'application/json': { schema: ref('GraphqlRefusal') },
        'application/graphql-response+json': { schema: ref('GraphqlResponse') },
      },
    },
    413: failure('The body is larger than `MAX_BODY_BYTES` or `GRAPHQL_MAX_BODY_BYTES`.'),
    503: NO_CATALOGUE,
  },
  allowance: ALLOWANCE,
};

/** The capital's first ward: the area of the examples where nothing better is known. */
const EXAMPLE_AREA = '13101';

/** The media types of answers; the first is what callers get who do not say (GraphQL over HTTP, section 6.1). */
const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'] as const;
type MediaType = (typeof MEDIA_TYPES)[number];

/** What a body may hold: its only lists are the arguments of a query. */
const BODY_BOUNDS = { maxDepth: 100, maxValues: 100_000 };

/**
 * `POST /datacatalog/graphql` with `{query, variables?, operationName?}`, declared as anything but plain text, or with
 * the query itself as `application/graphql`. Everything that is wrong with a query is told in `errors`: with status
 * `200` (interface decisions, section 7), or `400` for who asks for `application/graphql-response+json` and gets no
 * `data`. `GET` gives browsers GraphiQL, and answers `?query=` for others.
 */
export async function registerGraphql(app: FastifyInstance, context: ServiceContext): Promise<void> {
  const { settings, watch, urls } = context;
  let executor: Promise<Executor> | null = null;
  const makeExecutor = async () =>
    new (await loadExecutor())({
      limits: {
        maxDepth: settings.GRAPHQL_MAX_DEPTH,
        maxAliases: settings.GRAPHQL_MAX_ALIASES,
        maxTokens: settings.GRAPHQL_MAX_TOKENS,
        maxBytes: settings.GRAPHQL_MAX_BYTES,
        maxList: settings.GRAPHQL_MAX_LIST,
        maxSearchTokens: settings.GRAPHQL_MAX_SEARCH_TOKENS,
        maxCost: settings.GRAPHQL_MAX_COST,
        maxAnswerBytes: settings.GRAPHQL_MAX_ANSWER_BYTES,
      },
      onError: (error) => app.log.error({ err: error }, 'a GraphQL field failed'),
      pause: setImmediate,
    });
  const answer = async (request: FastifyRequest, reply: FastifyReply, graphRequest: GraphRequest) => {
    const graph = await graphFor(watch.current(), urls);
    executor ??= makeExecutor();
    const result = await (await executor).answer(graph, graphRequest, goneSignal(reply));
    request.cost = { items: result.cost, kept: result.kept };
    return sendAnswer(request, reply, result);
  };
  const page = pageOf(settings, 'graphiql.html', {
    get examples() {
      const first = watch.current().packages.find((row) => row.cityCode.length === 5);
      return exampleQueries(first?.cityCode ?? EXAMPLE_AREA).map(({ query: text, variables }) => ({
        query: text,
        variables,
      }));
    },
  });

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
      try {
        done(null, readBody(String(body), request.headers['content-type'] ?? ''));
      } catch (error) {
        done(error as Error, undefined);
      }
    });
    const bodyLimit = Math.min(settings.MAX_BODY_BYTES, settings.GRAPHQL_MAX_BODY_BYTES);
    scope.post(routeOf(postGraphql), { bodyLimit }, async (request, reply) => {
      // Without a body no parser runs.
      const graphRequest = (request.body as GraphRequest | undefined) ?? readBody('', 'application/json');
      return answer(request, reply, graphRequest);
    });
    scope.get(routeOf(getGraphql), async (request, reply) => {
      const parameters = request.query as Record<string, unknown>;
      const wantsPage = /\btext\/html\b/.test(request.headers.accept ?? '');
      if (wantsPage || typeof parameters.query !== 'string' || parameters.query === '') {
        reply.header('vary', 'accept');
        return page(request, reply);
      }
      return answer(request, reply, readQuery(parameters.query, parameters));
    });
  });
}

/**
 * Makes a catalogue ready for GraphQL beside other requests, before somebody asks. The library is loaded here, too, so
 * that the server need not wait for it at its start.
 */
export async function prepareGraphql(snapshot: Snapshot, urls: AssetUrls): Promise<void> {
  await loadExecutor();
  await graphFor(snapshot, urls);
}

/** The objects of a catalogue, made when they are first asked for. */
export async function graphFor(snapshot: Snapshot, urls: AssetUrls): Promise<CatalogueGraph> {
  return (await import('../../graphql/catalogue-graph.ts')).graphOf(snapshot, urls);
}

async function loadExecutor(): Promise<typeof Executor> {
  return (await import('../../graphql/execute.ts')).Executor;
}

/** Sends an answer; the caller of a GET may have it already. */
async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { document, hasData }: GraphAnswer,
): Promise<FastifyReply> {
  reply.header('vary', 'accept, accept-encoding');
  reply.header('cache-control', ASKED_AGAIN);
  keyCatalogue(reply);
  const mediaType = mediaTypeFor(request);
  const status = hasData || mediaType === 'application/json' ? 200 : 400;
  if (request.method !== 'POST' && status === 200) {
    // The media type is no part of the tag: of an answer with data the bytes are the same in both.
    if (isUnchanged(request, reply, { etag: document.etag })) return reply.code(304).send();
  }
  reply.code(status).header('content-type', `${mediaType}; charset=utf-8`);
  return sendReady(request, reply, document);
}

function mediaTypeFor(request: FastifyRequest): MediaType {
  const { accept } = request.headers;
  if (accept === undefined || !accept.includes('graphql-response')) return 'application/json';
  return new Negotiator(request.raw).mediaType([...MEDIA_TYPES]) === MEDIA_TYPES[1]
    ? MEDIA_TYPES[1]
    : MEDIA_TYPES[0];
}

function readBody(text: string, contentType: string): GraphRequest {
  if (/^application\/graphql\s*(;|$)/i.test(contentType)) {
    if (text.trim() === '') throw noQuery('The body is empty; it must be the query.');
    return { query: text };
  }
  if (contentType === '' || /^text\/plain\s*(;|$)/i.test(contentType)) {
    throw noQuery('The Content-Type of the body must be application/json.');
  }
  let body: unknown;
  try {
    body = parseJson(text, BODY_BOUNDS);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw noQuery(error.message);
    throw noQuery('The body must be JSON: {"query": "{ years }"}.');
  }
  if (Array.isArray(body)) throw noQuery('The body must be one request, {"query": …}, not a list of them.');
  // GraphQL itself tells whatever else may be wrong.
  const asked = (body as { query?: unknown } | null)?.query;
  if (typeof asked !== 'string' || asked.trim() === '') {
    throw noQuery('The body has no text under the key "query".');
  }
  return body as GraphRequest;
}

function readQuery(text: string, parameters: Record<string, unknown>): GraphRequest {
  const { variables, operationName } = parameters;
  if (typeof variables !== 'string' || variables === '') return { query: text, operationName };
  try {
    return { query: text, operationName, variables: parseJson(variables, BODY_BOUNDS) };
  } catch (error) {
    if (error instanceof JsonTooLarge) throw noQuery(error.message);
    return { query: text, operationName, variables };
  }
}

/** Clients of GraphQL look for `errors`, those of this service for `error`. */
function noQuery(reason: string): ServiceError {
  return new ServiceError(400, 'invalid request body', {
    reason,
    extra: { errors: [{ message: reason, extensions: { code: 'BAD_REQUEST' } }] },
  });
}

/** The queries that GraphiQL opens with, as bodies. */
function describedExamples({ city }: Examples): Record<string, { summary: string; value: JsonObject }> {
  const examples = exampleQueries(city).map(({ title, query: text, variables }, i) => {
    const value = { query: text, ...(variables === '' ? {} : { variables: JSON.parse(variables) }) };
    return [`example${i + 1}`, { summary: title, value }];
  });
  return Object.fromEntries(examples);
}
