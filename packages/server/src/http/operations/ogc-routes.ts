/** Every route below `/ogc`: how requests are read, and answers sent. */
import { quoted } from '@citymodel/base';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Feature } from 'geojson';
import Negotiator from 'negotiator';
import { ServiceError } from '../../base/errors.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import type { RecordMaker } from '../../features/feature-pages.ts';
import { formatNamed } from '../../features/formats/formats.ts';
import type { OgcCollection } from '../../ogc/collections.ts';
import { CRS_LIST, crsNamed, type OgcCrs } from '../../ogc/crs.ts';
import {
  collectionDocument,
  collectionsDocument,
  landingPage,
  MAX_COLLECTIONS,
} from '../../ogc/documents.ts';
import type { Language } from '../../ogc/html.ts';
import { geoJsonMaker, JSON_FG_CONFORMS_TO, jsonFgMaker } from '../../ogc/item-record.ts';
import {
  asksForVersion2,
  limitOf,
  type Query,
  readItemRequest,
  refuseOthers,
  textOf,
} from '../../ogc/item-request.ts';
import { OgcApi } from '../../ogc/ogc-api.ts';
import {
  CONFORMS_TO,
  DOCUMENT_FORMATS,
  ITEM_FORMATS,
  type ItemFormat,
  type Link,
  linkHeader,
  OPENAPI_30,
  SCHEMA_JSON,
} from '../../ogc/ogc-words.ts';
import { tokenOf } from '../../ogc/page-token.ts';
import {
  collectionHtml,
  collectionsHtml,
  conformanceHtml,
  itemHtml,
  itemsHtml,
  landingHtml,
  queryablesHtml,
} from '../../ogc/pages.ts';
import type { QueryablesDocument } from '../../ogc/queryables.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendComputedBytes, sendText } from '../answers/send.ts';
import { sendPieces } from '../answers/send-pieces.ts';
import type { ServiceContext } from '../context.ts';
import { type Operation, routeOf } from '../describe/operation.ts';
import {
  getOgc,
  getOgcApi,
  getOgcCollection,
  getOgcCollections,
  getOgcConformance,
  getOgcItem,
  getOgcItems,
  getOgcQueryables,
} from './ogc.ts';

/** What a document may be asked with beside its own words. */
const DOCUMENT_WORDS = ['f', 'lang'];

interface Asked {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: Query;
  readonly snapshot: Snapshot;
  readonly lang: Language;
  /** Address of the request without format and language. */
  readonly self: string;
}

/** Registers every route; `describeApi` answers with the description in OpenAPI 3.0. */
export async function registerOgc(
  app: FastifyInstance,
  { watch, urls, features }: Pick<ServiceContext, 'watch' | 'urls' | 'features'>,
  describeApi: RouteHandlerMethod,
): Promise<void> {
  const api = new OgcApi(urls.publicUrl, features.pages);
  const { root } = api;
  await app.register(async (scope) => {
    // Which document it is, these headers of the caller decide too.
    scope.addHook('onSend', async (_request, reply, payload) => {
      if (reply.statusCode < 400) reply.header('vary', 'accept, accept-encoding, accept-language');
      return payload;
    });
    const route = (operation: Operation, handle: (asked: Asked) => Promise<FastifyReply>) =>
      scope.get(routeOf(operation), async (request, reply) => {
        const query = request.query as Query;
        const snapshot = watch.current();
        try {
          const lang = languageOf(request, query);
          return await handle({
            request,
            reply,
            query,
            snapshot,
            lang,
            self: selfOf(urls.publicUrl, request),
          });
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          throw new ServiceError(400, 'invalid parameter', { reason: error.message });
        }
      });

    route(getOgc, async (asked) => {
      const document = landingPage(root, urls.publicUrl);
      return sendDocument(asked, [], document, () => landingHtml(document, { ...asked, root }));
    });
    route(getOgcConformance, async (asked) =>
      sendDocument(asked, [], { conformsTo: CONFORMS_TO }, () => conformanceHtml({ ...asked, root })),
    );
    scope.get(
      routeOf(getOgcApi),
      {
        onSend: async (_request, reply, payload) => {
          if (reply.statusCode === 200) reply.header('content-type', OPENAPI_30);
          return payload;
        },
      },
      describeApi,
    );
    route(getOgcCollections, async (asked) => {
      const collections = await api.collections(asked.snapshot);
      const limit = limitOf(textOf(asked.query, 'limit'), MAX_COLLECTIONS, MAX_COLLECTIONS);
      const after = textOf(asked.query, 'after');
      const document = collectionsDocument(collections, { limit, after, root });
      const html = () => collectionsHtml(document, (id) => collections.get(id)!.title, { ...asked, root });
      return sendDocument(asked, ['limit', 'after'], document, html);
    });
    route(getOgcCollection, async (asked) => {
      const collection = await collectionOf(api, asked);
      const document = collectionDocument(collection, root, false);
      return sendDocument(asked, [], document, () =>
        collectionHtml(collection, document, { ...asked, root }),
      );
    });
    route(getOgcQueryables, async (asked) => {
      const collection = await collectionOf(api, asked);
      const hasVersion2Names = asksForVersion2(asked.query);
      const found = await api.queryables(asked.snapshot, collection, hasVersion2Names);
      const document = found as QueryablesDocument;
      const html = () => queryablesHtml(collection, document, { ...asked, root });
      return sendDocument(asked, ['attributes'], document, html, SCHEMA_JSON);
    });
    route(getOgcItems, async (asked) => {
      const collection = await collectionOf(api, asked);
      return sendItems(asked, api, collection, features.tableRoom);
    });
    route(getOgcItem, async (asked) => {
      const collection = await collectionOf(api, asked);
      return sendItem(asked, api, collection, features.tableRoom);
    });
  });
}

/** A page of features in the format that is asked for, with its links in the head and, in JSON, in the body. */
async function sendItems(
  asked: Asked,
  api: OgcApi,
  collection: OgcCollection,
  tableRoom: ServiceContext['features']['tableRoom'],
): Promise<FastifyReply> {
  const { request, reply, query, snapshot } = asked;
  const item = readItemRequest(query);
  const format = itemFormatOf(request, query);
  const work = api.begin(goneSignal(reply));
  const base = `${api.root}/collections/${collection.id}`;
  const linksOf = (after: string | null): Link[] => [
    { rel: 'self', href: addressOf(`${base}/items`, query, {}), type: ITEM_FORMATS[format] },
    ...Object.entries(ITEM_FORMATS)
      .filter(([f]) => f !== format)
      .map(([f, type]) => ({ rel: 'alternate', href: addressOf(`${base}/items`, query, { f }), type })),
    ...(after === null
      ? []
      : [{ rel: 'next', href: addressOf(`${base}/items`, query, { after }), type: ITEM_FORMATS[format] }]),
    { rel: 'collection', href: base, type: DOCUMENT_FORMATS.json },
  ];
  /** What every answer says in its head. */
  const begin = (page: { next: Parameters<typeof tokenOf>[0] | null; cost: typeof request.cost }): Link[] => {
    request.cost = page.cost;
    const links = linksOf(page.next === null ? null : tokenOf(page.next));
    reply.header('link', linkHeader(links.filter(({ rel }) => rel !== 'alternate')));
    reply.header('content-crs', `<${item.crs.uri}>`);
    return links;
  };
  if (format === 'flatgeobuf' || format === 'cityjsonseq') {
    const writer = binaryWriter(format, item.crs, item.hasVersion2Names, tableRoom);
    const page = await api.page(snapshot, collection, item, (parts) => writer.record(parts), work);
    begin(page);
    const pieces = writer.pieces(batchOf(page.records), work.slices);
    return sendPieces(request, reply, { contentType: ITEM_FORMATS[format], pieces, warnings: page.warnings });
  }
  const maker = format === 'jsonfg' ? jsonFgMaker(item.crs) : geoJsonMaker(item.crs);
  const page = await api.page(snapshot, collection, item, maker, work);
  const links = begin(page);
  if (format === 'html') {
    const list = page.records.map((record) => JSON.parse(record) as Feature);
    return sendHtml(asked, itemsHtml(collection, list, links, { ...asked, root: api.root }));
  }
  const matched = await api.matched(snapshot, collection, item, work);
  const tail = JSON.stringify({
    numberReturned: page.records.length,
    ...(matched === null ? {} : { numberMatched: matched }),
    links,
  });
  const pieces = textPieces([`${headOf(format, item.crs)}"features":[`, page.records, `],${tail.slice(1)}`]);
  return sendPieces(request, reply, {
    contentType: `${ITEM_FORMATS[format]}; charset=utf-8`,
    pieces,
    warnings: page.warnings,
  });
}

async function sendItem(
  asked: Asked,
  api: OgcApi,
  collection: OgcCollection,
  tableRoom: ServiceContext['features']['tableRoom'],
): Promise<FastifyReply> {
  const { request, reply, query, snapshot } = asked;
  refuseOthers(query, new Set([...DOCUMENT_WORDS, 'crs', 'attributes']));
  const hasVersion2Names = asksForVersion2(query);
  const name = textOf(query, 'crs');
  const crs = name === undefined ? CRS_LIST[0]! : crsNamed(name, 'crs');
  const format = itemFormatOf(request, query);
  const id = (request.params as { featureId: string }).featureId;
  const work = api.begin(goneSignal(reply));
  const base = `${api.root}/collections/${collection.id}`;
  const self = `${base}/items/${encodeURIComponent(id)}`;
  const links: Link[] = [
    { rel: 'self', href: addressOf(self, query, {}), type: ITEM_FORMATS[format] },
    ...Object.entries(ITEM_FORMATS)
      .filter(([f]) => f !== format)
      .map(([f, type]) => ({ rel: 'alternate', href: addressOf(self, query, { f }), type })),
    { rel: 'collection', href: base, type: DOCUMENT_FORMATS.json },
  ];
  const begin = () => {
    reply.header('link', linkHeader(links.filter(({ rel }) => rel !== 'alternate')));
    reply.header('content-crs', `<${crs.uri}>`);
  };
  if (format === 'flatgeobuf' || format === 'cityjsonseq') {
    const writer = binaryWriter(format, crs, hasVersion2Names, tableRoom);
    const maker: RecordMaker<unknown> = (parts) => writer.record(parts);
    const record = await api.item(snapshot, collection, id, maker, work, hasVersion2Names);
    if (record === null) throw noFeature();
    begin();
    const pieces = writer.pieces(batchOf([record]), work.slices);
    return sendPieces(request, reply, { contentType: ITEM_FORMATS[format], pieces, warnings: new Set() });
  }
  const maker = format === 'jsonfg' ? jsonFgMaker(crs) : geoJsonMaker(crs);
  const record = await api.item(snapshot, collection, id, maker, work, hasVersion2Names);
  if (record === null) throw noFeature();
  begin();
  const feature = JSON.parse(record) as Feature;
  if (format === 'html') return sendHtml(asked, itemHtml(collection, feature, { ...asked, root: api.root }));
  const document =
    format === 'jsonfg'
      ? { ...feature, conformsTo: JSON_FG_CONFORMS_TO, coordRefSys: crs.uri, links }
      : { ...feature, links };
  reply.header('content-type', `${ITEM_FORMATS[format]}; charset=utf-8`);
  return sendText(request, reply, JSON.stringify(document));
}

/** The members of a collection before its features, without the end of the object. */
function headOf(format: ItemFormat, crs: OgcCrs): string {
  const more = format === 'jsonfg' ? { conformsTo: JSON_FG_CONFORMS_TO, coordRefSys: crs.uri } : {};
  return `${JSON.stringify({ type: 'FeatureCollection', ...more }).slice(0, -1)},`;
}

/** Throws a RangeError where another system than longitude and latitude is asked for, or names that a format lacks. */
function binaryWriter(
  format: 'flatgeobuf' | 'cityjsonseq',
  crs: OgcCrs,
  hasVersion2Names: boolean,
  tableRoom: ServiceContext['features']['tableRoom'],
) {
  if (crs !== CRS_LIST[0])
    throw new RangeError(
      `f=${format} has longitude and latitude only; leave crs out, or ask for geojson or jsonfg.`,
    );
  if (hasVersion2Names && format === 'cityjsonseq')
    throw new RangeError('attributes=v2 does not go with f=cityjsonseq, whose names are those of the data.');
  return formatNamed(format)!.writer({ fields: null, flatten: format === 'flatgeobuf', tableRoom });
}

async function* batchOf<R>(records: readonly R[]): AsyncGenerator<readonly R[], void, void> {
  yield records;
}

async function* textPieces([head, records, tail]: [
  string,
  readonly string[],
  string,
]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head + records.join(',') + tail);
}

async function collectionOf(api: OgcApi, { request, snapshot }: Asked): Promise<OgcCollection> {
  const { collectionId } = request.params as { collectionId: string };
  const collection = (await api.collections(snapshot)).get(collectionId);
  if (collection !== undefined) return collection;
  throw new ServiceError(404, 'not found', {
    reason: `There is no collection ${quoted(collectionId)}; /ogc/collections lists those that there are.`,
  });
}

function noFeature(): ServiceError {
  return new ServiceError(404, 'not found', { reason: 'The collection has no feature with this gml:id.' });
}

/** A document as JSON or as a page; `words` are parameters that it has beside format and language. */
function sendDocument(
  asked: Asked,
  words: readonly string[],
  document: object,
  html: () => string,
  type: string = DOCUMENT_FORMATS.json,
): Promise<FastifyReply> {
  refuseOthers(asked.query, new Set([...DOCUMENT_WORDS, ...words]));
  const format = formatOf(asked.request, asked.query, Object.keys(DOCUMENT_FORMATS), DOCUMENT_FORMATS);
  if (format === 'html') return sendHtml(asked, html());
  asked.reply.header('content-type', `${type}; charset=utf-8`);
  return sendText(asked.request, asked.reply, JSON.stringify(document));
}

function sendHtml({ request, reply, lang }: Asked, html: string): Promise<FastifyReply> {
  reply.header('content-type', 'text/html; charset=utf-8');
  reply.header('content-language', lang);
  reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
  return sendComputedBytes(request, reply, Buffer.from(html));
}

/** `json` is another name of GeoJSON. */
function itemFormatOf(request: FastifyRequest, query: Query): ItemFormat {
  const accepted = { ...ITEM_FORMATS, json: DOCUMENT_FORMATS.json };
  const format = formatOf(request, query, Object.keys(accepted), accepted);
  return format === 'json' ? 'geojson' : (format as ItemFormat);
}

/** The format by `f`, else by `Accept`; the first where the caller takes none. Throws a RangeError for another `f`. */
function formatOf(
  request: FastifyRequest,
  query: Query,
  names: readonly string[],
  types: Readonly<Record<string, string>>,
): string {
  const f = textOf(query, 'f');
  if (f !== undefined) {
    if (names.includes(f)) return f;
    throw new RangeError(`f is ${quoted(f)}; it must be one of ${names.join(', ')}.`);
  }
  const [type] = new Negotiator(request.raw).mediaTypes(names.map((name) => types[name]!));
  return names.find((name) => types[name] === type) ?? names[0]!;
}

function languageOf(request: FastifyRequest, query: Query): Language {
  const lang = textOf(query, 'lang');
  if (lang === 'ja' || lang === 'en') return lang;
  if (lang !== undefined) throw new RangeError(`lang is ${quoted(lang)}; it must be ja or en.`);
  return new Negotiator(request.raw).language(['ja', 'en']) === 'en' ? 'en' : 'ja';
}

/** The address with the words of the query, of which some are others. */
function addressOf(address: string, query: Query, others: Readonly<Record<string, string>>): string {
  const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  for (const [name, value] of Object.entries(others)) words.set(name, value);
  return words.size === 0 ? address : `${address}?${words}`;
}

function selfOf(publicUrl: string, request: FastifyRequest): string {
  const url = new URL(request.url, 'http://x');
  url.searchParams.delete('f');
  url.searchParams.delete('lang');
  return `${publicUrl}${url.pathname}${url.search}`;
}
