import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { SqlComparisonStore } from '../sql/sql-comparison-store.ts';
import { SqlJobStore } from '../sql/sql-job-store.ts';
import { SqlPackStore } from '../sql/sql-pack-store.ts';
import { exerciseStores } from '../testing/exercise-stores.ts';
import { fillTables } from '../testing/fill-tables.ts';
import { withPostgres } from '../testing/postgres.ts';
import { ExplainingDriver, needlessScans } from '../testing/query-plans.ts';
import { PostgresDriver } from './postgres-driver.ts';

test('no statement reads a large table from end to end without need', async (t) => {
  const driver = await PostgresDriver.open(await withPostgres(t));
  t.after(() => driver.close());
  await new SqlCatalogueStore(driver).migrate();
  await fillTables(driver, { packages: 10_000 });
  const explaining = new ExplainingDriver(driver);
  await exerciseStores({
    catalogue: new SqlCatalogueStore(explaining),
    packs: new SqlPackStore(explaining),
    jobs: new SqlJobStore(explaining),
    comparisons: new SqlComparisonStore(explaining),
  });
  assert.ok(explaining.plans.size > 80, 'all stores were exercised');
  const needless = await needlessScans(driver, explaining.plans.values());
  assert.deepEqual(
    needless.map(({ tables, sql }) => `${tables.join(', ')}: ${sql}`),
    [],
  );

  const scanning = new ExplainingDriver(driver);
  await scanning.all("SELECT no FROM package WHERE provider = 'x'");
  await scanning.all("SELECT package_no FROM gml_file WHERE type = 'tran' ORDER BY package_no, type, path");
  const found = await needlessScans(driver, scanning.plans.values());
  assert.deepEqual(
    found.map(({ tables }) => tables),
    [['package'], ['gml_file']],
    'the test sees such statements',
  );
});
