import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogueStore } from './catalogue-store.ts';

/** Names of the directories of intents; other names are not ours to delete. */
const INTENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Deletes directories of unfinished work on this machine whose intent is over: the sweep of another machine ends the
 * intents of programs that were killed here, but cannot reach their files. Says how many. A staging directory that is
 * not there is no error.
 */
export async function sweepStaging(
  stagingDir: string,
  catalogue: Pick<CatalogueStore, 'intents'>,
): Promise<number> {
  // Directories first: an intent is begun before its directory is made, and a directory is deleted before its intent
  // ends.
  const names = await readdir(stagingDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = names.filter((name) => INTENT_ID.test(name));
  if (found.length === 0) return 0;
  const alive = new Set((await catalogue.intents()).map(({ id }) => id));
  const left = found.filter((name) => !alive.has(name));
  for (const name of left) await rm(join(stagingDir, name), { recursive: true, force: true });
  return left.length;
}
