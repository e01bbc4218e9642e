import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogueStore, StoreUnavailable } from './catalogue-store.ts';
import { DirectoryStore } from './directory/directory-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { PackStore } from './pack-store.ts';
import { SqlCatalogueStore } from './sql/sql-catalogue-store.ts';
import { SqlPackStore } from './sql/sql-pack-store.ts';
import { SqliteThread } from './sqlite/sqlite-thread.ts';

export interface StoreSettings {
  /** Directory of the embedded store; made when it is not there. */
  dataDir: string;
  /** `DATABASE_URL`: empty for SQLite in the data directory. */
  databaseUrl: string;
  /** `OBJECT_STORE`: empty for a directory in the data directory, else the path of a directory. */
  objectStore: string;
}

export interface Stores {
  catalogue: CatalogueStore;
  /** In the database of the catalogue, and closed with it. */
  packs: PackStore;
  objects: ObjectStore;
  close(): Promise<void>;
}

/**
 * Opens the stores that the settings name and brings the database's schema up to date. Throws a RangeError for a
 * setting that names what is not there, StoreUnavailable for a store that cannot answer.
 */
export async function openStores(settings: StoreSettings): Promise<Stores> {
  const databasePath = sqlitePath(settings);
  const objectDirectory = objectPath(settings);
  try {
    await mkdir(settings.dataDir, { recursive: true });
  } catch (error) {
    throw new StoreUnavailable(`the directory ${settings.dataDir} (DATA_DIR) cannot be made`, {
      cause: error,
    });
  }
  const objects = await DirectoryStore.open(objectDirectory);
  const driver = await SqliteThread.open(databasePath);
  const catalogue = new SqlCatalogueStore(driver);
  const close = async () => {
    await catalogue.close();
    await objects.close();
  };
  try {
    await catalogue.migrate();
  } catch (error) {
    await close();
    throw error;
  }
  return { catalogue, packs: new SqlPackStore(driver), objects, close };
}

function sqlitePath({ dataDir, databaseUrl }: StoreSettings): string {
  if (databaseUrl === '') return join(dataDir, 'catalogue.sqlite');
  const scheme = schemeOf(databaseUrl);
  // `sqlite:a/b` is relative to the working directory, `sqlite:/a/b` and `sqlite:///a/b` are absolute.
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/i.exec(databaseUrl)?.[1];
  if (path !== undefined) return path;
  throw new RangeError(
    scheme === 'postgres' || scheme === 'postgresql'
      ? 'DATABASE_URL names a PostgreSQL database, which is not available yet; leave it empty for SQLite in DATA_DIR'
      : 'DATABASE_URL is neither empty nor sqlite:{path}; leave it empty for SQLite in DATA_DIR',
  );
}

function objectPath({ dataDir, objectStore }: StoreSettings): string {
  if (objectStore === '') return join(dataDir, 'store');
  const scheme = schemeOf(objectStore);
  if (scheme === null) return objectStore;
  throw new RangeError(
    scheme === 's3'
      ? 'OBJECT_STORE names an S3 bucket, which is not available yet; leave it empty for a directory in DATA_DIR'
      : `OBJECT_STORE begins with ${scheme}:, which is not known; it is the path of a directory, or empty`,
  );
}

/** The scheme of a URL in lower case; null for a path, also one with a drive letter. */
function schemeOf(value: string): string | null {
  return /^([a-z][a-z0-9+.-]+):/i.exec(value)?.[1]?.toLowerCase() ?? null;
}
