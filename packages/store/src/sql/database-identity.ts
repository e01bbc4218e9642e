import { randomUUID } from 'node:crypto';
import type { SqlDriver, SqlTransaction } from './driver.ts';

/**
 * What tells a database from every other one: a UUID that is made when it is first asked for. Standbys and restored
 * copies have that of the database that they were made from.
 */
export async function databaseIdentity(driver: SqlDriver): Promise<string> {
  const sql = 'SELECT identity FROM database_identity WHERE one = 1';
  const [known] = await driver.all(sql);
  if (known !== undefined) return known[0] as string;
  return driver.write('catalogue', async (tx) => {
    const [other] = await tx.all(sql);
    if (other !== undefined) return other[0] as string;
    const identity = randomUUID();
    await setDatabaseIdentity(tx, identity);
    return identity;
  });
}

/** Makes a database the continuation of another one. */
export async function setDatabaseIdentity(tx: SqlTransaction, identity: string): Promise<void> {
  await tx.run('DELETE FROM database_identity');
  await tx.insert('database_identity', ['one', 'identity'], [[1, identity]]);
}
