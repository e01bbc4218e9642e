/** Stores and places of backups in a temporary directory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStore, openStores, type Stores } from '../open-stores.ts';
import { intentIsAlive, sweep } from '../sweep.ts';

/** A directory for stores, places and unfinished work; whatever is opened is closed with it. */
export async function workplace() {
  const directory = await mkdtemp(join(tmpdir(), 'back-up-'));
  const closing = new AsyncDisposableStack();
  closing.defer(() => rm(directory, { recursive: true }));
  const open = async (name: string, databaseUrl = '', objectStore = '') => {
    const dataDir = join(directory, name);
    return closing.adopt(await openStores({ dataDir, databaseUrl, objectStore }), (stores) => stores.close());
  };
  return {
    directory,
    options: { program: '1.0.0', stagingDir: join(directory, 'staging') },
    open,
    place: async (objectStore = join(directory, 'place')) =>
      closing.adopt(await openObjectStore({ dataDir: directory, databaseUrl: '', objectStore }), (store) =>
        store.close(),
      ),
    [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
  };
}

/** Deletes all that is over, as a server with a grace of 0 does. */
export function sweepNow({ catalogue, objects }: Stores) {
  return sweep({
    catalogue,
    objects,
    retiredBefore: Date.now() + 1,
    isAlive: (intent) => intentIsAlive(intent),
  });
}
