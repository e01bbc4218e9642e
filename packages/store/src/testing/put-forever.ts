/**
 * Puts objects into the store that the first argument names, as OBJECT_STORE does, until it is killed; says each key
 * when it is there. Arguments: store, directory for files, bytes of an object, round.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openObjectStore } from '../open-stores.ts';

const [objectStore, directory, size, round] = process.argv.slice(2) as [string, string, string, string];
const store = await openObjectStore({ dataDir: directory, databaseUrl: '', objectStore });
console.log('ready');
for (let i = 0; ; i++) {
  const key = `archives/${round}-${i}.bin`;
  const bytes = Buffer.alloc(Number(size), i % 251);
  if (i % 2 === 0) {
    await store.put(
      key,
      (async function* () {
        for (let at = 0; at < bytes.length; at += 500_000) yield bytes.subarray(at, at + 500_000);
      })(),
    );
  } else {
    const file = join(directory, `${round}-${i}`);
    await writeFile(file, bytes);
    await store.put(key, file);
  }
  console.log(key);
}
