/** What a build was made from: it need not be made again while that is the same. */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The file in a build that says what it was made from. */
export const STAMP = '.made-from';

/** One value for the names and contents of files and for the version of Node.js. Files are named from the root. */
export function fingerprint(files: Iterable<string>, root = ROOT): string {
  const parts = [...new Set(files)]
    .sort()
    .map((file) => `${file} ${hash('sha256', readFileSync(join(root, file)), 'hex')}`);
  return hash('sha256', [process.version, ...parts].join('\n'), 'hex');
}

/** Whether the directory has a build that was made from this. */
export function isMadeFrom(directory: string, madeFrom: string): boolean {
  const stamp = join(directory, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === madeFrom;
}
