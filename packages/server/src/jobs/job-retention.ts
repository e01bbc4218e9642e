/** Which ended jobs stay, and which uploads. */
import type { JobStore, ObjectStore } from '@citymodel/store';
import { INCOMING } from './incoming.ts';

/** Jobs, or objects, that are asked for at once. */
const BATCH = 500;
/** An upload that no job has, because its process died before it asked for one, stays so long, ms. */
const UNOWNED_MS = 86_400_000;

/**
 * Forgets jobs that ended before the given time, with their objects, and uploads that belong to no job. May be killed
 * at any moment, run in several processes at once and be repeated. Times are ms since 1970.
 */
export async function sweepJobs(
  { jobs, objects }: { jobs: JobStore; objects: ObjectStore },
  before: number,
  now: number,
): Promise<void> {
  for (;;) {
    const ended = await jobs.finished(before, BATCH);
    let forgotten = 0;
    for (const { id, run } of ended) if (await jobs.forget(id, run)) forgotten++;
    // The rows first: an object may belong to another job as well.
    const keys = ended.flatMap(({ objectKey }) => (objectKey === null ? [] : [objectKey]));
    await deleteUnowned({ jobs, objects }, keys);
    if (ended.length < BATCH || forgotten === 0) break;
  }
  let keys: string[] = [];
  for await (const { key, modified } of objects.list(INCOMING)) {
    if (modified.getTime() < now - UNOWNED_MS) keys.push(key);
    if (keys.length < BATCH) continue;
    await deleteUnowned({ jobs, objects }, keys);
    keys = [];
  }
  await deleteUnowned({ jobs, objects }, keys);
}

async function deleteUnowned(
  { jobs, objects }: { jobs: JobStore; objects: ObjectStore },
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const owned = new Set(await jobs.ownedObjects(keys));
  await objects.deleteMany(keys.filter((key) => !owned.has(key)));
}
