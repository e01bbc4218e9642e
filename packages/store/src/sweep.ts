import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { sharedNow, THIS_HOST } from '@citymodel/base';
import { CatalogueConflict, type CatalogueStore, type Intent } from './catalogue-store.ts';
import type { ObjectStore } from './object-store.ts';
import { pidIsAlive } from './pid-is-alive.ts';
import type { PackageRow } from './rows.ts';

/** For so long a response may read an object after its package was replaced, ms. */
const LONGEST_RESPONSE = 60 * 60 * 1000;
/** An ingestion that gave no sign of life for so long is taken for dead, ms. */
const DEFAULT_LEASE = 5 * 60 * 1000;

export interface SweepOptions {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** Packages that left `live`, and objects that became garbage, before this time are deleted (ms since 1970). */
  retiredBefore: number;
  /**
   * Uploads to the object store that were begun before this time, and that no living ingestion needs, are given up;
   * none where it is left out.
   */
  uploadsBefore?: number;
  /** Whether the process behind an intent is still at work; see `intentIsAlive`. */
  isAlive: (intent: Intent) => boolean;
  /** True for a package that has to stay although its time is over, because a pack refers to it. */
  keep?: (pkg: PackageRow) => Promise<boolean>;
}

/** What a sweep did. */
export interface SweepReport {
  /** Ingestions that were cleaned up after. */
  intents: number;
  packages: number;
  objects: number;
  /** Uploads that were given up. */
  uploads: number;
}

/**
 * Whether an ingestion is at work: it gave a sign of life within the lease and, on this host, its process exists.
 */
export function intentIsAlive(intent: Intent, options: { lease?: number; now?: number } = {}): boolean {
  const { lease = DEFAULT_LEASE, now = sharedNow() } = options;
  if (intent.heartbeatAt < now - lease) return false;
  return intent.host !== THIS_HOST || pidIsAlive(intent.pid);
}

/**
 * Cleans up after ingestions that were killed, and deletes packages whose time is over, with their objects. May run
 * in several processes at once, be killed at any moment and be repeated: what one leaves the next one finishes.
 * No object is deleted that a package or a living ingestion refers to.
 */
export async function sweep(options: SweepOptions): Promise<SweepReport> {
  const intents = await endDeadIntents(options);
  const packages = await forgetPackages(options);
  const objects = await deleteGarbage(options);
  const uploads = await abortUploads(options);
  return { intents, packages, objects, uploads };
}

async function abortUploads({ catalogue, objects, uploadsBefore = 0 }: SweepOptions): Promise<number> {
  if (objects.abortUploads === undefined || uploadsBefore === 0) return 0;
  const wanted = new Set((await catalogue.intents()).flatMap(({ keys }) => keys));
  return objects.abortUploads(new Date(uploadsBefore), (key) => wanted.has(key));
}

/**
 * The first moment that a sweep spares, ms since 1970, for a grace in ms: what nobody may read any more since the grace
 * or longer is deleted. Where a deleted object cannot be read to its end, a response that began before has an hour at
 * least.
 */
export function retiredBefore(
  graceMs: number,
  { traits }: Pick<ObjectStore, 'traits'>,
  now = sharedNow(),
): number {
  return now - Math.max(graceMs, traits.handleOutlivesDelete ? 0 : LONGEST_RESPONSE) + 1;
}

async function endDeadIntents({ catalogue, isAlive }: SweepOptions): Promise<number> {
  let ended = 0;
  for (const intent of await catalogue.intents()) {
    if (intent.abandoned !== true) {
      if (isAlive(intent)) continue;
      // From here on it cannot be published, even if its process was only slow; unless it showed life just now.
      if (!(await catalogue.abandonIntent(intent.id, intent.heartbeatAt))) continue;
    }
    // A directory of another host is not here, which is no error; `sweepStaging` deletes it there.
    if (intent.staging !== null) await rm(intent.staging, { recursive: true, force: true });
    await catalogue.endIntent(intent.id);
    ended++;
  }
  return ended;
}

async function forgetPackages({ catalogue, retiredBefore, keep }: SweepOptions): Promise<number> {
  let forgotten = 0;
  for (const pkg of await catalogue.sweepable(retiredBefore)) {
    if (keep !== undefined && (await keep(pkg))) continue;
    try {
      await catalogue.forget(pkg.no);
      forgotten++;
    } catch (error) {
      // It was made live again meanwhile.
      if (!(error instanceof CatalogueConflict)) throw error;
    }
  }
  return forgotten;
}

/**
 * Deletes the objects of garbage keys, one at a time: hardly any time passes between claiming a key and deleting its
 * object. So a sweep that was stopped for longer than its lease cannot delete what others have written since.
 */
async function deleteGarbage({ catalogue, objects, retiredBefore }: SweepOptions): Promise<number> {
  const id = `sweep-${randomUUID()}`;
  const intent = { id, keys: [], staging: null, host: THIS_HOST, pid: process.pid };
  await catalogue.beginIntent({ ...intent, heartbeatAt: sharedNow() });
  let deleted = 0;
  try {
    for (;;) {
      const [key] = await catalogue.claimGarbage(id, retiredBefore, 1);
      if (key === undefined) return deleted;
      await objects.delete(key);
      await catalogue.dropGarbage([key]);
      await catalogue.touchIntent(id, sharedNow());
      deleted++;
    }
  } finally {
    await catalogue.endIntent(id);
  }
}
