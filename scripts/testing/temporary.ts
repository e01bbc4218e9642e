/**
 * Where tests keep their files: in memory where there is room, since databases and stores wait for the disk at each
 * step that must survive a loss of power. No test has such a loss.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes that must be free, in the directory and in memory: several times what all tests use at once. */
const ROOM = 8 * 2 ** 30;

/**
 * Makes a directory for temporary files in one that lies in memory, which goes away with this process. Everybody may
 * write there, as in that of the system: PostgreSQL runs as another user.
 *
 * @param memory a directory that lies in memory; it may be missing
 * @returns null where there are less than `room` bytes
 */
export function temporaryInMemory(memory = '/dev/shm', room = ROOM): string | null {
  const free = freeIn(memory);
  if (Math.min(free, process.availableMemory()) < room) return null;
  const directory = mkdtempSync(join(memory, 'tests-'));
  chmodSync(directory, 0o1777);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

function freeIn(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
