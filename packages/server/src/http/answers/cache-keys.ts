/**
 * The headers by which a CDN finds answers again to drop them. What the keys are:
 * packages/server/src/catalogue/purge/cache-keys.ts.
 */

import type { PackageRow } from '@citymodel/store';
import type { FastifyReply } from 'fastify';
import type { ReadyDocument } from '../../base/generated-document.ts';
import {
  CATALOGUE,
  catalogueKey,
  EVERYTHING,
  keysOfArea,
  keysOfPackage,
} from '../../catalogue/purge/cache-keys.ts';
import { cityAreaOf } from '../../catalogue/rows/snapshot-dataset.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';

/** Fastly and Varnish read keys with blanks between, Cloudflare and Akamai with commas. */
function headersOf(keys: readonly string[]): Record<string, string> {
  return { 'surrogate-key': keys.join(' '), 'cache-tag': keys.join(',') };
}

const OF_CATALOGUE = headersOf([EVERYTHING, CATALOGUE]);
const OF_NOTHING_ELSE = headersOf([EVERYTHING]);
/**
 * Areas that a document names as its own; beyond, it counts as one of the whole catalogue, so that headers stay short.
 */
const MAX_AREAS = 20;

/** Of a document that any package may change. */
export function keyCatalogue(reply: FastifyReply): void {
  reply.headers(OF_CATALOGUE);
}

/** Of an answer that no package changes. */
export function keyProgram(reply: FastifyReply): void {
  reply.headers(OF_NOTHING_ELSE);
}

/** Of a document that only packages of some areas change, by the codes of wards, municipalities or prefectures. */
export function keyAreas(reply: FastifyReply, snapshot: Snapshot, codes: readonly string[]): void {
  reply.headers(ofAreas(snapshot)(codes));
}

/**
 * Of a document that is kept and sent many times. `areaOf` tells the code of the area whose packages change it, `all`
 * for the whole catalogue; it is asked once for each document.
 */
export function keyDocument(
  reply: FastifyReply,
  snapshot: Snapshot,
  document: ReadyDocument,
  areaOf: () => string,
): void {
  let headers = ofDocuments.get(document);
  if (headers === undefined) {
    const area = areaOf();
    headers = area === 'all' ? OF_CATALOGUE : ofAreas(snapshot)([area]);
    ofDocuments.set(document, headers);
  }
  reply.headers(headers);
}

const ofDocuments = new WeakMap<ReadyDocument, Record<string, string>>();

/** What a snapshot says of lists of codes; callers that ask often have the same list. */
const ofAreas = remembered((snapshot: Snapshot) =>
  remembered((codes: readonly string[]) => {
    const areas = new Set(codes.map((code) => snapshot.cityAround(code) ?? code));
    return areas.size > MAX_AREAS ? OF_CATALOGUE : headersOf([...new Set([...areas].flatMap(keysOfArea))]);
  }),
);

/** Of bytes of one package, or of a document that is made of them. */
export function keyPackage(reply: FastifyReply, row: PackageRow): void {
  reply.headers(ofPackage(row));
}

/** Of a document that is made of bytes of one package. */
export function keyPackageDocument(reply: FastifyReply, row: PackageRow): void {
  reply.headers(ofPackageDocument(row));
}

const ofPackage = remembered((row: PackageRow) => headersOf(keysOfPackage(row)));
const ofPackageDocument = remembered((row: PackageRow) =>
  headersOf([...keysOfPackage(row), catalogueKey(cityAreaOf(row))]),
);

/** What is made of an object, made when it is first wanted and kept as long as the object is. */
function remembered<O extends object, T extends object>(make: (of: O) => T): typeof make {
  const known = new WeakMap<O, T>();
  return (of) => {
    let value = known.get(of);
    if (value === undefined) {
      value = make(of);
      known.set(of, value);
    }
    return value;
  };
}

/** Whether the answer has its keys. */
export function hasKeys(reply: FastifyReply): boolean {
  return reply.hasHeader('surrogate-key');
}
