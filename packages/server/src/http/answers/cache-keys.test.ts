import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import type { FastifyReply } from 'fastify';
import { GeneratedDocument } from '../../base/generated-document.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import {
  hasKeys,
  keyAreas,
  keyCatalogue,
  keyDocument,
  keyPackage,
  keyPackageDocument,
  keyProgram,
} from './cache-keys.ts';

/** The keys that a reply gets, which both headers must name. */
function keysOf(set: (reply: FastifyReply) => void): string[] {
  const headers: Record<string, string> = {};
  const reply = {
    headers: (more: Record<string, string>) => Object.assign(headers, more),
    hasHeader: (name: string) => name in headers,
  } as unknown as FastifyReply;
  assert.equal(hasKeys(reply), false);
  set(reply);
  assert.equal(hasKeys(reply), true);
  assert.deepEqual(Object.keys(headers).sort(), ['cache-tag', 'surrogate-key']);
  const keys = headers['surrogate-key']!.split(' ');
  assert.equal(headers['cache-tag'], keys.join(','));
  return keys;
}

/** Wards of 13100 are known by it. */
const snapshot = {
  cityAround: (code: string) => (/^131\d\d$/.test(code) ? '13100' : null),
} as unknown as Snapshot;
const areas = (codes: readonly string[]) => keysOf((reply) => keyAreas(reply, snapshot, codes));

test('every answer has the key of all; what any package changes has that of the catalogue', () => {
  assert.deepEqual(keysOf(keyProgram), ['citymodel']);
  assert.deepEqual(keysOf(keyCatalogue), ['citymodel', 'catalogue']);
});

test('a document of some areas has the keys of their cities, each once', () => {
  assert.deepEqual(areas(['22203']), ['citymodel', 'area-22203', 'catalogue-22203']);
  assert.deepEqual(areas(['13101', '22203', '13102']), [
    ...['citymodel', 'area-13100', 'catalogue-13100'],
    ...['area-22203', 'catalogue-22203'],
  ]);
});

test('of more than twenty areas a document counts as one of the whole catalogue', () => {
  const codes = Array.from({ length: 21 }, (_, i) => `${22_200 + i}`);
  assert.deepEqual(areas(codes), ['citymodel', 'catalogue']);
  assert.equal(areas(codes.slice(1)).length, 1 + 2 * 20);
  const wards = Array.from({ length: 21 }, (_, i) => `${13_101 + i}`);
  assert.equal(areas([...wards, ...codes.slice(2)]).length, 1 + 2 * 20, 'wards are one city');
});

test('the area of a document that is kept is asked for once', () => {
  const [kept, other] = [GeneratedDocument.ofJson({}), GeneratedDocument.ofJson({ a: 1 })];
  let asked = 0;
  const ask = (document: GeneratedDocument, code: string) =>
    keysOf((reply) =>
      keyDocument(reply, snapshot, document, () => {
        asked++;
        return code;
      }),
    );
  assert.deepEqual(ask(kept, '13101'), ['citymodel', 'area-13100', 'catalogue-13100']);
  assert.deepEqual(ask(kept, 'all'), ['citymodel', 'area-13100', 'catalogue-13100']);
  assert.deepEqual(ask(other, 'all'), ['citymodel', 'catalogue']);
  assert.equal(asked, 2);
});

test('bytes of a package have its key and that of its city; documents made of them the catalogue of it, too', () => {
  const row = { no: 12, cityCode: '22203', wardCode: null } as PackageRow;
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(
      keysOf((reply) => keyPackage(reply, row)),
      ['citymodel', 'package-12', 'area-22203'],
    );
    assert.deepEqual(
      keysOf((reply) => keyPackageDocument(reply, row)),
      ['citymodel', 'package-12', 'area-22203', 'catalogue-22203'],
    );
  }
});
