import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import type { SqlDriver, SqlTransaction } from '../sql/driver.ts';
import { migrate } from '../sql/migrate.ts';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { catalogueStoreConformance } from '../testing/catalogue-store-conformance.ts';
import { gmlFileOf, packageOf, publish } from '../testing/fixtures.ts';
import { sqlDriverConformance } from '../testing/sql-driver-conformance.ts';
import { SqliteDriver } from './sqlite-driver.ts';
import { SqliteThread } from './sqlite-thread.ts';

async function temporary() {
  const directory = await mkdtemp(join(tmpdir(), 'sqlite-driver-'));
  return {
    directory,
    path: join(directory, 'catalogue.sqlite'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

/** Threads take long to start: all tests of the catalogue share them, over a database that is emptied after each. */
const shared = await temporary();
const threads = await SqliteThread.open(shared.path);
after(async () => {
  await threads.close();
  await shared[Symbol.asyncDispose]();
});

// That over the driver of this thread is in `sql/sql-catalogue-store.test.ts`.
catalogueStoreConformance('SQLite in threads', async () => {
  let opened = 0;
  return {
    open: async () =>
      new SqlCatalogueStore(opened++ === 0 ? keptOpen(threads) : await SqliteThread.open(shared.path)),
    [Symbol.asyncDispose]: () => threads.write(null, dropAll),
  };
});

/** The driver for somebody who closes it. */
function keptOpen(driver: SqlDriver): SqlDriver {
  return new Proxy(driver, {
    get(target, name) {
      if (name === 'close') return async () => {};
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Leaves an empty database. Tables that refer to others come behind them. */
async function dropAll(tx: SqlTransaction): Promise<void> {
  const tables = await tx.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid DESC",
  );
  for (const [name] of tables) await tx.run(`DROP TABLE "${name}"`);
  assert.deepEqual(await tx.all("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"), []);
}

for (const [name, Driver] of [
  ['SQLite', SqliteDriver],
  ['SQLite in threads', SqliteThread],
] as const) {
  sqlDriverConformance(name, async () => {
    const { path, [Symbol.asyncDispose]: dispose } = await temporary();
    return { address: path, [Symbol.asyncDispose]: dispose };
  });

  test(`${name}: a migration that fails leaves nothing`, async () => {
    await using place = await temporary();
    const driver = await Driver.open(place.path);
    const broken = {
      version: 1,
      name: 'broken',
      statements: ['CREATE TABLE t (a INTEGER)', 'CREATE TABEL u'],
    };
    await assert.rejects(migrate(driver, [broken]), /syntax error/);
    assert.deepEqual(await driver.all('SELECT name FROM sqlite_schema'), []);
    await driver.close();
  });

  test(`${name}: what is no database is unavailable`, async () => {
    await using place = await temporary();
    await writeFile(place.path, 'garbage '.repeat(10_000));
    await assert.rejects(Driver.open(place.path), StoreUnavailable);
    await assert.rejects(Driver.open(join(place.directory, 'none', 'c.sqlite')), StoreUnavailable);
  });

  test(`${name}: a database that is replaced by garbage is unavailable, or answers rightly from memory`, async () => {
    await using place = await temporary();
    const catalogue = new SqlCatalogueStore(await Driver.open(place.path));
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

  test(`${name}: a database that went away is unavailable and comes back by itself`, async () => {
    await using place = await temporary();
    const driver = await Driver.open(place.path);
    const catalogue = new SqlCatalogueStore(driver);
    await catalogue.migrate();
    await catalogue.close();
    await assert.rejects(catalogue.version(), StoreUnavailable);
    await assert.rejects(catalogue.setState(1, 'removed'), StoreUnavailable);

    const again = new SqlCatalogueStore(await Driver.open(place.path));
    // Connections that are open could go on to read and to write the file.
    assert.equal(await again.version(), 0);
    await rename(place.path, `${place.path}-away`);
    await assert.rejects(again.version(), /the database .* is gone$/);
    await assert.rejects(again.setState(1, 'removed'), /the database .* is gone$/);
    assert.equal(existsSync(place.path), false, 'none was begun in its place');
    // A copy is another file, in which changes would not be found.
    await copyFile(`${place.path}-away`, place.path);
    await assert.rejects(again.version(), /was replaced by another file/);
    await assert.rejects(again.setState(1, 'removed'), /was replaced by another file/);
    await rename(`${place.path}-away`, place.path);
    assert.equal(await again.version(), 0);
    await publish(again, packageOf('a'));
    assert.equal(await again.version(), 1);
    await again.close();
  });

  test(`${name}: a database that is replaced before anything was asked takes no change`, async () => {
    await using place = await temporary();
    const first = new SqlCatalogueStore(await Driver.open(place.path));
    await first.migrate();
    await first.close();
    const driver = await Driver.open(place.path);
    await rename(place.path, `${place.path}-away`);
    await copyFile(`${place.path}-away`, place.path);
    await assert.rejects(
      new SqlCatalogueStore(driver).setState(1, 'removed'),
      /was replaced by another file/,
    );
    await driver.close();
  });

  test(`${name}: a writer waits for others, and not for ever`, async () => {
    await using place = await temporary();
    const one = await Driver.open(place.path);
    const two = await Driver.open(place.path, { writePatience: 100 });
    const release = Promise.withResolvers<void>();
    const holding = Promise.withResolvers<void>();
    const long = one.write(null, async (tx) => {
      await tx.run('CREATE TABLE t (a INTEGER)');
      holding.resolve();
      await release.promise;
    });
    await holding.promise;
    await assert.rejects(
      two.write(null, (tx) => tx.run('CREATE TABLE u (a INTEGER)')),
      (error: Error) => error instanceof StoreUnavailable && /it is busy/.test(error.message),
    );
    release.resolve();
    await long;
    await two.write(null, (tx) => tx.run('CREATE TABLE u (a INTEGER)'));
    await one.close();
    await two.close();
  });

  test(`${name}: a long insert lets other work run`, async () => {
    await using place = await temporary();
    const driver = await Driver.open(place.path);
    await driver.write(null, (tx) => tx.run('CREATE TABLE t (a INTEGER)'));
    let turns = 0;
    let inserting = true;
    const count = () => {
      turns++;
      if (inserting) setImmediate(count);
    };
    setImmediate(count);
    await driver.write(null, (tx) =>
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
}

test('a connection that met a fault is closed, and the next transaction has another one', {
  skip: process.platform !== 'linux',
}, async () => {
  await using place = await temporary();
  const driver = await SqliteDriver.open(place.path);
  const opened = async () => {
    const links = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    );
    return (await Promise.all(links)).filter((path) => path === place.path).length;
  };
  await driver.write(null, (tx) => tx.run('CREATE TABLE t (a INTEGER)'));
  assert.equal(await opened(), 1);
  const fault = new StoreUnavailable('the disk does not answer');
  const failing = driver.write(null, async () => {
    throw fault;
  });
  await assert.rejects(failing, (error) => error === fault);
  assert.equal(await opened(), 0);
  await driver.write(null, (tx) => tx.insert('t', ['a'], [[1]]));
  assert.deepEqual(await driver.all('SELECT a FROM t'), [[1]]);
  await driver.close();
  assert.equal(await opened(), 0);
});
