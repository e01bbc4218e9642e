import { sharedNow } from '@citymodel/base';
import type { SqlDriver, SqlReader } from './driver.ts';
import { type Migration, migrationChecksum } from './migrations.ts';

/**
 * Brings a database to the last of the given migrations, in one transaction under one lock. Of several processes one
 * migrates, and the others find nothing to do. A database that is newer than the program is left as it is when what the
 * program does not know is additive. Throws when it is not, or when the database ran a migration of another text.
 */
export async function migrate(driver: SqlDriver, migrations: readonly Migration[]): Promise<void> {
  // Usually there is nothing to do: look first, so that a start need not wait for a writer.
  if (await isCurrent(driver, migrations)) return;
  await driver.write(
    'catalogue',
    async (tx) => {
      await tx.run(`CREATE TABLE IF NOT EXISTS schema_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at BIGINT NOT NULL
)`);
      await tx.run(`CREATE TABLE IF NOT EXISTS schema_additive (
  -- Migrations that programs may go without.
  version INTEGER PRIMARY KEY
)`);
      const done = await applied(tx);
      check(done, migrations);
      for (const migration of migrations) {
        const { version, name, isAdditive } = migration;
        if (done.checksums.has(version)) continue;
        for (const statement of migration.statements) await tx.run(statement);
        await tx.run(
          'INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)',
          [version, name, migrationChecksum(migration), sharedNow()],
        );
        if (isAdditive) await tx.run('INSERT INTO schema_additive (version) VALUES ($1)', [version]);
      }
    },
    { changesSchema: true },
  );
}

/** The migrations that a database ran. */
interface Applied {
  /** By version. */
  checksums: ReadonlyMap<number, string>;
  additive: ReadonlySet<number>;
}

async function isCurrent(driver: SqlDriver, migrations: readonly Migration[]): Promise<boolean> {
  let done: Applied;
  try {
    done = await applied(driver);
  } catch (error) {
    if (driver.isMissingTable(error)) return false;
    throw error;
  }
  check(done, migrations);
  return migrations.every(({ version }) => done.checksums.has(version));
}

async function applied(reader: SqlReader): Promise<Applied> {
  const rows = await reader.all(
    'SELECT m.version, m.checksum, a.version FROM schema_migration m ' +
      'LEFT JOIN schema_additive a ON a.version = m.version ORDER BY m.version',
  );
  return {
    checksums: new Map(rows.map(([version, checksum]) => [Number(version), String(checksum)])),
    additive: new Set(rows.filter(([, , additive]) => additive !== null).map(([version]) => Number(version))),
  };
}

function check({ checksums, additive }: Applied, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const unknown = [...checksums.keys()].filter((version) => version > newest && !additive.has(version));
  if (unknown.length > 0) {
    throw new Error(
      `the database has schema version ${Math.max(...unknown)}, but this program knows versions up to ${newest} ` +
        `only: ` +
        'a newer program has been at work on it, use that one or a newer one',
    );
  }
  for (const migration of migrations) {
    const checksum = checksums.get(migration.version);
    if (checksum !== undefined && checksum !== migrationChecksum(migration)) {
      throw new Error(
        `the database ran schema migration ${migration.version} (${migration.name}) with checksum ${checksum}, ` +
          `this program has ${migrationChecksum(migration)}: the two are not builds of the same history`,
      );
    }
  }
}
