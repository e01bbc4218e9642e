import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { THIS_HOST } from '@citymodel/base';
import { pidIsAlive } from '../pid-is-alive.ts';

/** A file untouched for so long belongs to nobody any more, ms. */
const STALE = 60 * 60 * 1000;
/** Between the parts of a name; no host name has it. */
const SEPARATOR = '~';

/** A new name that says who writes the file. */
export function tempName(): string {
  return [THIS_HOST, process.pid, randomUUID()].join(SEPARATOR);
}

/**
 * Deletes what killed programs left in the directory: files whose writer is dead, or that nobody wrote to for an hour.
 */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const [host, pid] = name.split(SEPARATOR);
    const writerIsDead = host === THIS_HOST && !pidIsAlive(Number(pid));
    if (writerIsDead || (await isStale(path))) await rm(path, { force: true, recursive: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs < Date.now() - STALE;
  } catch {
    // It was finished or removed meanwhile.
    return false;
  }
}
