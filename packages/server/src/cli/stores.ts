import { join, resolve } from 'node:path';
import { tracer } from '@citymodel/base';
import {
  claimObjects,
  ForeignObjects,
  OwnedObjects,
  openStores,
  type StoreSettings,
  type Stores,
  StoreUnavailable,
  sweepStaging,
} from '@citymodel/store';
import { InvalidSettings, type Settings } from '../base/settings.ts';

/**
 * For so long a start waits for the object store to say whose it is, ms. Whatever it says later is looked at before
 * anything is deleted.
 */
const OWNER_MS = 3_000;

/**
 * Opens the stores that the settings name, with the schema up to date, and deletes what killed programs left in
 * staging. Throws InvalidSettings for what is not available, and for objects of another database, unless it may `adopt`
 * them. Not `cached`, each byte comes from the store: for those who look at the store itself. One who is `serving`
 * answers others while a statement runs.
 */
export async function storesOf(
  settings: Settings,
  { adopt = false, cached = true, serving = false } = {},
): Promise<Stores> {
  const dataDir = resolve(settings.DATA_DIR);
  const cache = {
    directory: settings.CACHE_DIR === '' ? join(dataDir, 'cache') : resolve(settings.CACHE_DIR),
    diskBytes: settings.CACHE_MB * 1_000_000,
    memoryBytes: settings.CACHE_MEMORY_MB * 1_000_000,
  };
  const stores = await opened(settings, { ...(cached && { cache }), inThreads: serving });
  try {
    const isClaimed = await claimSoon(stores, adopt);
    await sweepStaging(join(dataDir, 'staging'), stores.catalogue);
    return { ...stores, objects: new OwnedObjects(stores, isClaimed) };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

/**
 * A command that is to adopt the objects waits for that; others start without the object store, too. False when it has
 * not answered.
 */
async function claimSoon(stores: Stores, adopt: boolean): Promise<boolean> {
  const timer = Promise.withResolvers<boolean>();
  const timeout = setTimeout(() => timer.resolve(false), OWNER_MS);
  try {
    const claiming = claimObjects(stores, { adopt }).then(() => true);
    claiming.catch(() => {});
    return await (adopt ? claiming : Promise.race([claiming, timer.promise]));
  } catch (error) {
    if (error instanceof ForeignObjects) throw new InvalidSettings([error.message]);
    if (adopt || !(error instanceof StoreUnavailable)) throw error;
    return false;
  } finally {
    clearTimeout(timeout);
  }
}

/**
 * Opens stores as they are, for comparing two of them: without a cache, and without a look at the data
 * directory, where programs may work that use others. Throws InvalidSettings for what is not available.
 */
export function plainStoresOf(settings: Settings): Promise<Stores> {
  return opened(settings);
}

async function opened(
  settings: Settings,
  ways: Pick<StoreSettings, 'cache' | 'inThreads'> = {},
): Promise<Stores> {
  try {
    return await openStores({
      dataDir: resolve(settings.DATA_DIR),
      databaseUrl: settings.DATABASE_URL,
      objectStore: settings.OBJECT_STORE,
      ...ways,
      isTraced: tracer() !== null,
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
