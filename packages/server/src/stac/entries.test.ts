import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundSlices, compareTexts } from '@citymodel/base';
import fc from 'fast-check';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { tableAssets } from './assets.ts';
import { type StacEntry, stacEntries } from './entries.ts';
import { meansItem } from './item-filter.ts';
import { entryPage } from './page.ts';
import { readSearch } from './search-request.ts';
import { StacApi } from './stac-api.ts';
import { producersOf } from './stac-words.ts';
import { staticCatalog } from './static-catalog.ts';

const sha = 'ab'.repeat(32);
const rows = [
  cityPackage({ license: 'CC BY 4.0', archiveSha256: sha, features: 7 }),
  cityPackage({ year: 2021, license: 'CC BY 4.0' }),
  tilePackage({ lod: 2 }, { license: 'CC BY 4.0' }),
  tilePackage({ lod: 2 }, { year: 2021 }),
  tilePackage({ format: 'MVT', type: 'luse' }),
  tilePackage({ type: 'brid' }, { cityCode: '27100', bounds: null }),
];

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

test('every live package of tiles is one item, and every area and year one', async () => {
  const snapshot = await snapshotOf(...rows);
  const { all, byCollection } = await stacEntries(snapshot, backgroundSlices());
  assert.deepEqual([...byCollection.keys()], ['13101', '27100', 'bldg', 'brid', 'luse']);
  assert.deepEqual(
    all
      .filter(({ kind }) => kind === 'tiles')
      .map(({ id }) => id)
      .sort(),
    snapshot.datasets.map((dataset) => dataset.package.name).sort(),
  );
  assert.deepEqual(
    byCollection.get('13101')!.map(({ id, versions }) => [id, versions]),
    [
      ['13101-2021', ['13101-2021', '13101-2023']],
      ['13101-2023', ['13101-2021', '13101-2023']],
    ],
  );
  assert.deepEqual(new Set(all.map(({ collection, id }) => `${collection}/${id}`)).size, all.length);
});

test('an edition has the zip with its hash, its tiles, and links to the editions around it', async () => {
  const entries = await stacEntries(await snapshotOf(...rows), backgroundSlices());
  const api = new StacApi(testUrls);
  const item = api.item(entries, '13101', '13101-2023') as Any;
  assert.equal(item.assets.citygml['file:checksum'], `1220${sha}`);
  assert.equal(item.assets.citygml['file:size'], rows[0]!.archiveSize);
  assert.match(item.assets['13101_bldg_lod2'].href, /tileset\.json$/);
  assert.deepEqual(item.bbox, [139, 35, 139.5, 35.5]);
  assert.equal(item.geometry.type, 'Polygon');
  const { properties } = item;
  assert.equal(properties.license, 'other', 'one of its packages says nothing of a licence');
  assert.equal(properties['city3d:city_objects'], 7);
  assert.deepEqual(properties['city3d:lods'], ['2']);
  assert.deepEqual(properties['citymodel:feature_types'], ['bldg', 'tran', 'luse']);
  assert.equal(properties['citymodel:latest'], true);
  const rels = (document: Any) =>
    document.links.map(({ rel, href }: Any) => `${rel} ${href.split('/').at(-1)}`);
  assert.ok(rels(item).includes('predecessor-version 13101-2021'));
  assert.ok(!rels(item).some((rel: string) => rel.startsWith('latest-version')), 'it is the latest itself');
  const older = api.item(entries, '13101', '13101-2021') as Any;
  assert.ok(rels(older).includes('latest-version 13101-2023'));
  assert.ok(rels(older).includes('successor-version 13101-2023'));
  assert.ok(item.links.some(({ rel }: Any) => rel === '3d-tiles'));
  assert.ok(item.links.some(({ rel }: Any) => rel === 'tilejson'));
  assert.equal(api.item(entries, '13101', 'nothing'), null);
  assert.equal(api.collection(entries, 'nothing'), null);
});

test('items of CityGML 3.0 say its specification, and which tiles show the inside', async () => {
  const of = { year: 2025, spec: '6' };
  const tiles = [
    tilePackage({ lod: 3 }, of),
    tilePackage({ lod: 3, interior: true }, of),
    tilePackage({ lod: 3, interior: true, texture: false }, of),
    tilePackage({ format: 'MVT', lod: 0, interior: true }, of),
  ];
  const packages = [cityPackage(of), ...tiles, tilePackage({ lod: 1 }, { year: 2025, spec: '4.1' })];
  const entries = await stacEntries(await snapshotOf(...packages), backgroundSlices());
  const api = new StacApi(testUrls);
  const found = tiles.map(({ name }) => api.item(entries, 'bldg', name) as Any);
  assert.deepEqual(
    found.map(({ properties }) => [properties.title, properties['citymodel:interior']]),
    [
      ['建築物モデル（市13101） 3D Tiles 2025', undefined],
      ['建築物モデル（市13101） 屋内 3D Tiles 2025', true],
      ['建築物モデル（市13101） 屋内 3D Tiles 2025', true],
      ['建築物モデル（市13101） 屋内 MVT 2025', true],
    ],
  );
  for (const { properties, links } of found) {
    assert.deepEqual(properties['citymodel:specs'], ['6']);
    // Inside and outside are no editions of each other.
    assert.ok(!links.some(({ rel }: Any) => /version$/.test(rel)));
  }
  const edition = api.item(entries, '13101', '13101-2025') as Any;
  assert.deepEqual(edition.properties['citymodel:specs'], ['4.1', '6']);
  assert.ok(!('citymodel:interior' in edition.properties));
  const titles = Object.values<Any>(edition.assets).map(({ title }) => title);
  assert.ok(titles.includes('建築物モデル（市13101） 屋内 3D Tiles'), titles.join());
});

test('sets of map symbols, which lists leave out, are items too', async () => {
  const sub = {
    ...{ code: 'dm_annotations', name: '注記' },
    ...{ admin: null, river: null, scale: null, scaleSuffix: null },
  };
  const symbols = tilePackage({ format: 'MVT', type: 'tran', sub });
  const snapshot = await snapshotOf(...rows, symbols);
  assert.ok(!snapshot.datasets.some((dataset) => dataset.package.name === symbols.name), 'no list has it');
  const { byCollection } = await stacEntries(snapshot, backgroundSlices());
  assert.deepEqual(
    byCollection.get('tran')?.map(({ id }) => id),
    [symbols.name],
  );
});

test('an item names the ward that it is of, where it is of one', async () => {
  const ward = cityPackage({ cityCode: '01100', prefCode: '01', wardCode: '01101' });
  const entries = await stacEntries(await snapshotOf(...rows, ward), backgroundSlices());
  const wardOf = (collection: string, year: number) => {
    const { properties } = new StacApi(testUrls).item(entries, collection, `${collection}-${year}`) as Any;
    return Object.entries(properties).filter(([name]) => name === 'citymodel:ward_code');
  };
  assert.deepEqual(wardOf('01101', ward.year), [['citymodel:ward_code', '01101']]);
  assert.deepEqual(wardOf('13101', 2023), []);
});

test('pages of collections lead from one to the next, each to itself', async () => {
  const entries = await stacEntries(await snapshotOf(...rows), backgroundSlices());
  const api = new StacApi(testUrls);
  const pages: string[][] = [];
  for (let token: string | null = null; ; ) {
    const page = (await api.collections(entries, { limit: 2, token }, backgroundSlices())) as Any;
    pages.push(page.collections.map(({ id }: Any) => id));
    const query = (rel: string) => {
      const link = page.links.find((one: Any) => one.rel === rel);
      return link === undefined ? null : Object.fromEntries(new URL(link.href).searchParams);
    };
    assert.deepEqual(query('self'), token === null ? { limit: '2' } : { limit: '2', token });
    const next = query('next');
    if (next === null) break;
    assert.equal(next.limit, '2');
    token = next.token!;
  }
  assert.deepEqual(pages, [['13101', '27100'], ['bldg', 'brid'], ['luse']]);
});

test('an item without a place has no box, and its collection the whole world', async () => {
  const entries = await stacEntries(await snapshotOf(rows[5]!), backgroundSlices());
  const api = new StacApi(testUrls);
  const item = api.item(entries, 'brid', rows[5]!.name) as Any;
  assert.equal(item.geometry, null);
  assert.equal('bbox' in item, false);
  const collection = api.collection(entries, 'brid') as Any;
  assert.deepEqual(collection.extent.spatial.bbox, [[-180, -90, 180, 90]]);
  assert.equal(collection.license, 'other');
});

test('pages together are the items that one filter means, in order, whatever the limit', async () => {
  const { all } = await stacEntries(await snapshotOf(...rows), backgroundSlices());
  const asked = fc.record(
    {
      collections: fc.subarray(['13101', '27100', 'bldg', 'brid', 'luse', 'none']),
      bbox: fc.constantFrom([139, 35, 140, 36], [100, 0, 110, 10], [170, 0, -170, 50]),
      datetime: fc.constantFrom('2021-06-01T00:00:00Z', '../2022-01-01T00:00:00Z', '2022-01-01T00:00:00Z/..'),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(asked, fc.integer({ min: 1, max: 5 }), async (words, limit) => {
      const { filter } = readSearch(words);
      const found: StacEntry[] = [];
      for (let token: string | null = null, pages = 0; ; pages++) {
        const page = await entryPage(all, filter, { limit, token }, backgroundSlices());
        found.push(...page.entries);
        assert.ok(pages < 20 && page.entries.length <= limit);
        if (page.next === null) break;
        assert.equal(page.entries.length, limit);
        token = page.next;
      }
      assert.deepEqual(
        found,
        all.filter((entry) => meansItem(filter, entry)),
      );
      assert.deepEqual(
        found,
        [...found].sort((a, b) => compareTexts(a.collection, b.collection) || compareTexts(a.id, b.id)),
      );
    }),
  );
  await assert.rejects(
    entryPage(all, readSearch({}).filter, { limit: 1, token: 'x' }, backgroundSlices()),
    RangeError,
  );
});

test('links of a static catalogue lead to its files, and from the landing page to all of them', async () => {
  const entries = await stacEntries(await snapshotOf(...rows), backgroundSlices());
  const files = new Map(
    [...staticCatalog(entries, testUrls)].map(({ path, document }) => [path, document as Any]),
  );
  assert.equal(files.size, 1 + entries.byCollection.size + entries.all.length);
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    const document = files.get(path);
    assert.ok(document !== undefined, path);
    for (const { rel, href } of document.links) {
      assert.notEqual(rel, 'self');
      if (!/^https?:/.test(href)) visit(new URL(href, `file:///${path}`).pathname.slice(1));
    }
  };
  visit('catalog.json');
  assert.equal(reached.size, files.size);
});

test('tables of an item are named after their types, those of a further package with its number', () => {
  const table = { size: 1, sha256: sha, key: 'k', features: 1, version: 1 };
  const row = cityPackage({
    tables: [
      { type: 'bldg', ...table },
      { type: 'tran', ...table },
    ],
  });
  const names = (number: number) => tableAssets(row, testUrls, number).map(([name]) => name);
  assert.deepEqual(names(1), ['parquet_bldg', 'parquet_tran']);
  assert.deepEqual(names(2), ['parquet_bldg_2', 'parquet_tran_2']);
});

test('a municipality or its prefecture made a package, or whom its name says, each once', () => {
  const row = cityPackage({ city: '青凪市', pref: '緑県' });
  const by = (provider: string) => ({ ...row, provider });
  assert.deepEqual(producersOf([by('pref'), by('city'), by('mlit'), by('city')]), ['緑県', '青凪市', 'mlit']);
});
