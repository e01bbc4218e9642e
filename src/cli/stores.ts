import { resolve } from 'node:path';
import { InvalidSettings, type Settings } from '../base/settings.ts';
import { openStores, type Stores } from '../store/open-stores.ts';

/** Opens the stores that the settings name, with the schema up to date. Throws InvalidSettings for what is not available. */
export async function storesOf(settings: Settings): Promise<Stores> {
  try {
    return await openStores({
      dataDir: resolve(settings.DATA_DIR),
      databaseUrl: settings.DATABASE_URL,
      objectStore: settings.OBJECT_STORE,
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
