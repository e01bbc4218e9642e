/** Lets every user of the machine read what was built: a server rarely runs as the user who built it. */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The owner's rights to read a file and to enter a directory. */
const READ_AND_ENTER = 0o500;

/** Gives everybody the owner's rights to read and to enter, in a directory and all below it. Links are not followed. */
export function openToAll(directory: string): void {
  allow(directory);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) allow(path);
  }
}

function allow(path: string): void {
  const { mode } = statSync(path);
  const rights = mode & READ_AND_ENTER;
  chmodSync(path, (mode & 0o7777) | (rights >> 3) | (rights >> 6));
}
