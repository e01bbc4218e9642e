/** Puts objects of 3 MB into the directory store of the first argument until it is killed; says each key when it is there. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryStore } from '../directory/directory-store.ts';

const [directory, staging, round] = process.argv.slice(2) as [string, string, string];
const store = await DirectoryStore.open(directory);
console.log('ready');
for (let i = 0; ; i++) {
  const key = `archives/${round}-${i}.bin`;
  const bytes = Buffer.alloc(3_000_000, i % 251);
  if (i % 2 === 0) {
    await store.put(
      key,
      (async function* () {
        for (let at = 0; at < bytes.length; at += 500_000) yield bytes.subarray(at, at + 500_000);
      })(),
    );
  } else {
    const file = join(staging, `${round}-${i}`);
    await writeFile(file, bytes);
    await store.put(key, file);
  }
  console.log(key);
}
