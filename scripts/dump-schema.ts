/**
 * Writes `docs/schema.sql`, the schema of a migrated SQLite database, and `docs/schema-postgres.sql`, what the
 * migrations run on PostgreSQL. With `--check`, writes nothing and fails when a file differs.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toPostgres } from '../packages/store/src/postgres/dialect.ts';
import { MIGRATIONS } from '../packages/store/src/sql/migrations.ts';
import { SqlCatalogueStore } from '../packages/store/src/sql/sql-catalogue-store.ts';
import { SqliteDriver } from '../packages/store/src/sqlite/sqlite-driver.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
const BY = 'Written by scripts/dump-schema.ts, not by hand.';

async function sqliteSchema(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'schema-'));
  try {
    const driver = await SqliteDriver.open(join(directory, 'schema.sqlite'));
    const catalogue = new SqlCatalogueStore(driver);
    try {
      await catalogue.migrate();
      const rows = await driver.all(
        'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name',
      );
      const statements = rows.map(([sql]) => `${sql};\n`);
      return `-- Schema of the database after every migration. ${BY}\n\n${statements.join('\n')}`;
    } finally {
      await catalogue.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** No server is needed for this, so it can be checked anywhere. */
function postgresMigrations(): string {
  const parts = MIGRATIONS.map(({ version, name, isAdditive, statements }) => {
    const beside = isAdditive ? '; programs that do not know it go on working' : '';
    return (
      `-- Migration ${version}: ` +
      `${name}${beside}.\n\n${statements.map((sql) => `${toPostgres(sql)};\n`).join('\n')}`
    );
  });
  return `-- What the migrations run on PostgreSQL, one after the other. ${BY}\n\n${parts.join('\n')}`;
}

for (const [file, schema] of [
  ['schema.sql', await sqliteSchema()],
  ['schema-postgres.sql', postgresMigrations()],
] as const) {
  const target = join(DOCS, file);
  if (!process.argv.includes('--check')) {
    await writeFile(target, schema);
  } else if ((await readFile(target, 'utf8').catch(() => '')) !== schema) {
    console.error(`docs/${file} is not what the migrations make: run node scripts/dump-schema.ts`);
    process.exitCode = 1;
  }
}
