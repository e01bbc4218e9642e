/** Operations 1 and 2: the catalogue in GraphQL, and GraphiQL for people. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import type { GeneratedDocument } from '../../base/generated-document.ts';
import { parseJson } from '../../base/parse-json.ts';
import type { AssetUrls } from '../../catalogue/names/asset-urls.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import type { CatalogueGraph } from '../../graphql/catalogue-graph.ts';
import { exampleQueries } from '../../graphql/examples.ts';
import type { Executor, GraphRequest } from '../../graphql/execute.ts';
import { acceptsGzip, GENERATED_CACHE, sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { pageOf } from '../pages/pages.ts';

const PATH = '/datacatalog/graphql';
/** Below this size compressing costs more than it saves. */
const COMPRESS_FROM = 1_024;
/** The capital's first ward: the area of the examples where nothing better is known. */
const EXAMPLE_AREA = '13101';

/**
 * `POST /datacatalog/graphql` with `{query, variables?, operationName?}`, whatever the body is declared to be, or with
 * the query itself as `application/graphql`. Everything that is wrong with a query is told in `errors` of a `200`
 * (interface decisions, section 7). `GET` gives browsers GraphiQL, and answers `?query=` for others.
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
        maxCost: settings.GRAPHQL_MAX_COST,
      },
      onError: (error) => app.log.error({ err: error }, 'a GraphQL field failed'),
    });
  const answer = async (request: FastifyRequest, asked: GraphRequest): Promise<GeneratedDocument> => {
    const graph = await graphFor(watch.current(), urls);
    executor ??= makeExecutor();
    const { document, fields, kept } = (await executor).answer(graph, asked);
    request.cost = { fields, kept };
    return document;
  };
  const page = pageOf(settings, 'graphiql.html', {
    get examples() {
      const first = watch.current().packages.find((row) => row.cityCode.length === 5);
      return exampleQueries(first?.cityCode ?? EXAMPLE_AREA).map(({ query, variables }) => ({
        query,
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
    scope.post(PATH, async (request, reply) => {
      // Without a body no parser runs.
      const asked = (request.body as GraphRequest | undefined) ?? readBody('', '');
      return sendAnswer(request, reply, await answer(request, asked));
    });
    scope.get(PATH, async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const wantsPage = /\btext\/html\b/.test(request.headers.accept ?? '');
      if (wantsPage || typeof query.query !== 'string' || query.query === '') return page(request, reply);
      return sendGenerated(request, reply, await answer(request, readQuery(query.query, query)));
    });
  });
}

/**
 * Makes a catalogue ready for GraphQL beside other requests, before somebody asks. The library is loaded here, too, so that
 * the server need not wait for it at its start.
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

/** The answer to a POST, which no cache keeps. */
async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  document: GeneratedDocument,
): Promise<FastifyReply> {
  reply.header('cache-control', GENERATED_CACHE);
  reply.header('vary', 'accept-encoding');
  reply.header('content-type', 'application/json; charset=utf-8');
  if (document.body.length < COMPRESS_FROM || !acceptsGzip(request)) return reply.send(document.body);
  reply.header('content-encoding', 'gzip');
  return reply.send(await document.gzip());
}

function readBody(text: string, contentType: string): GraphRequest {
  if (/^application\/graphql\s*(;|$)/i.test(contentType)) {
    if (text.trim() === '') throw noQuery('The body is empty; it must be the query.');
    return { query: text };
  }
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    throw noQuery('The body must be JSON: {"query": "{ years }"}.');
  }
  if (Array.isArray(body)) throw noQuery('The body must be one request, {"query": …}, not a list of them.');
  // GraphQL itself tells whatever else may be wrong.
  const query = (body as { query?: unknown } | null)?.query;
  if (typeof query !== 'string' || query.trim() === '') {
    throw noQuery('The body has no text under the key "query".');
  }
  return body as GraphRequest;
}

function readQuery(query: string, parameters: Record<string, unknown>): GraphRequest {
  const { variables, operationName } = parameters;
  if (typeof variables !== 'string' || variables === '') return { query, operationName };
  try {
    return { query, operationName, variables: JSON.parse(variables) };
  } catch {
    return { query, operationName, variables };
  }
}

/** Clients of GraphQL look for `errors`, those of this service for `error`. */
function noQuery(reason: string): ServiceError {
  return new ServiceError(400, 'invalid request body', {
    reason,
    extra: { errors: [{ message: reason, extensions: { code: 'BAD_REQUEST' } }] },
  });
}
