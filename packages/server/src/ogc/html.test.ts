import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Feature } from 'geojson';
import { featureTable, htmlPage } from './html.ts';

const feature = (id: string | undefined, properties: Record<string, unknown>): Feature => ({
  type: 'Feature',
  ...(id === undefined ? {} : { id }),
  geometry: null as never,
  properties,
});

test('features are lines whose ids lead to their pages, as far as they have ids', () => {
  const html = featureTable(
    [feature('a/<b>', { 'gml:id': 'a/<b>', height: 5, name: '<i>' }), feature(undefined, { use: 'x' })],
    '/ogc/collections/bldg/items',
    'en',
  );
  const rows = html.match(/<tr>.*?<\/tr>/g)!;
  assert.equal(rows.length, 3);
  assert.match(rows[0]!, /<th>height<\/th><th>name<\/th><th>use<\/th>/);
  assert.match(
    rows[1]!,
    /href="\/ogc\/collections\/bldg\/items\/a%2F%3Cb%3E\?f=html"[^>]*>a\/&lt;b&gt;<\/a>/,
  );
  assert.match(rows[1]!, /<td>5<\/td><td>&lt;i&gt;<\/td><td><\/td>/);
  assert.match(rows[2]!, /<tr><td><\/td><td><\/td><td><\/td><td>x<\/td>/);
  assert.ok(!rows[2]!.includes('<a'));
  assert.ok(!featureTable([], '/x', 'en').includes('<table'));
});

test('a page leads to itself in the other language, whatever else its address asks for', () => {
  const linkIn = (lang: 'ja' | 'en', self: string) => {
    const page = htmlPage({ title: 't', body: '', lang, root: '/ogc', self });
    assert.match(page, new RegExp(`<html lang="${lang}">`));
    return /<a href="([^"]*&amp;lang=[^"]*)"/.exec(page)?.[1];
  };
  assert.equal(linkIn('ja', '/ogc/collections'), '/ogc/collections?f=html&amp;lang=en');
  assert.equal(linkIn('en', '/ogc/collections?limit=2'), '/ogc/collections?limit=2&amp;f=html&amp;lang=ja');
});
