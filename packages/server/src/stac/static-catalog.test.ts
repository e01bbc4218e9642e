import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundSlices } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { stacEntries } from './entries.ts';
import { cityObjectsOf, spdxOf, yearsInterval } from './stac-words.ts';
import { staticCatalog } from './static-catalog.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

/** The documents of a static catalogue by their paths, and the last of the paths. */
async function documentsOf(...rows: PackageRow[]) {
  const entries = await stacEntries(await snapshotOf(...rows), backgroundSlices());
  const files = [...staticCatalog(entries, testUrls)];
  const byPath = new Map(files.map(({ path, document }) => [path, document as Any]));
  return {
    of: (path: string) => byPath.get(path),
    last: files.at(-1)!.path,
    paths: [...byPath.keys()].sort(),
  };
}

const image = (theme: 'light' | 'dark', size: 'small' | 'large') => ({
  ...{ theme, size, width: size === 'small' ? 600 : 1_200, height: 315, mimeType: 'image/png' as const },
  ...{ key: `pictures/${theme}-${size}`, bytes: 9, sha256: 'cd'.repeat(32) },
});

test('files lie by collections and items, with relative links, and the landing page comes last', async () => {
  const row = tilePackage({ lod: 2 }, { license: 'CC BY 4.0' });
  const { of, last, paths } = await documentsOf(row);
  assert.equal(last, 'catalog.json');
  assert.deepEqual(paths, [
    '13101/13101-2023/13101-2023.json',
    '13101/collection.json',
    `bldg/${row.name}/${row.name}.json`,
    'bldg/collection.json',
    'catalog.json',
  ]);
  const catalog = of('catalog.json');
  assert.equal('conformsTo' in catalog, false);
  assert.deepEqual(catalog.links, [
    { rel: 'root', href: './catalog.json', type: 'application/json' },
    { rel: 'child', href: './13101/collection.json', type: 'application/json', title: '県13市13101' },
    { rel: 'child', href: './bldg/collection.json', type: 'application/json', title: catalog.links[2].title },
  ]);
  const name = encodeURIComponent(row.name);
  assert.deepEqual(of('bldg/collection.json').links, [
    { rel: 'root', href: '../catalog.json', type: 'application/json' },
    { rel: 'parent', href: '../catalog.json', type: 'application/json' },
    { rel: 'item', href: `./${name}/${name}.json`, type: 'application/geo+json' },
  ]);
});

test('a collection sums up its items: bounds, years, licence and LODs', async () => {
  const { of } = await documentsOf(
    tilePackage({ lod: 2 }, { license: 'CC BY 4.0', bounds: { west: 139, south: 35, east: 140, north: 36 } }),
    tilePackage(
      { lod: 1 },
      {
        ...{ license: 'CC-BY-4.0', year: 2021, cityCode: '27100' },
        bounds: { west: 135, south: 34, east: 136, north: 35 },
      },
    ),
    tilePackage({ format: 'MVT', type: 'luse' }, { cityCode: '47201', bounds: null }),
  );
  const buildings = of('bldg/collection.json');
  assert.deepEqual(
    { ...buildings, links: null, title: null, description: null },
    {
      type: 'Collection',
      stac_version: '1.1.0',
      stac_extensions: ['https://cityjson.github.io/stac-city3d/v0.2.0/schema.json'],
      id: 'bldg',
      title: null,
      description: null,
      license: 'CC-BY-4.0',
      extent: {
        spatial: { bbox: [[135, 34, 140, 36]] },
        temporal: { interval: [['2021-03-31T15:00:00Z', '2024-03-31T14:59:59Z']] },
      },
      summaries: { 'citymodel:year': { minimum: 2021, maximum: 2023 }, 'city3d:lods': ['1', '2'] },
      links: null,
    },
  );
  assert.match(
    buildings.description,
    /^3D Tiles and vector tiles of the feature type bldg \(.+\), an item for each/,
  );
  assert.equal(buildings.description.includes(`(${buildings.title})`), true);
  const land = of('luse/collection.json');
  assert.deepEqual(
    [land.stac_extensions, land.license, land.extent.spatial.bbox, land.summaries],
    [[], 'other', [[-180, -90, 180, 90]], { 'citymodel:year': { minimum: 2023, maximum: 2023 } }],
  );
});

test('an area is called by prefecture and name, once, with a space where letters are Latin', async () => {
  const { of } = await documentsOf(
    cityPackage({ cityCode: '13102' }),
    cityPackage({ cityCode: '01100', wardCode: '01101' }),
    cityPackage({ cityCode: '14', pref: '神奈川県', city: '' }),
    cityPackage({ cityCode: '13103', city: 'Minato' }),
  );
  const title = (area: string) => of(`${area}/collection.json`).title;
  assert.equal(title('13102'), '県13市13102');
  assert.equal(title('01101'), '県01区01101');
  assert.equal(title('14'), '神奈川県');
  assert.equal(title('13103'), '県13 Minato');
  assert.equal(
    of('13103/collection.json').description,
    'What was published of 県13 Minato (13103), an item for each year.',
  );
  assert.equal(of('13102/13102-2023/13102-2023.json').properties.title, '県13 市13102 2023');
});

test('an item of tiles has its document, its zip and its pictures', async () => {
  const row = tilePackage(
    { lod: 2, interior: true },
    {
      archiveSha256: 'ab'.repeat(32),
      license: 'CC BY 4.0',
      wardCode: '13199',
      ingestedAt: '2024-05-06T00:00:00Z',
      pictures: {
        version: 1,
        images: [image('light', 'small'), image('light', 'large'), image('dark', 'small')],
      },
    },
  );
  const { of } = await documentsOf(row);
  const item = of(`bldg/${row.name}/${row.name}.json`);
  assert.equal(item.collection, 'bldg');
  assert.deepEqual(Object.keys(item.assets), ['3dtiles', 'archive', 'thumbnail', 'overview']);
  assert.match(item.assets['3dtiles'].title, / 屋内 3D Tiles$/);
  assert.deepEqual(item.assets.archive, {
    href: testUrls.archive(row),
    type: 'application/zip',
    title: row.uploadName,
    roles: ['archive'],
    'file:checksum': `1220${'ab'.repeat(32)}`,
    'file:size': row.archiveSize,
  });
  assert.deepEqual([item.assets.thumbnail.title, item.assets.overview.title], ['600 × 315', '1200 × 315']);
  const { title, ...properties } = item.properties;
  assert.match(title, / 屋内 3D Tiles 2023$/);
  assert.deepEqual(properties, {
    datetime: null,
    start_datetime: '2023-03-31T15:00:00Z',
    end_datetime: '2024-03-31T14:59:59Z',
    created: '2024-05-06T00:00:00Z',
    updated: '2024-05-06T00:00:00Z',
    license: 'CC-BY-4.0',
    providers: [{ name: row.city, roles: ['producer', 'licensor'] }],
    version: '2023',
    'city3d:co_types': ['Building'],
    'city3d:lods': ['2'],
    'city3d:textures': true,
    'citymodel:feature_types': ['bldg'],
    'citymodel:specs': ['4.1'],
    'citymodel:interior': true,
    'citymodel:pref_code': '13',
    'citymodel:city_code': '13101',
    'citymodel:ward_code': '13199',
    'citymodel:latest': true,
    'citymodel:license': 'CC BY 4.0',
  });
  assert.deepEqual(
    item.links.map(({ rel, href }: Any) => [rel, href]),
    [
      ['root', '../../catalog.json'],
      ['parent', '../../bldg/collection.json'],
      ['collection', '../../bldg/collection.json'],
      ['3d-tiles', testUrls.member(row, 'tileset.json')],
    ],
  );
});

test('vector tiles have neither textures nor LODs, and one without bounds has no place', async () => {
  const row = tilePackage(
    { format: 'MVT', type: 'luse', lodNamed: false },
    { cityCode: '13101', bounds: null },
  );
  const { of } = await documentsOf(row);
  const item = of(`luse/${row.name}/${row.name}.json`);
  assert.deepEqual(Object.keys(item.assets), ['mvt', 'archive']);
  assert.equal(item.properties['city3d:textures'], false);
  assert.equal('city3d:lods' in item.properties, false);
  assert.deepEqual([item.geometry, 'bbox' in item], [null, false]);
});

test('an edition numbers further packages of CityGML and their tables', async () => {
  const table = (type: string) => ({
    ...{ type, key: `tables/${type}`, size: 5, sha256: 'ef'.repeat(32), features: 1, version: 1, sums: '' },
  });
  const first = cityPackage({ features: 3, license: 'a', tables: [table('bldg')] });
  const second = cityPackage({
    ...{ features: 4, license: 'b', provider: 'pref', spec: '3.0', tables: [table('bldg'), table('tran')] },
    ingestedAt: '2024-02-01T00:00:00Z',
  });
  const { of } = await documentsOf(first, second, tilePackage({ format: 'MVT', type: 'luse' }));
  const item = of('13101/13101-2023/13101-2023.json');
  assert.deepEqual(Object.keys(item.assets), [
    ...['citygml', 'citygml_2', 'parquet_bldg', 'parquet_bldg_2', 'parquet_tran_2'],
    ...Object.keys(item.assets).slice(5),
  ]);
  assert.equal(item.assets.citygml_2.title, `CityGML ${second.name}`);
  const { properties } = item;
  assert.deepEqual(
    [properties['city3d:city_objects'], properties['citymodel:specs'], properties['citymodel:license']],
    [7, ['3.0', '4.1'], 'a; b'],
  );
  assert.deepEqual(
    [properties.created, properties.updated],
    ['2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z'],
  );
  assert.equal(properties['citymodel:feature_types'].length, 3);
});

test('an edition has the bounds of its own packages, and without any those of its area', async () => {
  const bounds = (west: number) => ({ west, south: 35, east: west + 1, north: 36 });
  const { of } = await documentsOf(
    cityPackage({ year: 2021, bounds: bounds(138) }),
    cityPackage({ year: 2022, bounds: null }),
    cityPackage({ year: 2023, bounds: bounds(140) }),
    tilePackage({}, { year: 2023, bounds: bounds(141) }),
  );
  const bboxOf = (year: number) => of(`13101/13101-${year}/13101-${year}.json`).bbox;
  assert.deepEqual(bboxOf(2021), [138, 35, 139, 36]);
  assert.deepEqual(bboxOf(2023), [140, 35, 142, 36]);
  const [west, , east] = bboxOf(2022);
  assert.ok(west <= 140 && east >= 141);
});

test('editions lead to those before and after, and to the newest', async () => {
  const { of } = await documentsOf(...[2021, 2022, 2023].map((year) => cityPackage({ year })));
  const links = (year: number) =>
    of(`13101/13101-${year}/13101-${year}.json`)
      .links.filter(({ rel }: Any) => rel.endsWith('-version'))
      .map(({ rel, href }: Any) => [rel, /-(\d{4})\.json$/.exec(href)![1]]);
  assert.deepEqual(links(2021), [
    ['successor-version', '2022'],
    ['latest-version', '2023'],
  ]);
  assert.deepEqual(links(2022), [
    ['predecessor-version', '2021'],
    ['successor-version', '2023'],
    ['latest-version', '2023'],
  ]);
  assert.deepEqual(links(2023), [['predecessor-version', '2022']]);
  assert.equal(of('13101/13101-2022/13101-2022.json').properties['citymodel:latest'], false);
});

test('words of others stand for ours: licences, city objects, years', () => {
  const licences: Array<[string | null, string]> = [
    ['CC BY 4.0', 'CC-BY-4.0'],
    ['ライセンス：CC-BY-SA-2.1', 'CC-BY-SA-2.1'],
    ['cc0 1.0', 'CC0-1.0'],
    ['CC BY', 'other'],
    [null, 'other'],
  ];
  for (const [text, word] of licences) assert.equal(spdxOf(text), word);
  assert.deepEqual(cityObjectsOf(['ubld', 'bldg', 'urf', 'xyz', 'toString']), [
    ...['+toString', '+urf', '+xyz', 'Building'],
  ]);
  assert.equal(yearsInterval([]), null);
  assert.deepEqual(yearsInterval([2024, 2020]), ['2020-03-31T15:00:00Z', '2025-03-31T14:59:59Z']);
});
