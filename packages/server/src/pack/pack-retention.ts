/** Which packs stay, and for how long. */
import { type ObjectStore, type PackRow, type PackStore, packSumsKey } from '@citymodel/store';
import { packPrefix, runOf } from './pack-id.ts';

interface PackStores {
  packs: PackStore;
  objects: ObjectStore;
}

/**
 * How long after it expired a pack is forgotten, ms: it answers 404 from the moment on when it expires, but downloads
 * that began before may still read its objects.
 */
export const FORGET_AFTER_MS = 60 * 60 * 1_000;
/**
 * An object that no pack refers to is deleted when it has been so for so long, ms: by mistake another database may be
 * looking.
 */
export const ORPHAN_MS = 24 * 60 * 60 * 1_000;
/** Packs that are asked for at once. */
const BATCH = 500;

/**
 * Forgets packs that expired an hour ago, with their objects, and so lets go of the archives that they kept; deletes
 * objects that killed runs have left, a day after it saw them first. May be killed at any moment, run in several
 * processes at once and be repeated. Returns how many packs were forgotten.
 */
export async function sweepPacks({ packs, objects }: PackStores, now: number): Promise<number> {
  const before = now - FORGET_AFTER_MS;
  let forgotten = 0;
  for (const { id, run } of await packs.expired(before)) {
    // Objects first: while the row is there, the next sweep finds what this one has left. A pack that started
    // again meanwhile has a higher run, whose objects stay.
    await deleteRuns(objects, id, run);
    if (await packs.forget(id, run, before)) forgotten++;
  }
  await sweepObjects({ packs, objects }, now);
  return forgotten;
}

/**
 * Forgets finished packs, the one that expires first first, until all together take no more than `bytes`. Downloads of
 * them that run go on where the object store lets open objects be read; others begin again. False when packs in work
 * alone take more.
 */
export async function keepWithin(
  bytes: number,
  { packs, objects }: PackStores,
  now: number,
): Promise<boolean> {
  let total = await packs.bytes();
  if (total <= bytes) return true;
  const all = Number.MAX_SAFE_INTEGER;
  for (const { id, run, bytes: own } of await packs.expired(all)) {
    // The row first: a pack whose object is gone would be found, and could not be downloaded.
    if (!(await packs.forget(id, run, all))) continue;
    // Somebody may have asked for it again in this moment; it then begins with the first run, which is not done yet.
    if ((await packs.find([id], now)).length === 0) await deleteRuns(objects, id, run);
    total -= own;
    if (total <= bytes) return true;
  }
  return false;
}

/** Deletes the objects of a pack's runs up to the given one. */
export async function deleteRuns(objects: ObjectStore, id: string, lastRun: number): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of objects.list(packPrefix(id))) {
    const run = runOf(key);
    if (run !== null && run <= lastRun) keys.push(key);
  }
  await objects.deleteMany(keys);
}

/**
 * Deletes objects of runs that came to nothing, and of packs that are forgotten: their processes were killed in
 * between.
 */
async function sweepObjects({ packs, objects }: PackStores, now: number): Promise<void> {
  let keys = new Map<string, string[]>();
  const flush = async () => {
    const rows = new Map((await packs.find([...keys.keys()], 0)).map((row) => [row.id, row]));
    const left = [...keys].flatMap(([id, own]) => own.filter((key) => isLeft(key, rows.get(id))));
    if (left.length > 0) {
      await objects.deleteMany(await packs.noteOrphans(left, { now, before: now - ORPHAN_MS }));
    }
    keys = new Map();
  };
  for await (const { key } of objects.list('packs/')) {
    const id = key.split('/').at(-2)!;
    const own = keys.get(id);
    if (own !== undefined) own.push(key);
    else if (keys.set(id, [key]).size > BATCH) await flush();
  }
  await flush();
  await packs.endLook(now);
}

function isLeft(key: string, pack: PackRow | undefined): boolean {
  const run = runOf(key);
  if (run === null) return false;
  if (pack === undefined || run < pack.run) return true;
  const { objectKey } = pack;
  const isIts = objectKey !== null && (key === objectKey || key === packSumsKey(objectKey));
  return run === pack.run && pack.status === 'succeeded' && !isIts;
}
