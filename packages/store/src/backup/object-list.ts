/** The objects of a backup, as lines of JSON in a file, gzipped. */
import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BackupDamaged, type KeptObject } from './backup-format.ts';

/** Longest list that is read, bytes. A country has some forty thousand objects, 8 MB of lines. */
const MAX_LIST = 2 ** 29;

/** Writes a new file. */
export async function writeObjectList(path: string, objects: readonly KeptObject[]): Promise<void> {
  const lines = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  await writeFile(path, gzipSync(lines), { flag: 'wx' });
}

/** Throws BackupDamaged for a line that is none. */
export async function readObjectList(path: string): Promise<KeptObject[]> {
  const lines = gunzipSync(await readFile(path), { maxOutputLength: MAX_LIST })
    .toString()
    .split('\n');
  return lines.filter(Boolean).map((line) => {
    const object = JSON.parse(line) as KeptObject;
    if (typeof object.key !== 'string' || !/^[0-9a-f]{64}$/.test(object.sha256)) {
      throw new BackupDamaged('a line of the list of objects is none');
    }
    return object;
  });
}
