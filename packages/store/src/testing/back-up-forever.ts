/**
 * Backs up the stores of the data directory of the first argument into the second one, over and over, until it is
 * killed; says each.
 */
import { join } from 'node:path';
import { backUp } from '../backup/back-up.ts';
import { openObjectStore, openStores } from '../open-stores.ts';
import { publishWhole } from './whole-packages.ts';

const [dataDir, target, round] = process.argv.slice(2) as [string, string, string];
const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
const place = await openObjectStore({ dataDir, databaseUrl: '', objectStore: target });
console.log('ready');
for (let i = 0; ; i++) {
  await publishWhole(stores, `${round}-${i}`, `p${i % 3}`);
  const { backup } = await backUp(stores, place, {
    program: '1.0.0',
    stagingDir: join(dataDir, 'staging'),
  });
  console.log(backup.id);
}
