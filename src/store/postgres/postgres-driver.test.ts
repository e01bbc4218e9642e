import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { SqlPackStore } from '../sql/sql-pack-store.ts';
import { catalogueStoreConformance } from '../testing/catalogue-store-conformance.ts';
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
