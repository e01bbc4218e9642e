import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundSlices } from '@citymodel/base';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { stacEntries } from '../stac/entries.ts';
import { DCAT_PAGE, dcatPage } from './dcat.ts';
import { structuredData } from './schema-org.ts';
import { llmsText, robotsText, securityText, sitemap } from './texts.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

const sha = 'cd'.repeat(32);

test('robots are kept from files and answers, below whatever path the service has', () => {
  const text = robotsText('https://data.example/base');
  assert.match(text, /^User-agent: \*\n/);
  assert.match(text, /\nDisallow: \/base\/assets\/\n/);
  assert.match(text, /\nSitemap: https:\/\/data\.example\/base\/sitemap\.xml\n$/);
  assert.match(robotsText('https://data.example'), /\nDisallow: \/citygml\/\n/);
});

test('security.txt says where to report, for three months from today, or is not there', () => {
  const now = new Date('2026-11-25T10:00:00Z');
  const settings = { SECURITY_CONTACT: 'mailto:a@example.jp, https://example.jp/x', SECURITY_POLICY: '' };
  assert.equal(
    securityText(settings, 'https://data.example', now),
    'Contact: mailto:a@example.jp\nContact: https://example.jp/x\nExpires: 2027-02-23T00:00:00Z\n' +
      'Preferred-Languages: ja, en\nCanonical: https://data.example/.well-known/security.txt\n',
  );
  const policy = 'https://example.jp/policy';
  assert.match(
    securityText({ ...settings, SECURITY_POLICY: policy }, '', now)!,
    /\nPolicy: https:.*policy\n$/,
  );
  assert.equal(securityText({ ...settings, SECURITY_CONTACT: '' }, '', now), null);
});

test('the sitemap has each area once, with the day of its last package', async () => {
  const snapshot = await snapshotOf(
    cityPackage({ ingestedAt: '2024-02-03T04:05:06Z' }),
    tilePackage({}, { ingestedAt: '2025-02-03T04:05:06Z' }),
    cityPackage({ cityCode: '27100' }),
  );
  const text = sitemap(snapshot, 'https://data.example/?a=1&b=2');
  assert.deepEqual(
    [...text.matchAll(/\/city\/(\d+)<\/loc><lastmod>([^<]+)/g)].map(([, code, day]) => [code, day]),
    [
      ['13101', '2025-02-03'],
      ['27100', '2024-01-01'],
    ],
  );
  assert.match(text, /a=1&amp;b=2/);
  const prefecture = sitemap(await snapshotOf(cityPackage({ cityCode: '27' })), 'https://data.example');
  assert.match(prefecture, /<loc>https:\/\/data\.example\/\?pick=27<\/loc>/);
  assert.match(llmsText(snapshot, 'https://data.example'), /city_code=13101\n/);
});

test('pages of DCAT have each edition once, and lead to each other', async () => {
  const rows = Array.from({ length: DCAT_PAGE + 3 }, (_, n) =>
    cityPackage({
      cityCode: String(10_000 + n),
      archiveSha256: sha,
      license: n === 0 ? 'CC BY 4.0' : 'own terms',
    }),
  );
  const entries = await stacEntries(await snapshotOf(...rows), backgroundSlices());
  const page = (no: number) => (dcatPage(entries, testUrls, no, '') as Any)?.['@graph'];
  const [first, second] = [page(1), page(2)];
  assert.equal(first[0]['dcat:dataset'].length, DCAT_PAGE);
  assert.equal(first[1]['hydra:nextPage'], second[1]['@id']);
  assert.equal(second[1]['hydra:nextPage'], undefined);
  assert.equal(page(3), undefined);
  const datasets = [...first[0]['dcat:dataset'], ...second[0]['dcat:dataset']];
  for (const { 'dct:identifier': id, 'dcat:landingPage': page } of datasets) {
    const [area] = id.split('-');
    assert.deepEqual(page, { '@id': `${testUrls.publicUrl}/city/${area}` });
  }
  assert.equal(new Set(datasets.map((dataset) => dataset['@id'])).size, rows.length);
  assert.deepEqual(datasets[0]['dct:publisher'], { '@type': 'foaf:Agent', 'foaf:name': rows[0]!.city });
  const [one, other] = datasets.map((dataset) => dataset['dcat:distribution'][0]);
  assert.equal(one['spdx:checksum']['spdx:checksumValue']['@value'], sha);
  assert.equal(one['dct:license']['@id'], 'http://spdx.org/licenses/CC-BY-4.0');
  assert.equal(other['dct:rights'], 'own terms');
  const empty = await stacEntries(await snapshotOf(), backgroundSlices());
  const [catalogue] = (dcatPage(empty, testUrls, 1, '') as Any)['@graph'];
  assert.equal(catalogue['dcat:dataset'].length, 0);
  // DCAT-AP wants a title, a description and a publisher of a catalogue.
  assert.ok(catalogue['dct:title'] !== '' && catalogue['dct:description'] !== '');
  const nameOf = (graph: Any) => graph['@graph'][0]['dct:publisher']['foaf:name'];
  assert.equal(catalogue['dct:publisher']['@type'], 'foaf:Agent');
  assert.equal(nameOf(dcatPage(empty, testUrls, 1, '')), new URL(testUrls.publicUrl).hostname);
  assert.equal(nameOf(dcatPage(empty, testUrls, 1, '潮見野市')), '潮見野市');
});

test('forms are named where they are there, and tables are downloads as zips are', async () => {
  const table = { type: 'bldg', key: 'k', size: 7, sha256: sha, features: 1, version: 1 };
  const row = cityPackage({ archiveSha256: sha, tables: [table] });
  const snapshot = await snapshotOf(
    row,
    cityPackage({ cityCode: '27100' }),
    tilePackage({}, { cityCode: '27100' }),
  );
  const [own, other] = ['13101', '27100'].map((code) => structuredData(snapshot, testUrls, code) as Any);
  assert.match(own.description, /\. CityGML, GeoParquet\.$/);
  assert.match(other.description, /\. CityGML, 3D Tiles\.$/);
  assert.deepEqual(own.distribution[1], {
    '@type': 'DataDownload',
    name: `${row.name} bldg`,
    encodingFormat: 'application/vnd.apache.parquet',
    contentUrl: testUrls.table(row, 'bldg'),
    contentSize: '7 B',
  });
  const entries = await stacEntries(snapshot, backgroundSlices());
  const datasets = (dcatPage(entries, testUrls, 1, '') as Any)['@graph'][0]['dcat:dataset'];
  const distributions = datasets.flatMap((dataset: Any) => dataset['dcat:distribution']);
  const parquet = distributions.find((one: Any) => /parquet$/.test(one['dcat:mediaType']['@id']));
  assert.deepEqual(parquet['dcat:downloadURL'], { '@id': testUrls.table(row, 'bldg') });
});

test('the picture of a dataset depicts it, and is no form of it', async () => {
  const pictures = {
    version: 1,
    images: (['small', 'large'] as const).map((size) => ({
      ...{ theme: 'light' as const, size, key: 'k', sha256: sha, bytes: 1, mimeType: 'image/jpeg' as const },
      ...(size === 'small' ? { width: 600, height: 315 } : { width: 1200, height: 630 }),
    })),
  };
  const drawn = tilePackage({}, { archiveSha256: sha, pictures });
  const snapshot = await snapshotOf(drawn, tilePackage({}, { cityCode: '27100', archiveSha256: sha }));
  const entries = await stacEntries(snapshot, backgroundSlices());
  const [large, small] = (['large', 'small'] as const).map((size) => testUrls.picture(drawn, 'light', size));
  const [one, other] = (dcatPage(entries, testUrls, 1, '') as Any)['@graph'][0]['dcat:dataset'];
  assert.deepEqual(one['foaf:depiction'], {
    '@id': large,
    '@type': 'foaf:Image',
    'foaf:thumbnail': { '@id': small },
  });
  assert.ok(!('foaf:depiction' in other));
  for (const { 'dcat:distribution': forms } of [one, other]) {
    assert.ok(forms.length > 0 && forms.every((form: Any) => !/image/.test(form['dcat:mediaType']['@id'])));
  }
  const [own, plain] = ['13101', '27100'].map((code) => structuredData(snapshot, testUrls, code) as Any);
  assert.deepEqual(own.image, {
    ...{ '@type': 'ImageObject', contentUrl: large, width: 1200, height: 630 },
    encodingFormat: 'image/jpeg',
  });
  assert.equal(own.thumbnailUrl, small);
  assert.ok(!('image' in plain || 'thumbnailUrl' in plain));
});

test('a page of an area has its dataset, any other the catalogue', async () => {
  const snapshot = await snapshotOf(
    cityPackage({ license: 'CC BY 4.0' }),
    cityPackage({ license: 'CC BY 4.0', year: 2021 }),
    cityPackage({ cityCode: '27100', license: null, bounds: null }),
  );
  const data = structuredData(snapshot, testUrls, '13101') as Any;
  assert.equal(data['@type'], 'Dataset');
  assert.equal(data.license, 'https://spdx.org/licenses/CC-BY-4.0');
  assert.equal(data.temporalCoverage, '2021-03-31T15:00:00Z/2024-03-31T14:59:59Z');
  assert.equal(data.spatialCoverage.geo.box, '35 139 35.5 139.5');
  assert.equal(data.distribution.length, 2);
  assert.equal(data.url, 'https://data.example/city/13101');
  const plain = structuredData(snapshot, testUrls, '27100') as Any;
  assert.ok(!('license' in plain) && !('spatialCoverage' in plain));
  const ward = structuredData(await snapshotOf(cityPackage({ cityCode: '27100' })), testUrls, '27127') as Any;
  assert.equal(ward.identifier, '27127');
  assert.match(ward.name, /北区/);
  assert.equal(ward.distribution.length, 1, 'that of the city');
  const wards = structuredData(
    await snapshotOf(cityPackage({ cityCode: '27100', wardCode: '27127' })),
    testUrls,
    '27100',
  ) as Any;
  assert.match(wards.name, /大阪市/);
  for (const code of [null, '99999', '<script>']) {
    assert.equal((structuredData(snapshot, testUrls, code) as Any)['@type'], 'DataCatalog');
  }
});

test('a dataset of DCAT has its place where that is known, and a page has a hundred', async () => {
  assert.equal(DCAT_PAGE, 100);
  const bounds = { west: 139, south: 35, east: 140, north: 36 };
  const entries = await stacEntries(
    await snapshotOf(cityPackage({ bounds }), cityPackage({ cityCode: '27100', bounds: null })),
    backgroundSlices(),
  );
  const [placed, other] = (dcatPage(entries, testUrls, 1, '') as Any)['@graph'][0]['dcat:dataset'];
  assert.match(JSON.stringify(placed['dct:spatial']), /139.*35.*140.*36/);
  assert.equal('dct:spatial' in other, false);
});
