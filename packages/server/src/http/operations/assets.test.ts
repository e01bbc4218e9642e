/** Tables, pictures and members at the router. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { AssetUrls } from '../../catalogue/names/asset-urls.ts';
import { PACKAGE, writeSmallPackage } from '../../convert/testing/small-package.ts';
import { makePictures } from '../../pictures/draw-package.ts';
import { makeTables } from '../../tables/make-tables.ts';
import { CITY, injectService, serveAgain } from '../testing/inject-service.ts';

const urls = new AssetUrls({
  publicUrl: 'http://localhost:8080',
  assetUrl: 'http://localhost:8080/assets',
  cmsHosts: [],
});
const QUIET = { signal: new AbortController().signal };

/** A service whose city has tables, and whose tiles have pictures. */
async function place(t: TestContext) {
  const first = await injectService();
  t.after(() => first[Symbol.asyncDispose]());
  const { stores, directory } = first.at;
  const context = { ...stores, stagingDir: join(directory, 'data/staging') };
  const rowOf = async (name: string) => (await stores.catalogue.findPackages({ name }))[0]!;
  await makeTables(await rowOf(CITY), context, { ...QUIET, maxGeometryBytes: 3e6, onProgress() {} });
  const rows = [];
  for await (const page of stores.catalogue.packages(['live'])) rows.push(...page);
  const tiles = rows.find(({ kind }) => kind === '3dtiles')!;
  await makePictures(tiles, context, { ...QUIET, large: { width: 60, height: 32 } });
  const service = await serveAgain(first.at, { objects: stores.objects, onDamage() {}, indexCacheBytes: 0 });
  t.after(() => service[Symbol.asyncDispose]());
  const pathOf = (url: string) => new URL(url).pathname;
  return { service, stores, pathOf, city: await rowOf(CITY), tiles: await rowOf(tiles.name) };
}

test('a table is a file with its hash and its name, whole or in part', async (t) => {
  const { service, stores, pathOf, city } = await place(t);
  const [table] = city.tables!;
  const address = pathOf(urls.table(city, table!.type));
  const whole = await service.ask(address);
  assert.equal(whole.status, 200, whole.text);
  assert.equal(createHash('sha256').update(whole.body).digest('hex'), table!.sha256);
  assert.deepEqual(
    ['content-type', 'etag', 'cache-control', 'content-disposition'].map((name) => whole.headers[name]),
    [
      'application/vnd.apache.parquet',
      `"${table!.sha256.slice(0, 32)}"`,
      'public, no-cache',
      `attachment; filename="${CITY}_${table!.type}.parquet"`,
    ],
  );
  const part = await service.ask(address, { headers: { range: 'bytes=4-9' } });
  assert.deepEqual([part.status, part.body], [206, whole.body.subarray(4, 10)]);
  const same = await service.ask(address, { headers: { 'if-none-match': String(whole.headers.etag) } });
  assert.equal(same.status, 304);
  const none = await service.ask(address.replace(`_${table!.type}.`, '_tran.'));
  assert.equal(none.status, 404);
  assert.match(none.text, /No hosted package has a file at this path/);
  assert.equal(none.headers['cache-control'], 'public, max-age=60');
  const tableOf = (row: typeof city, type: string) => pathOf(urls.table(row, type));
  const [later] = await stores.catalogue.findPackages({ name: CITY });
  assert.equal((await service.ask(tableOf(later!, 'bldg'))).status, 200);
});

test('a table that is not made yet is said to come', async (t) => {
  const first = await injectService();
  t.after(() => first[Symbol.asyncDispose]());
  const [city] = await first.at.stores.catalogue.findPackages({ name: CITY });
  const ask = (type: string) => first.ask(new URL(urls.table(city!, type)).pathname);
  const soon = await ask('bldg');
  assert.equal(soon.status, 404);
  assert.match(
    soon.text,
    /The table of .*bldg.* is not made yet; it is made after its package was published/,
  );
  assert.doesNotMatch((await ask('tran')).text, /not made yet/);
});

test('pictures are those of their address for ever, and those of an earlier one for now', async (t) => {
  const { service, stores, pathOf, tiles } = await place(t);
  for (const { theme, size, sha256, mimeType, key, bytes } of tiles.pictures!.images) {
    const address = pathOf(urls.picture(tiles, theme, size)!);
    const now = await service.ask(address);
    assert.equal(now.status, 200);
    assert.equal(createHash('sha256').update(now.body).digest('hex'), sha256);
    assert.deepEqual(
      [now.headers['content-type'], now.headers['cache-control'], now.headers.etag],
      [mimeType, 'public, max-age=31536000, immutable', `"${sha256.slice(0, 32)}"`],
    );
    const part = await service.ask(address, { headers: { range: 'bytes=1-3' } });
    assert.deepEqual([part.status, part.body], [206, now.body.subarray(1, 4)]);
    const earlier = await service.ask(
      address.replace(/_picture-[0-9a-f]+/, (tag) => tag.replace(/.$/, (last) => (last === '0' ? '1' : '0'))),
    );
    assert.deepEqual([earlier.status, earlier.headers['cache-control']], [200, 'public, no-cache']);
    assert.deepEqual(earlier.body, now.body);
    if (theme === 'dark') continue;
    // Other bytes, and fewer of them, are not sent.
    for (const other of [Buffer.alloc(bytes), Buffer.alloc(bytes - 1)]) {
      await stores.objects.put(key, Readable.from([other]));
      const damaged = await service.ask(address);
      assert.notDeepEqual(damaged.body, now.body);
      assert.notEqual(damaged.body.length, bytes);
    }
  }
});

test('members are there, and paths of none are missing for a minute', async (t) => {
  const service = await injectService();
  t.after(() => service[Symbol.asyncDispose]());
  const name = `${CITY}_luse_mvt_lod1`;
  const tile = await service.ask(await service.asset('14/14552/6451.mvt', name));
  assert.deepEqual([tile.status, tile.body.length > 0], [200, true]);
  for (const path of ['14/14552/6452.txt', '14/1/1.mvt', 'nothing.json']) {
    const none = await service.ask(await service.asset(path, name));
    assert.deepEqual([none.status, none.headers['cache-control']], [404, 'public, max-age=60']);
  }
});

test('a metadata zip has what its directory has, whole or in part, and of others there is none', async (t) => {
  const first = await injectService();
  t.after(() => first[Symbol.asyncDispose]());
  const path = join(first.at.directory, `${PACKAGE}.zip`);
  await writeSmallPackage(path);
  await first.at.ingest(path);
  const service = await serveAgain(first.at, {
    objects: first.at.stores.objects,
    onDamage() {},
    indexCacheBytes: 0,
  });
  t.after(() => service[Symbol.asyncDispose]());
  const address = (await service.asset('.zip', PACKAGE)).replace(/\.zip$/, '_codelists.zip');
  const whole = await service.ask(address);
  assert.equal(whole.status, 200, whole.text);
  assert.deepEqual(
    ['content-type', 'content-length', 'content-disposition'].map((name) => whole.headers[name]),
    ['application/zip', String(whole.body.length), `attachment; filename="${PACKAGE}_codelists.zip"`],
  );
  assert.ok(Buffer.from(whole.body).includes('codelists/Common_landUseType.xml'));
  assert.ok(!Buffer.from(whole.body).includes('udx/'));
  const part = await service.ask(address, { headers: { range: 'bytes=5-99' } });
  assert.deepEqual([part.status, part.body], [206, whole.body.subarray(5, 100)]);
  const same = await service.ask(address, { headers: { 'if-none-match': String(whole.headers.etag) } });
  assert.equal(same.status, 304);
  for (const directory of ['metadata', 'schemas', 'specification', 'udx']) {
    const none = await service.ask(address.replace('_codelists', `_${directory}`));
    assert.deepEqual(
      [none.status, none.headers['cache-control']],
      [404, directory === 'udx' ? 'no-store' : 'public, max-age=60'],
    );
    assert.match(none.text, /No hosted package has a file at this path/);
  }
});
