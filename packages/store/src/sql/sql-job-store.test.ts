import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import { jobStoreConformance } from '../testing/job-store-conformance.ts';
import { SqlCatalogueStore } from './sql-catalogue-store.ts';
import { SqlJobStore } from './sql-job-store.ts';

jobStoreConformance('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-job-store-'));
  return {
    async open() {
      const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
      return { catalogue: new SqlCatalogueStore(driver), jobs: new SqlJobStore(driver) };
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
});
