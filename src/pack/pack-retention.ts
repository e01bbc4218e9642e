import type { ObjectStore } from '../store/object-store.ts';
import type { PackStore } from '../store/pack-store.ts';
import { deleteRuns } from './pack-worker.ts';

/**
 * How long after it expired a pack is forgotten, ms: it answers 404 from the moment on when it expires, but downloads
 * that began before may still read its objects.
 */
export const FORGET_AFTER_MS = 60 * 60 * 1_000;

/**
 * Forgets packs that expired an hour ago, with their objects, and so lets go of the archives that they kept. May be
 * killed at any moment, run in several processes at once and be repeated. Returns how many were forgotten.
 */
export async function sweepPacks(
  { packs, objects }: { packs: PackStore; objects: ObjectStore },
  now: number,
): Promise<number> {
  const before = now - FORGET_AFTER_MS;
  let forgotten = 0;
  for (const { id, run } of await packs.expired(before)) {
    // Objects first: while the row is there, the next sweep finds what this one has left. A pack that started
    // again meanwhile has a higher run, whose objects stay.
    await deleteRuns(objects, id, run);
    if (await packs.forget(id, run, before)) forgotten++;
  }
  return forgotten;
}
