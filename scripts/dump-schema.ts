/**
 * Writes `docs/schema.sql`, the schema of a migrated database. With `--check`, writes nothing and fails when the
 * file differs.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlCatalogueStore } from '../src/store/sql/sql-catalogue-store.ts';
import { SqliteDriver } from '../src/store/sqlite/sqlite-driver.ts';

const TARGET = join(import.meta.dirname, '..', 'docs', 'schema.sql');
const HEADER =
  '-- Schema of the database after every migration. Written by scripts/dump-schema.ts, not by hand.\n\n';

async function dump(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'schema-'));
  try {
    const driver = await SqliteDriver.open(join(directory, 'schema.sqlite'));
    const catalogue = new SqlCatalogueStore(driver);
    try {
      await catalogue.migrate();
      const rows = await driver.all(
        'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name',
      );
      return HEADER + rows.map(([sql]) => `${sql};\n`).join('\n');
    } finally {
      await catalogue.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

const schema = await dump();
if (process.argv.includes('--check')) {
  const written = await readFile(TARGET, 'utf8').catch(() => '');
  if (written !== schema) {
    console.error(
      'docs/schema.sql is not the schema of a migrated database: run node scripts/dump-schema.ts',
    );
    process.exitCode = 1;
  }
} else {
  await writeFile(TARGET, schema);
}
