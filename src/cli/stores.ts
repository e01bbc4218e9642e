import { join, resolve } from 'node:path';
import { InvalidSettings, type Settings } from '../base/settings.ts';
import { openStores, type StoreSettings, type Stores } from '../store/open-stores.ts';
import { sweepStaging } from '../store/staging-sweep.ts';

/** Opens the stores that the settings name, with the schema up to date, and deletes what killed programs left in staging. Throws InvalidSettings for what is not available. */
export async function storesOf(settings: Settings): Promise<Stores> {
  const dataDir = resolve(settings.DATA_DIR);
  const stores = await opened(settings, {
    directory: settings.CACHE_DIR === '' ? join(dataDir, 'cache') : resolve(settings.CACHE_DIR),
    diskBytes: settings.CACHE_MB * 1_000_000,
    memoryBytes: settings.CACHE_MEMORY_MB * 1_000_000,
  });
  await sweepStaging(join(dataDir, 'staging'), stores.catalogue);
  return stores;
}

/**
 * Opens stores as they are, for whoever compares two of them: without a cache, and without a look at the data directory, where
 * programs may work that use others. Throws InvalidSettings for what is not available.
 */
export function plainStoresOf(settings: Settings): Promise<Stores> {
  return opened(settings);
}

async function opened(settings: Settings, cache?: StoreSettings['cache']): Promise<Stores> {
  try {
    return await openStores({
      dataDir: resolve(settings.DATA_DIR),
      databaseUrl: settings.DATABASE_URL,
      objectStore: settings.OBJECT_STORE,
      ...(cache && { cache }),
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
