/** What must hold of a data directory whose programs were killed, whatever the moment. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/base/settings.ts';
import { checkStores } from '../../src/ingest/check.ts';
import { sweepStores } from '../../src/jobs/kinds/sweep.ts';
import { sweepPacks } from '../../src/pack/pack-retention.ts';
import { openStores, type Stores } from '../../src/store/open-stores.ts';
import { OWNER_KEY } from '../../src/store/store-owner.ts';

/** Milliseconds. */
const DAY = 24 * 60 * 60 * 1_000;

/** What the programs have acknowledged: package name → live (true), removed (false). Unknown names may be either. */
export type Acknowledged = Map<string, boolean>;

export interface Leftovers {
  /** Things that nothing refers to: objects, staging directories, temporary files, intents. */
  things: string[];
  /** Objects of earlier runs of packs that are still kept: they go with their packs. */
  earlierRuns: string[];
}

/**
 * Opens the store as the next start would, sweeps, and compares it with what was acknowledged. Gives what is wrong, and what
 * was left behind. No program may be running on the directory.
 */
export async function checkAfterKills(
  dataDir: string,
  acknowledged: Acknowledged,
  packs: ReadonlySet<string>,
): Promise<{ wrong: string[]; left: Leftovers }> {
  const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
  try {
    await sweepStores(stores, readSettings({ DATA_DIR: dataDir, RETIRED_GRACE_S: '0' }));
    const wrong: string[] = [];
    const live = new Set<string>();
    for await (const page of stores.catalogue.packages()) for (const row of page) live.add(row.name);
    for (const [name, isLive] of acknowledged) {
      if (live.has(name) !== isLive) wrong.push(`${name} was acknowledged ${isLive ? 'live' : 'removed'}`);
    }
    const { faults, orphans } = await checkStores(stores, { names: null, onProgress: () => {} });
    for (const { key } of orphans) wrong.push(`${key}: nothing refers to it`);
    for (const { place, fault } of faults) wrong.push(`${place}: ${fault}`);
    for (const id of packs) {
      const [pack] = await stores.packs.find([id], Date.now());
      if (pack === undefined) wrong.push(`pack ${id} was accepted and is gone`);
      else if (pack.status === 'failed') wrong.push(`pack ${id} failed: ${pack.reason}`);
    }
    return { wrong, left: await leftovers(stores, dataDir) };
  } finally {
    await stores.close();
  }
}

/** Lets every pack expire, sweeps, and gives the objects that stay although no package has them. */
export async function objectsAfterPacks(dataDir: string): Promise<string[]> {
  const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
  try {
    // Objects that no pack refers to go at the second look.
    for (const days of [1_000, 1_002]) await sweepPacks(stores, Date.now() + days * DAY);
    await sweepStores(stores, readSettings({ DATA_DIR: dataDir, RETIRED_GRACE_S: '0' }));
    const { things, earlierRuns } = await leftovers(stores, dataDir);
    return [...things, ...earlierRuns, ...(await stores.catalogue.garbage())];
  } finally {
    await stores.close();
  }
}

async function leftovers(stores: Stores, dataDir: string): Promise<Leftovers> {
  const things: string[] = [];
  const earlierRuns: string[] = [];
  const known = new Set<string>();
  for await (const page of stores.catalogue.packages(['live', 'retired', 'removed'])) {
    for (const row of page) known.add(row.archiveKey).add(row.indexKey);
  }
  // What is still garbage after a sweep is read by packs.
  for (const key of await stores.catalogue.garbage()) known.add(key);
  for await (const { key } of stores.objects.list('')) {
    if (known.has(key) || key === OWNER_KEY) continue;
    const [folder, , id] = key.split('/');
    if (folder !== 'packs') {
      things.push(key);
      continue;
    }
    const [pack] = await stores.packs.find([id!], Date.now());
    if (pack === undefined) things.push(key);
    else if (pack.status === 'succeeded' && pack.objectKey !== key) earlierRuns.push(key);
  }
  for (const intent of await stores.catalogue.intents()) things.push(`intent ${intent.id}`);
  for (const directory of ['staging', 'store/tmp']) {
    const path = join(dataDir, directory);
    if (existsSync(path)) for (const name of readdirSync(path)) things.push(`${directory}/${name}`);
  }
  return { things, earlierRuns };
}
