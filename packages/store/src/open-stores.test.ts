import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StoreUnavailable } from './catalogue-store.ts';
import { isRemoteStore, openStores } from './open-stores.ts';
import { SqliteDriver } from './sqlite/sqlite-driver.ts';
import { SqliteThread } from './sqlite/sqlite-thread.ts';
import { chunks } from './testing/object-store-conformance.ts';

async function temporary() {
  const directory = await mkdtemp(join(tmpdir(), 'open-stores-'));
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}

test('opens the embedded stores in the data directory, ready for use', async () => {
  await using place = await temporary();
  const dataDir = join(place.directory, 'a', 'data');
  for (let i = 0; i < 2; i++) {
    const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
    assert.equal(await stores.catalogue.version(), 0);
    await stores.objects.put('k', chunks(Buffer.from('x')));
    await stores.close();
  }
  assert.deepEqual((await readdir(dataDir)).sort(), ['catalogue.sqlite', 'store']);
});

test('a store is remote by the scheme of its address', () => {
  for (const address of ['s3://bucket', 's3://bucket/prefix', 'az://account/container'])
    assert.equal(isRemoteStore(address), true, address);
  for (const address of ['', '/var/lib/store', 'store', 'ftp://host/store'])
    assert.equal(isRemoteStore(address), false, address);
});

test('works in threads only for a program that answers others', async () => {
  await using place = await temporary();
  for (const [threads, driver] of [
    [{}, SqliteDriver],
    [{ inThreads: false }, SqliteDriver],
    [{ inThreads: true }, SqliteThread],
  ] as const) {
    const stores = await openStores({
      dataDir: place.directory,
      databaseUrl: '',
      objectStore: '',
      ...threads,
    });
    assert.ok(stores.database instanceof driver);
    await stores.close();
  }
});

test('opens them where the settings say', async () => {
  await using place = await temporary();
  const { directory } = place;
  const stores = await openStores({
    dataDir: join(directory, 'data'),
    databaseUrl: `sqlite://${join(directory, 'c.sqlite')}`,
    objectStore: join(directory, 'o'),
  });
  await stores.close();
  assert.deepEqual((await readdir(directory)).sort(), ['c.sqlite', 'data', 'o']);
});

test('names the setting that cannot be served', async () => {
  await using place = await temporary();
  const settings = { dataDir: join(place.directory, 'data'), databaseUrl: '', objectStore: '' };
  for (const [change, message] of [
    [{ databaseUrl: 'postgres://u:secret@h:port/db' }, /^DATABASE_URL cannot be read/],
    [{ databaseUrl: 'postgres://u:secret@h/db?sslmode=allow' }, /^sslmode of DATABASE_URL/],
    [{ databaseUrl: 'mysql://h/db' }, /^DATABASE_URL is neither empty nor postgres:/],
    [{ databaseUrl: 'constructor://h/db' }, /^DATABASE_URL is neither empty nor postgres:/],
    [{ databaseUrl: '/a/path' }, /^DATABASE_URL is neither empty nor postgres:/],
    [{ databaseUrl: 'sqlite:' }, /^DATABASE_URL is neither empty nor postgres:/],
    [{ objectStore: 's3://key:secret@bucket' }, /^OBJECT_STORE has keys in it/],
    [{ objectStore: 'ftp://h' }, /^OBJECT_STORE begins with ftp:/],
  ] as const) {
    await assert.rejects(openStores({ ...settings, ...change }), (error: Error) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  }
  assert.deepEqual(await readdir(place.directory), []);
});

test('is unavailable when the data directory cannot be made or the database is garbage', async () => {
  await using place = await temporary();
  await writeFile(join(place.directory, 'file'), 'x');
  const settings = { databaseUrl: '', objectStore: '' };
  await assert.rejects(
    openStores({ ...settings, dataDir: join(place.directory, 'file', 'x') }),
    StoreUnavailable,
  );
  await assert.rejects(
    openStores({ ...settings, dataDir: place.directory, objectStore: join(place.directory, 'file') }),
    StoreUnavailable,
  );
  await writeFile(join(place.directory, 'catalogue.sqlite'), 'garbage '.repeat(1000));
  await assert.rejects(openStores({ ...settings, dataDir: place.directory }), StoreUnavailable);
});
