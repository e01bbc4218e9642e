import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import { packStoreConformance } from '../testing/pack-store-conformance.ts';
import { SqlCatalogueStore } from './sql-catalogue-store.ts';
import { SqlPackStore } from './sql-pack-store.ts';

packStoreConformance('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-pack-store-'));
  return {
    async open() {
      const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
      return { catalogue: new SqlCatalogueStore(driver), packs: new SqlPackStore(driver) };
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
});
