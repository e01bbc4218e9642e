import type { SqlDriver, SqlTransaction } from './driver.ts';
import { type Migration, migrationChecksum } from './migrations.ts';

/**
 * Brings a database to the last of the given migrations, in one transaction; write transactions are serial, so
 * of several processes one migrates and the others find nothing to do. Throws when the database is newer than
 * the program, or when it ran a migration of another text.
 */
export async function migrate(driver: SqlDriver, migrations: readonly Migration[]): Promise<void> {
  // Usually there is nothing to do: look first, so that a start need not wait for a writer.
  if (await isCurrent(driver, migrations)) return;
  await driver.write('catalogue', async (tx) => {
    await tx.run(`CREATE TABLE IF NOT EXISTS schema_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at BIGINT NOT NULL
)`);
    const done = await applied(tx);
    check(done, migrations);
    for (const migration of migrations) {
      if (done.has(migration.version)) continue;
      for (const statement of migration.statements) await tx.run(statement);
      await tx.run(
        'INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)',
        [migration.version, migration.name, migrationChecksum(migration), Date.now()],
      );
    }
  });
}

async function isCurrent(driver: SqlDriver, migrations: readonly Migration[]): Promise<boolean> {
  let done: Map<number, string>;
  try {
    done = await applied(driver);
  } catch (error) {
    if (driver.isMissingTable(error)) return false;
    throw error;
  }
  check(done, migrations);
  return done.size === migrations.length;
}

/** The checksums of the migrations that the database ran, by version. */
async function applied(reader: Pick<SqlTransaction, 'all'>): Promise<Map<number, string>> {
  const rows = await reader.all('SELECT version, checksum FROM schema_migration ORDER BY version');
  return new Map(rows.map(([version, checksum]) => [Number(version), String(checksum)]));
}

function check(done: ReadonlyMap<number, string>, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const found = Math.max(0, ...done.keys());
  if (found > newest) {
    throw new Error(
      `the database has schema version ${found}, but this program knows versions up to ${newest} only: ` +
        'a newer program has been at work on it, use that one or a newer one',
    );
  }
  for (const migration of migrations) {
    const checksum = done.get(migration.version);
    if (checksum !== undefined && checksum !== migrationChecksum(migration)) {
      throw new Error(
        `the database ran schema migration ${migration.version} (${migration.name}) with checksum ${checksum}, ` +
          `this program has ${migrationChecksum(migration)}: the two are not builds of the same history`,
      );
    }
  }
}
