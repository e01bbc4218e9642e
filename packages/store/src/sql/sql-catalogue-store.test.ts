import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import { catalogueStoreConformance } from '../testing/catalogue-store-conformance.ts';
import { SqlCatalogueStore } from './sql-catalogue-store.ts';

catalogueStoreConformance('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-catalogue-store-'));
  return {
    open: async () => new SqlCatalogueStore(await SqliteDriver.open(join(directory, 'catalogue.sqlite'))),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
});
