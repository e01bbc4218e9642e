import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { SqlJobStore } from '../sql/sql-job-store.ts';
import { SqlPackStore } from '../sql/sql-pack-store.ts';
import { catalogueStoreConformance } from '../testing/catalogue-store-conformance.ts';
import { jobStoreConformance } from '../testing/job-store-conformance.ts';
import { packStoreConformance } from '../testing/pack-store-conformance.ts';
import { freshDatabase, withPostgres } from '../testing/postgres.ts';
import { PostgresDriver } from './postgres-driver.ts';

catalogueStoreConformance('PostgreSQL', async () => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase();
  return {
    open: async () => new SqlCatalogueStore(await PostgresDriver.open(url)),
    [Symbol.asyncDispose]: dispose,
  };
});

packStoreConformance('PostgreSQL', async () => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase();
  return {
    async open() {
      const driver = await PostgresDriver.open(url);
      return { catalogue: new SqlCatalogueStore(driver), packs: new SqlPackStore(driver) };
    },
    [Symbol.asyncDispose]: dispose,
  };
});

jobStoreConformance('PostgreSQL', async () => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase();
  return {
    async open() {
      const driver = await PostgresDriver.open(url);
      return { catalogue: new SqlCatalogueStore(driver), jobs: new SqlJobStore(driver) };
    },
    [Symbol.asyncDispose]: dispose,
  };
});

test('PostgreSQL: rows, errors and early ends are those of every driver', async (t) => {
  const driver = await PostgresDriver.open(await withPostgres(t));
  t.after(() => driver.close());
  await driver.write(null, async (tx) => {
    await tx.run('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)');
    const rows = Array.from({ length: 2_500 }, (_, i) => [i, `見本${i}`]);
    assert.equal(await tx.insert('t', ['a', 'b'], rows), 2_500);
  });
  const sizes: number[] = [];
  for await (const page of driver.pages('SELECT a, b FROM t ORDER BY a', [], 500)) sizes.push(page.length);
  assert.deepEqual(sizes, [500, 500, 500, 500, 500]);
  assert.deepEqual(await driver.all('SELECT a, b FROM t WHERE a = $1', [7]), [[7, '見本7']]);
  for await (const page of driver.pages('SELECT a FROM t', [], 10)) {
    assert.equal(page.length, 10);
    break;
  }
  const isMissing = (error: unknown) => driver.isMissingTable(error);
  await assert.rejects(driver.all('SELECT a FROM nowhere'), isMissing);
  await assert.rejects(driver.pages('SELECT a FROM nowhere', [], 10).next(), isMissing);
  await assert.rejects(
    driver.write(null, (tx) => tx.insert('t', ['a', 'b'], [[1, 'twice']])),
    /duplicate key value/,
  );
  const mine = new RangeError('mine');
  await assert.rejects(
    driver.write(null, async (tx) => {
      await tx.run('DELETE FROM t');
      throw mine;
    }),
    (error) => error === mine,
  );
  await assert.rejects(
    driver.write(null, async (tx) => {
      await tx.run('DELETE FROM t');
      await tx.run('DELETE FROM nowhere').catch(() => {});
    }),
    /the transaction was rolled back/,
  );
  assert.deepEqual(await driver.all('SELECT count(*) FROM t'), [[2_500]]);
  await driver.close();
  await assert.rejects(driver.all('SELECT 1'), /it is closed/);
  await assert.rejects(
    driver.write(null, (tx) => tx.run('SELECT 1')),
    StoreUnavailable,
  );
});
