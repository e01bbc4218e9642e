import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import type { ServiceError } from '../base/errors.ts';
import { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { chooseFiles } from './choose-files.ts';
import { packFixture } from './testing/pack-fixture.ts';

const urls = new AssetUrls({
  publicUrl: 'https://h',
  assetUrl: 'https://h/assets',
  cmsHosts: ['old.example'],
});
const BASE = 'https://h/assets/ab';

const TABLE = { type: 'bldg', key: 'tables/1', size: 900, sha256: 'a'.repeat(64), features: 3, version: 1 };

async function fixture() {
  const stores = await packFixture();
  const members = {
    'udx/bldg/a.gml': 'a',
    'udx/bldg/見本.gml': 'b',
    'udx/bldg/a_appearance/1.jpg': 'x',
    'codelists/c.xml': 'c',
  };
  const rows = [
    await stores.publish('p2', members, { name: 'city', assetPath: 'ab/p2' }),
    await stores.publish('p4-4567-89', members, { name: 'city', assetPath: 'ab/p4' }),
    await stores.publish('p1', members, { name: 'city', assetPath: 'ab/p1', tables: [TABLE] }),
    await stores.publish('p3', members, { name: 'aaa', assetPath: 'ab/p3' }),
    await stores.publish('t1', members, { name: 'tiles', assetPath: 'ab/t1', kind: '3dtiles' }),
  ];
  const snapshot = {
    findAsset: ({
      assetPath,
      packageName,
    }: {
      assetPath: string;
      packageName: string;
    }): PackageRow | undefined => rows.find((row) => row.assetPath === assetPath && row.name === packageName),
  };
  return {
    rows,
    choose: (asked: string[]) => chooseFiles(asked, { urls, snapshot, archives: stores.archives }),
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
  };
}

test('groups files by package, whatever their URLs look like', async () => {
  await using city = await fixture();
  const {
    sources,
    urls: chosen,
    mostBytes,
  } = await city.choose([
    `${BASE}/p2/city/udx/bldg/${encodeURIComponent('見本.gml')}`,
    `${BASE}/p2/city/udx/bldg/見本.gml`,
    `${BASE}/p2/city/udx/bldg/a.gml`,
    `${BASE}/p2/city/udx/bldg/%61.gml?n=1#x`,
    'https://old.example/assets/ab/p3/aaa_codelists.zip',
    `${BASE}/p1/city/udx/bldg/a.gml`,
    `${BASE}/p4/city/udx/bldg/a.gml`,
  ]);
  assert.deepEqual(
    sources.map(({ directory, packageId, files, metadata }) => ({ directory, packageId, files, metadata })),
    [
      { directory: 'aaa', packageId: 'p3', files: [], metadata: ['codelists'] },
      { directory: 'city', packageId: 'p1', files: ['udx/bldg/a.gml'], metadata: [] },
      // Another edition of the same name lies beside it.
      { directory: 'city~p2', packageId: 'p2', files: ['udx/bldg/a.gml', 'udx/bldg/見本.gml'], metadata: [] },
      // By the first eight characters of its id.
      { directory: 'city~p4-4567-', packageId: 'p4-4567-89', files: ['udx/bldg/a.gml'], metadata: [] },
    ],
  );
  assert.deepEqual(chosen.sort(), [
    `${BASE}/p1/city/udx/bldg/a.gml`,
    `${BASE}/p2/city/udx/bldg/${encodeURIComponent('見本.gml')}`,
    `${BASE}/p2/city/udx/bldg/a.gml`,
    `${BASE}/p3/aaa_codelists.zip`,
    `${BASE}/p4/city/udx/bldg/a.gml`,
  ]);
  // Archives of four packages, and two headers for each of their four members.
  const archives = city.rows.slice(0, 4).reduce((sum, { archiveSize }) => sum + archiveSize, 0);
  assert.equal(mostBytes, archives + 4 * 4 * 2_550);
});

test('takes tables as objects of their own, beside the files of their package or alone', async () => {
  await using city = await fixture();
  const url = `${BASE}/p1/city_bldg.parquet`;
  const table = {
    packageId: 'p1',
    directory: 'city',
    archiveKey: 'tables/1',
    indexKey: '',
    archiveSha256: TABLE.sha256,
    files: ['city_bldg.parquet'],
    metadata: [],
  };
  const alone = await city.choose([url, `${url}?again`]);
  assert.deepEqual(alone, { sources: [table], urls: [url], mostBytes: 900 + 2_550 });
  const { sources, mostBytes } = await city.choose([url, `${BASE}/p1/city/udx/bldg/a.gml`]);
  assert.deepEqual(sources[1], table);
  assert.deepEqual([sources.length, sources[0]!.files], [2, ['udx/bldg/a.gml']]);
  assert.equal(mostBytes, city.rows[2]!.archiveSize + 5 * 2_550 + 900);
});

test('names the first URL that is wrong, and how', async () => {
  await using city = await fixture();
  const good = `${BASE}/p1/city/udx/bldg/a.gml`;
  const cases: Array<[url: string, error: string]> = [
    ['no url', 'invalid url'],
    ['', 'invalid url'],
    ['ftp://h/assets/ab/p1/city/udx/bldg/a.gml', 'invalid url'],
    ['https://elsewhere.example/a.gml', 'invalid domain'],
    ['https://h/other/ab/p1/city/udx/bldg/a.gml', 'not found'],
    [`${BASE}/p9/city/udx/bldg/a.gml`, 'not found'],
    [`${BASE}/p1/city/udx/bldg/none.gml`, 'not found'],
    [`${BASE}/p1/city/udx/bldg/%E0%A4%A.gml`, 'not found'],
    [`${BASE}/p1/city_schemas.zip`, 'not found'],
    [`${BASE}/p1/city_tran.parquet`, 'not found'],
    [`${BASE}/p3/aaa_bldg.parquet`, 'not found'],
    [`${BASE}/p1/city.zip`, 'invalid url'],
    [`${BASE}/p1/city/codelists/c.xml`, 'invalid url'],
    [`${BASE}/p1/city/udx/bldg/a_appearance/1.jpg`, 'invalid url'],
    [`${BASE}/t1/tiles/udx/bldg/a.gml`, 'invalid url'],
  ];
  for (const [url, error] of cases) {
    await assert.rejects(city.choose([good, url]), (thrown: ServiceError) => {
      assert.deepEqual([thrown.status, thrown.message, thrown.url], [400, error, url]);
      assert.match(thrown.reason!, /^.{20,}\.$/);
      return true;
    });
  }
  const lost = ['none2.gml', 'none1.gml'].map((name) => `${BASE}/p1/city/udx/bldg/${name}`);
  await assert.rejects(city.choose([good, ...lost]), { url: lost[0] });
});
