import type { SqlDriver } from '../sql/driver.ts';

/**
 * Every driver, by the name that tests show; each opens what its kind of address names: a path, or a URL. Loaded when
 * it is opened, since a program that a test starts needs one of them.
 */
export const DRIVERS: Record<string, { open(address: string): Promise<SqlDriver> }> = {
  SQLite: {
    open: async (path) => (await import('../sqlite/sqlite-driver.ts')).SqliteDriver.open(path),
  },
  'SQLite in threads': {
    open: async (path) => (await import('../sqlite/sqlite-thread.ts')).SqliteThread.open(path),
  },
  PostgreSQL: {
    open: async (url) => (await import('../postgres/postgres-driver.ts')).PostgresDriver.open(url),
  },
};

/** For programs that tests start: opens the database of an address by the driver of a name. */
export function openDriver(name: string, address: string): Promise<SqlDriver> {
  return DRIVERS[name]!.open(address);
}
