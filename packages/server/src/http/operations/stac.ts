/** The catalogue as a SpatioTemporal Asset Catalog: `/stac` (STAC API 1.0.0; OGC API – Features, Part 1). */
import { Turns } from '@citymodel/base';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { JsonTooLarge, parseJson } from '../../base/parse-json.ts';
import { refuseOthers } from '../../ogc/item-request.ts';
import type { StacEntries } from '../../stac/entries.ts';
import {
  DEFAULT_LIMIT,
  GEOMETRY_BOUNDS,
  MAX_LIMIT,
  readSearch,
  type SearchWords,
  wordsOfQuery,
} from '../../stac/search-request.ts';
import type { StacApi } from '../../stac/stac-api.ts';
import { CONFORMS_TO, type Link, MEDIA } from '../../stac/stac-words.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendGenerated, sendText } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { CONDITIONAL, NO_CATALOGUE, NOT_MODIFIED } from '../describe/common.ts';
import {
  type Answer,
  failure,
  json,
  type Operation,
  path,
  query,
  ref,
  routeOf,
  TEXT,
} from '../describe/operation.ts';

const TAG = 'STAC';
/** Bytes of the body of a search. */
const MAX_BODY = 200_000;

const GEOJSON = `${MEDIA.geojson}; charset=utf-8`;

const COLLECTION = path('collection', 'A feature type, or the code of an area.', ({ city }) => city);
const PAGING = [
  query('limit', `Items of a page; at most ${MAX_LIMIT} are sent.`, {
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: DEFAULT_LIMIT,
  }),
  query('token', 'Where the page goes on, from the link `next`.', TEXT),
];
const SEARCH = [
  query(
    'collections',
    'Keeps items of these collections.',
    { type: 'array', items: TEXT },
    { list: true, example: ({ city }) => [city] },
  ),
  query('ids', 'Keeps items with these ids.', { type: 'array', items: TEXT }, { list: true }),
  query(
    'bbox',
    'Keeps items that touch this box: `west,south,east,north` in degrees.',
    { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 },
    { list: true },
  ),
  query('datetime', 'Keeps items of this time: an instant, or two with `/` between.', TEXT),
  query('intersects', 'Keeps items that meet this GeoJSON geometry.', TEXT),
  ...PAGING,
];

/** GeoJSON of a named schema. */
function geojson(description: string, schema: string): Answer {
  return { description, content: { [MEDIA.geojson]: { schema: ref(schema) } }, headers: CONDITIONAL };
}

const NOT_ACCEPTED = failure('A parameter, or its value, is not accepted.');
const NOT_FOUND = failure('There is no such collection or item.');
const BESIDE = { 304: NOT_MODIFIED, 400: NOT_ACCEPTED, 503: NO_CATALOGUE };
const common = { method: 'get', number: null, tag: TAG, parameters: [] } as const;

export const getStac: Operation = {
  ...common,
  id: 'getStac',
  path: '/stac',
  summary: 'The STAC catalogue',
  description: 'Landing page of the SpatioTemporal Asset Catalog, with a link to every collection.',
  answers: { 200: json('The landing page.', 'StacCatalog', CONDITIONAL), ...BESIDE },
};

export const getStacConformance: Operation = {
  ...common,
  id: 'getStacConformance',
  path: '/stac/conformance',
  summary: 'What of the standards the STAC API keeps',
  description: 'Conformance classes of STAC API and OGC API – Features.',
  answers: { 200: json('The classes.', 'StacConformance', CONDITIONAL), ...BESIDE },
};

export const getStacCollections: Operation = {
  ...common,
  id: 'getStacCollections',
  path: '/stac/collections',
  summary: 'Collections: feature types and areas',
  description:
    'A collection is a feature type, whose items are packages of tiles, or an area, whose items are editions.',
  parameters: PAGING,
  answers: { 200: json('The collections.', 'StacCollections', CONDITIONAL), ...BESIDE },
};

export const getStacCollection: Operation = {
  ...common,
  id: 'getStacCollection',
  path: '/stac/collections/{collection}',
  summary: 'A collection',
  description: 'Extent, years and licence of its items.',
  parameters: [COLLECTION],
  answers: { 200: json('The collection.', 'StacCollection', CONDITIONAL), 404: NOT_FOUND, ...BESIDE },
};

export const getStacItems: Operation = {
  ...common,
  id: 'getStacItems',
  path: '/stac/collections/{collection}/items',
  summary: 'Items of a collection',
  description: 'A page of items by id.',
  // pystac-client repeats `collections` here, as in a search.
  parameters: [COLLECTION, ...SEARCH],
  answers: { 200: geojson('The page.', 'StacItems'), 404: NOT_FOUND, ...BESIDE },
};

export const getStacItem: Operation = {
  ...common,
  id: 'getStacItem',
  path: '/stac/collections/{collection}/items/{item}',
  summary: 'An item',
  description: 'A package of tiles, or what an area published in one year, with its files.',
  parameters: [COLLECTION, path('item', 'Id of the item.', ({ edition }) => edition)],
  answers: { 200: geojson('The item.', 'StacItem'), 404: NOT_FOUND, ...BESIDE },
};

export const searchStac: Operation = {
  ...common,
  id: 'searchStac',
  path: '/stac/search',
  summary: 'Items by place, time and collection',
  description: 'All parameters must hold. The items come by collection and id.',
  parameters: SEARCH,
  answers: { 200: geojson('The page.', 'StacItems'), ...BESIDE },
};

export const postStacSearch: Operation = {
  id: 'postStacSearch',
  method: 'post',
  path: '/stac/search',
  number: null,
  tag: TAG,
  summary: 'Items by place, time and collection, asked for in JSON',
  description: 'The same as GET.',
  parameters: [],
  body: {
    required: true,
    content: {
      'application/json': {
        schema: ref('StacSearch'),
        examples: ({ city }) => ({
          example1: { summary: 'Editions of an area', value: { collections: [city], limit: 10 } },
        }),
      },
    },
  },
  answers: {
    200: geojson('The page.', 'StacItems'),
    400: failure('The body is not accepted.'),
    413: failure('The body is too large.'),
    503: NO_CATALOGUE,
  },
};

export const STAC_OPERATIONS: readonly Operation[] = [
  getStac,
  getStacConformance,
  getStacCollections,
  getStacCollection,
  getStacItems,
  getStacItem,
  searchStac,
  postStacSearch,
];

/** Every route below `/stac`. */
export async function registerStac(
  app: FastifyInstance,
  { watch }: Pick<ServiceContext, 'watch'>,
  api: StacApi,
): Promise<void> {
  const turns = new Turns();

  /** The answer of a handler that knows the entries, with its refusals as the service says them. */
  const answering =
    (
      operation: Operation,
      handle: (asked: Asked) => object | null | Promise<object | null>,
      contentType = 'application/json; charset=utf-8',
    ) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const snapshot = watch.current();
      const slices = turns.slices(goneSignal(reply));
      await refusing(() => refuseUndeclared(operation, request));
      const entries = await api.entries(snapshot);
      const params = (request.params ?? {}) as Record<string, string>;
      const document = await refusing(() => handle({ request, params, entries, slices }));
      if (document === null) throw notFound(params);
      reply.header('content-type', contentType);
      return sendText(request, reply, JSON.stringify(document));
    };

  app.get(routeOf(getStac), async (request, reply) => {
    const snapshot = watch.current();
    await refusing(() => refuseUndeclared(getStac, request));
    const entries = await api.entries(snapshot);
    const document = snapshot.generated.get('stac', () => GeneratedDocument.ofJson(api.catalog(entries)));
    return sendGenerated(request, reply, document);
  });
  app.get(
    routeOf(getStacConformance),
    answering(getStacConformance, () => ({ conformsTo: CONFORMS_TO })),
  );
  app.get(
    routeOf(getStacCollections),
    answering(getStacCollections, ({ request, entries, slices }) =>
      api.collections(entries, readSearch(wordsOfQuery(request.query as Query)), slices),
    ),
  );
  app.get(
    routeOf(getStacCollection),
    answering(getStacCollection, ({ params, entries }) => api.collection(entries, params.collection!)),
  );
  app.get(
    routeOf(getStacItem),
    answering(
      getStacItem,
      ({ params, entries }) => api.item(entries, params.collection!, params.item!),
      GEOJSON,
    ),
  );
  app.get(
    routeOf(getStacItems),
    answering(
      getStacItems,
      async ({ request, params, entries, slices }) => {
        const list = entries.byCollection.get(params.collection!);
        if (list === undefined) return null;
        const page = await api.page(list, readSearch(wordsOfQuery(request.query as Query)), slices);
        const at = `/collections/${encodeURIComponent(params.collection!)}`;
        const links = [
          ...pageLinks(api.address(`${at}/items`), request.query as Query, page.next),
          { rel: 'collection', href: api.address(at), type: MEDIA.json },
        ];
        return api.items(page, links, slices);
      },
      GEOJSON,
    ),
  );
  app.get(
    routeOf(searchStac),
    answering(
      searchStac,
      async ({ request, entries, slices }) => {
        const page = await api.page(entries.all, readSearch(wordsOfQuery(request.query as Query)), slices);
        return api.items(page, pageLinks(api.address('/search'), request.query as Query, page.next), slices);
      },
      GEOJSON,
    ),
  );
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BODY }, (_request, body, done) => {
      try {
        done(null, parseJson(String(body), GEOMETRY_BOUNDS));
      } catch (error) {
        const reason = error instanceof JsonTooLarge ? error.message : 'The body must be a JSON object.';
        done(invalidBody(reason), undefined);
      }
    });
    scope.post(
      routeOf(postStacSearch),
      answering(
        postStacSearch,
        async ({ request, entries, slices }) => {
          const { body } = request;
          if (typeof body !== 'object' || body === null || Array.isArray(body)) {
            throw invalidBody('The body must be a JSON object such as {"collections": ["bldg"]}.');
          }
          const page = await api.page(entries.all, readSearch(body as SearchWords), slices);
          const href = api.address('/search');
          const next: Link[] =
            page.next === null
              ? []
              : [
                  {
                    rel: 'next',
                    href,
                    type: MEDIA.geojson,
                    method: 'POST',
                    body: { ...body, token: page.next },
                  },
                ];
          return api.items(page, next, slices);
        },
        GEOJSON,
      ),
    );
  });
}

type Query = Readonly<Record<string, unknown>>;

interface Asked {
  request: FastifyRequest;
  params: Readonly<Record<string, string>>;
  entries: StacEntries;
  slices: ReturnType<Turns['slices']>;
}

/** The page itself, and the next one with the same query. */
function pageLinks(address: string, asked: Query, next: string | null): Link[] {
  const words = Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]);
  const withQuery = (pairs: Array<[string, string]>) =>
    pairs.length === 0 ? address : `${address}?${new URLSearchParams(pairs)}`;
  const self: Link = { rel: 'self', href: withQuery(words), type: MEDIA.geojson };
  if (next === null) return [self];
  const rest = words.filter(([name]) => name !== 'token');
  return [self, { rel: 'next', href: withQuery([...rest, ['token', next]]), type: MEDIA.geojson }];
}

/** Throws a RangeError for a parameter that the operation does not declare (Features, Part 1, requirement 8). */
function refuseUndeclared({ parameters = [] }: Operation, { query }: FastifyRequest): void {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  refuseOthers(query as Query, new Set(names));
}

/** What a reader of words says of them is for the caller. */
async function refusing<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RangeError)
      throw new ServiceError(400, 'invalid parameter', { reason: error.message });
    throw error;
  }
}

function invalidBody(reason: string): ServiceError {
  return new ServiceError(400, 'invalid request body', { reason });
}

function notFound(params: Readonly<Record<string, string>>): ServiceError {
  const reason =
    params.item === undefined
      ? 'There is no collection of this id; /stac/collections lists those that there are.'
      : 'The collection has no item of this id; its link `items` lists those that there are.';
  return new ServiceError(404, 'not found', { reason });
}
