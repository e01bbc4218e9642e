import { resolve } from 'node:path';
import { InvalidSettings, type Settings } from '../base/settings.ts';
import { sweepPacks } from '../pack/pack-retention.ts';
import { openStores, type Stores } from '../store/open-stores.ts';
import { intentIsAlive, type SweepReport, sweep } from '../store/sweep.ts';

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

/** Forgets expired packs, cleans up after killed ingestions and deletes what left the catalogue long enough ago. */
export async function sweepStores(stores: Stores, settings: Settings): Promise<SweepReport> {
  await sweepPacks(stores, Date.now());
  return sweep({
    catalogue: stores.catalogue,
    objects: stores.objects,
    retiredBefore: Date.now() - settings.RETIRED_GRACE_S * 1_000,
    isAlive: (intent) => intentIsAlive(intent),
    keep: ({ archiveKey }) => stores.packs.refersTo(archiveKey),
  });
}
