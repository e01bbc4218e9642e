import { MoveJournal } from '../../src/store/move/move-journal.ts';
import { moveStores } from '../../src/store/move/move-stores.ts';
import { openStores } from '../../src/store/open-stores.ts';

/** Copies the catalogue of a data directory to a database, and has it count its rows. */
export async function copyCatalogue(dataDir: string, databaseUrl: string): Promise<void> {
  const from = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
  const to = await openStores({ dataDir, databaseUrl, objectStore: '' });
  const journal = await MoveJournal.open('/dev/null');
  await moveStores(from, to, { journal, moves: { database: true, objects: false } });
  await to.database.write(null, (tx) => tx.run('ANALYZE'));
  await journal.close();
  await from.close();
  await to.close();
}
