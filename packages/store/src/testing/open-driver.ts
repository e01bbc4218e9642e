import { PostgresDriver } from '../postgres/postgres-driver.ts';
import type { SqlDriver } from '../sql/driver.ts';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import { SqliteThread } from '../sqlite/sqlite-thread.ts';

/** Every driver, by the name that tests show; each opens what its kind of address names: a path, or a URL. */
export const DRIVERS: Record<string, { open(address: string): Promise<SqlDriver> }> = {
  SQLite: SqliteDriver,
  'SQLite in threads': SqliteThread,
  PostgreSQL: PostgresDriver,
};

/** For programs that tests start: opens the database of an address by the driver of a name. */
export function openDriver(name: string, address: string): Promise<SqlDriver> {
  return DRIVERS[name]!.open(address);
}
