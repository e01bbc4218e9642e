import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import { migrate } from '../sql/migrate.ts';
import { MIGRATIONS } from '../sql/migrations.ts';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { catalogueStoreConformance } from '../testing/catalogue-store-conformance.ts';
import { allPackages, gmlFileOf, packageOf, publish } from '../testing/fixtures.ts';
import { killRounds, runProgram } from '../testing/kill-rounds.ts';
import { SqliteDriver } from './sqlite-driver.ts';

async function temporary() {
  const directory = await mkdtemp(join(tmpdir(), 'sqlite-driver-'));
  return {
    directory,
    path: join(directory, 'catalogue.sqlite'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

const program = (name: string) => join(import.meta.dirname, '..', 'testing', name);

catalogueStoreConformance('SQLite', async () => {
  const { path, [Symbol.asyncDispose]: dispose } = await temporary();
  return {
    open: async () => new SqlCatalogueStore(await SqliteDriver.open(path)),
    [Symbol.asyncDispose]: dispose,
  };
});

test('a killed publisher leaves the catalogue as before or as after', async () => {
  await using place = await temporary();
  await killRounds(program('publish-forever.ts'), [place.path], 10, async (lines, round) => {
    const catalogue = new SqlCatalogueStore(await SqliteDriver.open(place.path));
    const live = await allPackages(catalogue);
    assert.ok(live.length <= 1);
    const [latest] = live;
    const acknowledged = lines.slice(1).at(-1);
    if (acknowledged !== undefined) {
      const n = Number(acknowledged.split('-')[1]);
      assert.ok([acknowledged, `${round}-${n + 1}`].includes(latest!.id));
    }
    if (latest !== undefined) {
      assert.equal((await catalogue.gmlFiles({})).length, 2_000);
      assert.equal((await catalogue.places(['見本町'])).length, 1);
    }
    await catalogue.close();
  });
});

test('several processes migrate at once', async () => {
  await using place = await temporary();
  const outputs = await Promise.all(
    Array.from({ length: 4 }, () => runProgram(program('migrate-once.ts'), [place.path])),
  );
  assert.deepEqual(outputs, ['0\n', '0\n', '0\n', '0\n']);
});

test('refuses a database that is newer, or of another history', async () => {
  await using place = await temporary();
  const driver = await SqliteDriver.open(place.path);
  const future = {
    version: MIGRATIONS.length + 1,
    name: 'future',
    statements: ['CREATE TABLE t (a INTEGER)'],
  };
  await migrate(driver, [...MIGRATIONS, future]);
  await assert.rejects(
    migrate(driver, MIGRATIONS),
    new RegExp(
      `schema version ${future.version}, but this program knows versions up to ${MIGRATIONS.length}`,
    ),
  );
  const changed = { ...future, statements: ['CREATE TABLE t (a TEXT)'] };
  await assert.rejects(
    migrate(driver, [...MIGRATIONS, changed]),
    new RegExp(`schema migration ${future.version} \\(future\\) with checksum`),
  );
  await migrate(driver, [...MIGRATIONS, future]);
  await driver.close();
});

test('a migration that fails leaves nothing', async () => {
  await using place = await temporary();
  const driver = await SqliteDriver.open(place.path);
  const broken = { version: 1, name: 'broken', statements: ['CREATE TABLE t (a INTEGER)', 'CREATE TABEL u'] };
  await assert.rejects(migrate(driver, [broken]), /syntax error/);
  assert.deepEqual(await driver.all('SELECT name FROM sqlite_schema'), []);
  await driver.close();
});

test('what is no database is unavailable', async () => {
  await using place = await temporary();
  await writeFile(place.path, 'garbage '.repeat(10_000));
  await assert.rejects(SqliteDriver.open(place.path), StoreUnavailable);
  await assert.rejects(SqliteDriver.open(join(place.directory, 'none', 'c.sqlite')), StoreUnavailable);
});

test('a database that is replaced by garbage is unavailable, or answers rightly from memory', async () => {
  await using place = await temporary();
  const catalogue = new SqlCatalogueStore(await SqliteDriver.open(place.path));
  await catalogue.migrate();
  const files = Array.from({ length: 20_000 }, (_, i) => gmlFileOf(String(53390000 + i)));
  await publish(catalogue, packageOf('a'), { files });
  await writeFile(place.path, Buffer.alloc(3_000_000, 'x'));
  let failed = 0;
  for (let i = 0; i < 5; i++) {
    try {
      assert.equal((await catalogue.gmlFiles({})).length, 20_000);
      await publish(catalogue, packageOf(`b${i}`), { files });
    } catch (error) {
      assert.ok(error instanceof StoreUnavailable, String(error));
      failed++;
    }
  }
  assert.ok(failed > 0);
  await catalogue.close();
});

test('a database that went away is unavailable and comes back by itself', async () => {
  await using place = await temporary();
  const driver = await SqliteDriver.open(place.path);
  const catalogue = new SqlCatalogueStore(driver);
  await catalogue.migrate();
  await catalogue.close();
  await assert.rejects(catalogue.version(), StoreUnavailable);
  await assert.rejects(catalogue.setState(1, 'removed'), StoreUnavailable);

  const again = new SqlCatalogueStore(await SqliteDriver.open(place.path));
  await rename(place.path, `${place.path}-away`);
  await assert.rejects(again.version(), StoreUnavailable);
  await rename(`${place.path}-away`, place.path);
  assert.equal(await again.version(), 0);
  await again.close();
});

test('a writer waits for others, and not for ever', async () => {
  await using place = await temporary();
  const one = await SqliteDriver.open(place.path);
  const two = await SqliteDriver.open(place.path, { writePatience: 100 });
  const release = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const long = one.write(async (tx) => {
    await tx.run('CREATE TABLE t (a INTEGER)');
    holding.resolve();
    await release.promise;
  });
  await holding.promise;
  await assert.rejects(
    two.write((tx) => tx.run('CREATE TABLE u (a INTEGER)')),
    (error: Error) => error instanceof StoreUnavailable && /it is busy/.test(error.message),
  );
  release.resolve();
  await long;
  await two.write((tx) => tx.run('CREATE TABLE u (a INTEGER)'));
  await one.close();
  await two.close();
});

test('a long insert lets other work run', async () => {
  await using place = await temporary();
  const driver = await SqliteDriver.open(place.path);
  await driver.write((tx) => tx.run('CREATE TABLE t (a INTEGER)'));
  let turns = 0;
  let inserting = true;
  const count = () => {
    turns++;
    if (inserting) setImmediate(count);
  };
  setImmediate(count);
  await driver.write((tx) =>
    tx.insert(
      't',
      ['a'],
      Array.from({ length: 20_000 }, (_, i) => [i]),
    ),
  );
  inserting = false;
  assert.ok(turns >= 15, `${turns} turns`);
  assert.equal((await driver.all('SELECT a FROM t')).length, 20_000);
  await driver.close();
});
