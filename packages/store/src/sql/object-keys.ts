/**
 * Keys of objects, from the intent to write one to its deletion.
 *
 * Each arrow is one transaction. So a program killed between two of them leaves a state from which a sweep goes on:
 *
 *   (unknown) ── beginIntent ──▶ intended ── publish ──▶ referred to by a package
 *       ▲                           │                          │
 *       │                     abandonIntent        forget, or publish of the same id
 *       │                           ▼                          ▼
 *       │                         garbage ◀────────────────────┘
 *       │                        │      ▲ └─ beginIntent, publish ──▶ intended / referred to again
 *       │              claimGarbage    (holder of the claim died)
 *       │                        ▼      │
 *       └─ dropGarbage ── being deleted ┘      beginIntent and publish are refused here
 */
import { CatalogueConflict, type Intent } from '../catalogue-store.ts';
import type { SqlReader, SqlTransaction } from './driver.ts';
import { INTENT, intentFromRow } from './mapping.ts';
import { insert, qualified } from './table.ts';

const NOT_REFERRED_TO =
  'NOT EXISTS (SELECT 1 FROM package p WHERE p.archive_key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM package p WHERE p.index_key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM package_object o WHERE o.object_key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM intent_key k WHERE k.key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM pack_source s WHERE s.archive_key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM pack_source s WHERE s.index_key = garbage.key)';

/** Notes what an ingestion or another task is going to write. Throws CatalogueConflict for keys that are being deleted. */
export async function beginIntent(tx: SqlTransaction, intent: Intent): Promise<void> {
  await claimKeys(tx, intent.keys);
  await insert(tx, INTENT, [intent]);
  const rows = intent.keys.map((key, position) => [intent.id, position, key]);
  await tx.insert('intent_key', ['intent', 'position', 'key'], rows);
}

/** All intents, with the keys of those that were not given up. */
export async function readIntents(reader: Pick<SqlReader, 'all'>): Promise<Intent[]> {
  const columns = qualified(INTENT, 'i');
  const rows = await reader.all(
    `SELECT ${columns}, k.key FROM intent i LEFT JOIN intent_key k ON k.intent = i.id ORDER BY i.id, k.position`,
  );
  const intents = new Map<string, Intent>();
  for (const row of rows) {
    const read = intentFromRow(row, []);
    const intent = intents.get(read.id) ?? read;
    intents.set(read.id, intent);
    const key = row[INTENT.columns.length];
    if (typeof key === 'string') intent.keys.push(key);
  }
  return [...intents.values()];
}

/** Gives up an intent that has shown no sign of life since; its keys become garbage. False where there is none. */
export async function abandonIntent(tx: SqlTransaction, id: string, heartbeatAt?: number): Promise<boolean> {
  // In one statement: signs of life take no lock.
  const count = await tx.run('UPDATE intent SET abandoned = 1 WHERE id = $1 AND heartbeat_at <= $2', [
    id,
    heartbeatAt ?? Number.MAX_SAFE_INTEGER,
  ]);
  if (count === 0) return false;
  const keys = await tx.all('SELECT key FROM intent_key WHERE intent = $1', [id]);
  await tx.run('DELETE FROM intent_key WHERE intent = $1', [id]);
  await noteGarbage(
    tx,
    keys.map((row) => row[0] as string),
    0,
  );
  return true;
}

/** Throws CatalogueConflict saying `what` when the intent cannot be fulfilled any more. */
export async function assertIntended(tx: SqlTransaction, intent: string, what: string): Promise<void> {
  const [found] = await tx.all('SELECT abandoned FROM intent WHERE id = $1', [intent]);
  if (found?.[0] === 0) return;
  const why = found === undefined ? 'was never begun or has ended' : 'gave no sign of life and was given up';
  throw new CatalogueConflict(`${what}: it ${why}`);
}

/** Notes garbage; a key that is garbage already keeps its time. Packages without bytes have empty keys. */
export async function noteGarbage(tx: SqlTransaction, keys: readonly string[], since: number): Promise<void> {
  await tx.run(
    'INSERT INTO garbage (key, since) SELECT DISTINCT value, CAST($2 AS BIGINT) FROM each_text($1) WHERE value <> $3 ' +
      'ON CONFLICT (key) DO NOTHING',
    [keys, since, ''],
  );
}

/** Takes keys back from the garbage; throws CatalogueConflict for one that is being deleted. */
export async function claimKeys(tx: SqlTransaction, keys: readonly string[]): Promise<void> {
  const [deleting] = await tx.all(
    'SELECT key FROM garbage WHERE sweep IS NOT NULL AND key IN (SELECT value FROM each_text($1))',
    [keys],
  );
  if (deleting !== undefined) {
    throw new CatalogueConflict(
      `the object ${deleting[0]} is being deleted: wait for the sweep to end, or run one`,
    );
  }
  await tx.run('DELETE FROM garbage WHERE key IN (SELECT value FROM each_text($1))', [keys]);
}

/** Keys of garbage of before, which nothing refers to; they are the sweep's to delete. */
export async function claimGarbage(
  tx: SqlTransaction,
  { sweep, before, limit }: { sweep: string; before: number; limit: number },
): Promise<string[]> {
  // What a package refers to (again) is no garbage.
  await tx.run(
    'DELETE FROM garbage WHERE EXISTS (SELECT 1 FROM package p WHERE p.archive_key = garbage.key) ' +
      'OR EXISTS (SELECT 1 FROM package p WHERE p.index_key = garbage.key) ' +
      'OR EXISTS (SELECT 1 FROM package_object o WHERE o.object_key = garbage.key)',
  );
  const rows = await tx.all(
    'SELECT key FROM garbage WHERE since < $1 AND (sweep IS NULL OR sweep = $2 OR ' +
      'NOT EXISTS (SELECT 1 FROM intent i WHERE i.id = garbage.sweep AND i.abandoned = 0)) ' +
      `AND ${NOT_REFERRED_TO} ORDER BY key LIMIT $3`,
    [before, sweep, limit],
  );
  const keys = rows.map((row) => row[0] as string);
  await tx.run('UPDATE garbage SET sweep = $1 WHERE key IN (SELECT value FROM each_text($2))', [sweep, keys]);
  return keys;
}
