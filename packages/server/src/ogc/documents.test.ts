import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundSlices } from '@citymodel/base';
import { cityPackage, snapshotOf } from '../catalogue/testing/snapshot-rows.ts';
import { ogcCollections } from './collections.ts';
import { collectionsDocument, MAX_COLLECTIONS } from './documents.ts';
import { queryablesDocument } from './queryables.ts';

const snapshot = await snapshotOf(
  cityPackage({ types: ['bldg', 'tran'], archiveKey: 'archives/a.zip' }),
  cityPackage({ types: ['bldg'], cityCode: '01100', prefCode: '01', archiveKey: 'archives/b.zip' }),
);

test('pages of collections go on from the last one, and from no other word', async () => {
  const collections = await ogcCollections(snapshot, backgroundSlices());
  const ids = [...collections.keys()];
  assert.ok(ids.length > 3 && ids.length % 2 === 1);
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = collectionsDocument(collections, { limit: 2, after, root: '/ogc' });
    assert.deepEqual([page.numberMatched, page.numberReturned], [ids.length, page.collections.length]);
    found.push(...page.collections.map(({ id }) => id));
    const self = new URL(page.links.find(({ rel }) => rel === 'self')!.href, 'http://localhost');
    assert.deepEqual(Object.fromEntries(self.searchParams), { limit: '2', ...(after && { after }) });
    const next = page.links.find(({ rel }) => rel === 'next');
    if (next === undefined) break;
    after = new URL(next.href, 'http://localhost').searchParams.get('after')!;
    assert.equal(after, found.at(-1));
  }
  assert.deepEqual(found, ids);
  const [first] = collectionsDocument(collections, {
    limit: MAX_COLLECTIONS,
    after: undefined,
    root: '/ogc',
  }).links;
  assert.equal(first!.href, '/ogc/collections');
  const last = collectionsDocument(collections, { limit: MAX_COLLECTIONS, after: ids[0]!, root: '/ogc' });
  assert.equal(last.links[0]!.href, `/ogc/collections?limit=${MAX_COLLECTIONS}&after=${ids[0]}`);
  assert.equal(
    last.links.some(({ rel }) => rel === 'next'),
    false,
  );
  const unknown = () => collectionsDocument(collections, { limit: 2, after: 'nothing', root: '/ogc' });
  assert.throws(unknown, /after names no collection/);
});

test('a property that is of numbers in one feature and a text in another is a text', async () => {
  const collections = await ogcCollections(snapshot, backgroundSlices());
  const { properties } = queryablesDocument(
    collections.get('bldg')!,
    [
      [
        ['year', 'number'],
        ['code', 'number'],
        ['isOld', 'boolean'],
        ['name', 'string'],
      ],
      [
        ['code', 'string'],
        ['name', 'number'],
        ['year', 'number'],
      ],
    ],
    '/ogc/collections/bldg/queryables',
  );
  const { geometry, ...types } = properties;
  assert.ok(geometry !== undefined);
  assert.deepEqual(types, {
    code: { title: 'code', type: 'string' },
    isOld: { title: 'isOld', type: 'boolean' },
    name: { title: 'name', type: 'string' },
    year: { title: 'year', type: 'number' },
  });
});
