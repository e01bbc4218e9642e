import { join, resolve } from 'node:path';
import { InvalidSettings, type Settings } from '../base/settings.ts';
import { openStores, type Stores } from '../store/open-stores.ts';
import { sweepStaging } from '../store/staging-sweep.ts';

/** Opens the stores that the settings name, with the schema up to date, and deletes what killed programs left in staging. Throws InvalidSettings for what is not available. */
export async function storesOf(settings: Settings): Promise<Stores> {
  const stores = await openStoresOf(settings);
  await sweepStaging(join(resolve(settings.DATA_DIR), 'staging'), stores.catalogue);
  return stores;
}

/** The same, and leaves the data directory as it is: for stores that are not those of the programs that work in it. */
export async function openStoresOf(settings: Settings): Promise<Stores> {
  try {
    return await openStores({
      dataDir: resolve(settings.DATA_DIR),
      databaseUrl: settings.DATABASE_URL,
      objectStore: settings.OBJECT_STORE,
      cache: {
        directory: settings.CACHE_DIR === '' ? join(dataDir, 'cache') : resolve(settings.CACHE_DIR),
        diskBytes: settings.CACHE_MB * 1_000_000,
        memoryBytes: settings.CACHE_MEMORY_MB * 1_000_000,
      },
      postgres: {
        connections: settings.DATABASE_POOL,
        connectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
        statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
      },
    });
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidSettings([error.message]);
    throw error;
  }
}
