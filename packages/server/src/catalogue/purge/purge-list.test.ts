import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageChange } from '@citymodel/store';
import { cityPackage, testUrls } from '../testing/snapshot-rows.ts';
import { purgeList, settledVersion } from './purge-list.ts';

function change(overrides: Partial<PackageChange> = {}, row = cityPackage()): PackageChange {
  const { no, name, assetPath, prefCode, cityCode, wardCode } = row;
  const located = { name, assetPath, prefCode, cityCode, wardCode, archiveKey: `archives/${no}.zip` };
  return {
    version: 2,
    changedAt: 1_000,
    packageNo: no,
    was: '',
    now: 'live',
    located,
    tableKeys: [],
    ...overrides,
  };
}

test('a new package changes the documents of its city, prefecture and country, and no file', () => {
  const ward = cityPackage({ cityCode: '01100', wardCode: '01101' });
  const list = purgeList([change({}, ward)], testUrls);
  assert.deepEqual(list.keys, ['catalogue', 'catalogue-01', 'catalogue-01100']);
  assert.deepEqual(list.urls, [
    'https://data.example/citygml/*',
    'https://data.example/datacatalog/*',
    'https://data.example/dcat.jsonld*',
    'https://data.example/llms.txt',
    'https://data.example/ogc*',
    'https://data.example/sdk/*',
    'https://data.example/sitemap.xml',
    'https://data.example/stac*',
  ]);
  assert.deepEqual(list.packages, [{ no: ward.no, name: ward.name, state: 'live' }]);
  assert.deepEqual([list.gone, list.isComplete], [[], true]);
});

test('files of a package go once it is removed or forgotten, those of a replaced one stay', () => {
  const row = cityPackage();
  for (const now of ['removed', 'forgotten'] as const) {
    const list = purgeList([change({ was: 'live', now, version: 7 }, row)], testUrls, {
      redirect: 'https://cdn.example/prefix',
    });
    // The special wards of Tokyo are one city here.
    assert.deepEqual(list.keys, ['catalogue', 'catalogue-13', 'catalogue-13100', `package-${row.no}`]);
    const base = `https://cms.example/assets/${row.assetPath}/${row.name}`;
    for (const url of [`${base}/*`, `${base}.zip`, `${base}_codelists.zip`, `${base}_*`])
      assert.ok(list.urls.includes(url));
    assert.ok(list.urls.includes(`https://cdn.example/prefix/archives/${row.no}.zip`));
    assert.deepEqual(list.gone, [{ path: row.assetPath, version: 7 }]);
  }
  const replaced = purgeList([change({ was: 'live', now: 'retired' }, row)], testUrls);
  assert.ok(!replaced.keys.some((key) => key.startsWith('package-')));
});

test('tables of a removed package go from the bucket, all tables where nobody knows which it had', () => {
  const redirect = 'https://cdn.example';
  const urlsOf = (overrides: Partial<PackageChange>) =>
    purgeList([change({ was: 'live', now: 'removed', ...overrides })], testUrls, { redirect }).urls.filter(
      (url) => url.startsWith(`${redirect}/tables/`),
    );
  assert.deepEqual(urlsOf({ tableKeys: ['tables/bldg/city/a.parquet', 'tables/tran/city/a.parquet'] }), [
    `${redirect}/tables/bldg/city/a.parquet`,
    `${redirect}/tables/tran/city/a.parquet`,
  ]);
  assert.deepEqual(urlsOf({ now: 'forgotten', tableKeys: null }), [`${redirect}/tables/*`]);
  assert.deepEqual(urlsOf({ now: 'retired', tableKeys: ['tables/bldg/city/a.parquet'] }), []);
});

test('a package that nobody can locate changes the documents of the country alone', () => {
  const { packages, keys, gone, isComplete } = purgeList(
    [change({ now: 'removed', located: null, packageNo: 7 })],
    testUrls,
  );
  assert.deepEqual(packages, [{ no: 7, name: null, state: 'removed' }]);
  assert.deepEqual([keys, gone, isComplete], [['catalogue'], [], true]);
});

test('without changes there is nothing to drop; when they are not known, everything', () => {
  assert.deepEqual(purgeList([], testUrls).keys, []);
  const lost = { now: 'forgotten', located: null } as const;
  for (const changes of [null, [change(), change(lost)]]) {
    const list = purgeList(changes, testUrls);
    assert.equal(list.isComplete, false);
    assert.deepEqual(list.keys, ['citymodel']);
    assert.deepEqual(list.urls, ['https://cms.example/assets/*', 'https://data.example/*']);
  }
});

test('a version is settled once every server has had the time to show it', () => {
  const changes = [change({ version: 3, changedAt: 100 }), change({ version: 4, changedAt: 200 })];
  const at = (now: number) => settledVersion(changes, { since: 2, now, settleMs: 50 });
  assert.deepEqual([at(149), at(150), at(249), at(250)], [2, 3, 3, 4]);
  assert.equal(
    settledVersion([change({ version: 3, changedAt: null })], { since: 2, now: 1e15, settleMs: 1 }),
    2,
  );
});
