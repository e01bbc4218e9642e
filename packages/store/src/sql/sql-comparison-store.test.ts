import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import { comparisonStoreConformance } from '../testing/comparison-store-conformance.ts';
import { SqlCatalogueStore } from './sql-catalogue-store.ts';
import { SqlComparisonStore } from './sql-comparison-store.ts';

comparisonStoreConformance('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-comparison-store-'));
  return {
    async open() {
      const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
      return { catalogue: new SqlCatalogueStore(driver), comparisons: new SqlComparisonStore(driver) };
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
});
