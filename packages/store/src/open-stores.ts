import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAzureAddress } from './azure/azure-address.ts';
import type { TaggedStore } from './cache/cached-store.ts';
import { type CatalogueStore, StoreUnavailable } from './catalogue-store.ts';
import type { ComparisonStore } from './comparison-store.ts';
import { DirectoryStore } from './directory/directory-store.ts';
import type { JobMessageQueue } from './job-messages.ts';
import type { JobStore } from './job-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { PackStore } from './pack-store.ts';
import type { PostgresOptions } from './postgres/postgres-driver.ts';
import type { BucketFinding } from './s3/check-bucket.ts';
import { parseS3Address } from './s3/s3-address.ts';
import type { SqlDriver } from './sql/driver.ts';
import type { JobMessages } from './sql/job-queue.ts';
import { SqlCatalogueStore } from './sql/sql-catalogue-store.ts';
import { SqlComparisonStore } from './sql/sql-comparison-store.ts';
import { SqlJobStore } from './sql/sql-job-store.ts';
import { SqlPackStore } from './sql/sql-pack-store.ts';
import { SqliteDriver } from './sqlite/sqlite-driver.ts';
import { SqliteThread } from './sqlite/sqlite-thread.ts';

export interface StoreSettings {
  /** Directory of the embedded store; made when it is not there. */
  dataDir: string;
  /** `DATABASE_URL`: empty for SQLite in the data directory. */
  databaseUrl: string;
  /**
   * How connections to PostgreSQL are used (`DATABASE_POOL` and so on); the driver's own ways where nothing is said.
   */
  postgres?: PostgresOptions;
  /**
   * `OBJECT_STORE`: empty for a directory in the data directory, else the path of a directory, `s3://bucket/prefix` or
   * `az://container/prefix`.
   */
  objectStore: string;
  /** What is kept here of a remote object store; nothing where it is left out. */
  cache?: CacheSettings;
  /** Make spans of what the stores do. */
  isTraced?: boolean;
  /**
   * SQLite works in threads of its own, for a program that answers others meanwhile. Starting them takes longer than
   * all that a short command asks for.
   */
  inThreads?: boolean;
}

export interface CacheSettings {
  directory: string;
  /** Of the directory; 0 means that it is not used. */
  diskBytes: number;
  memoryBytes: number;
}

export interface Stores {
  /** What the stores of rows are over, for copying all of them. */
  database: SqlDriver;
  catalogue: CatalogueStore;
  /** In the database of the catalogue, and closed with it. */
  packs: PackStore;
  /** In the same database. */
  jobs: JobStore;
  /** In the same database. */
  comparisons: ComparisonStore;
  /** Tells workers of jobs; null where they have to look. */
  jobMessages: JobMessageQueue | null;
  objects: ObjectStore;
  close(): Promise<void>;
}

/** Prepares opening what a setting names. Throws a RangeError when it names nothing that can be. */
type Opener<T> = (settings: StoreSettings) => (() => Promise<T>) | Promise<() => Promise<T>>;

/** Who opens DATABASE_URL, by its scheme; the empty scheme is that of an empty setting. */
const DATABASES: ReadonlyMap<string, Opener<SqlDriver>> = new Map<string, Opener<SqlDriver>>([
  ['', ({ dataDir, inThreads }) => sqlite(join(dataDir, 'catalogue.sqlite'), inThreads)],
  // `sqlite:a/b` is relative to the working directory, `sqlite:/a/b` and `sqlite:///a/b` are absolute.
  [
    'sqlite',
    ({ databaseUrl, inThreads }) => sqlite(databaseUrl.replace(/^sqlite:(?:\/\/(?=\/))?/i, ''), inThreads),
  ],
  ['postgres', postgres],
  ['postgresql', postgres],
]);

/** Who opens OBJECT_STORE, by its scheme; the empty scheme is that of paths, and of an empty setting. */
const OBJECT_STORES: ReadonlyMap<string, Opener<ObjectStore>> = new Map<string, Opener<ObjectStore>>([
  ['', ({ dataDir, objectStore }) => directory(objectStore === '' ? join(dataDir, 'store') : objectStore)],
  ['s3', remote(s3)],
  ['az', remote(azure)],
]);

/**
 * Opens the stores that the settings name and brings the database's schema up to date. Throws a RangeError for a
 * setting that names what is not there, StoreUnavailable for a store that cannot answer.
 */
export async function openStores(settings: StoreSettings): Promise<Stores> {
  const openDatabase = await databaseOpener(settings.databaseUrl)(settings);
  const openObjects = await objectOpener(settings.objectStore)(settings);
  try {
    // At once: the threads of the database begin before a server reads its modules, which holds up whatever waits for
    // the disk.
    mkdirSync(settings.dataDir, { recursive: true });
  } catch (error) {
    throw new StoreUnavailable(`the directory ${settings.dataDir} (DATA_DIR) cannot be made`, {
      cause: error,
    });
  }
  const opening = openDatabase();
  // Whether the database opens is asked after the objects.
  opening.catch(() => {});
  const plainObjects = await openObjects().catch(async (error) => {
    const driver = await opening.catch(() => null);
    await driver?.close();
    throw error;
  });
  const plainDriver = await opening.catch(async (error) => {
    await plainObjects.close();
    throw error;
  });
  const { driver, objects } = await tracedWhere(settings, plainDriver, plainObjects);
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
  const messages = await messagesOf(settings.databaseUrl);
  return {
    database: driver,
    catalogue,
    packs: new SqlPackStore(driver, messages?.messages),
    jobs: new SqlJobStore(driver, messages?.messages),
    comparisons: new SqlComparisonStore(driver),
    jobMessages: messages?.queue ?? null,
    objects,
    close,
  };
}

/** The stores, with spans where they are wanted. */
async function tracedWhere(
  { isTraced = false, databaseUrl }: StoreSettings,
  driver: SqlDriver,
  objects: ObjectStore,
): Promise<{ driver: SqlDriver; objects: ObjectStore }> {
  if (!isTraced) return { driver, objects };
  const [{ TracedDriver }, { TracedObjects }] = await Promise.all([
    import('./traced/traced-driver.ts'),
    import('./traced/traced-objects.ts'),
  ]);
  const system = schemeOf(databaseUrl).startsWith('postgres') ? 'postgresql' : 'sqlite';
  return { driver: new TracedDriver(driver, system), objects: new TracedObjects(objects) };
}

/** What carries messages about jobs, for databases that can; null for SQLite. */
async function messagesOf(url: string): Promise<{ messages: JobMessages; queue: JobMessageQueue } | null> {
  if (!schemeOf(url).startsWith('postgres')) return null;
  const { PostgresMessages } = await import('./postgres/postgres-messages.ts');
  const queue: JobMessageQueue = {
    async receive(options) {
      // Loaded by workers only.
      const { GraphileQueue } = await import('./postgres/graphile-queue.ts');
      return new GraphileQueue(url).receive(options);
    },
  };
  return { messages: new PostgresMessages(), queue };
}

/** Tries what the program needs of a bucket; see `BucketFinding`. */
export async function checkBucket(
  ...args: Parameters<typeof import('./s3/check-bucket.ts').checkBucket>
): Promise<BucketFinding[]> {
  const checks = await import('./s3/check-bucket.ts');
  return checks.checkBucket(...args);
}

/** Opens the object store alone. Throws as `openStores` does. */
export async function openObjectStore(settings: StoreSettings): Promise<ObjectStore> {
  const open = await objectOpener(settings.objectStore)(settings);
  return open();
}

function sqlite(path: string, inThreads = false): () => Promise<SqlDriver> {
  if (path === '') throw noDatabase();
  return () => (inThreads ? SqliteThread : SqliteDriver).open(path);
}

async function postgres({
  databaseUrl,
  postgres: options,
}: StoreSettings): Promise<() => Promise<SqlDriver>> {
  // Loaded only where it is used: a start with SQLite need not wait for the library.
  const { PostgresDriver } = await import('./postgres/postgres-driver.ts');
  return PostgresDriver.prepare(databaseUrl, options);
}

function directory(path: string): () => Promise<ObjectStore> {
  return () => DirectoryStore.open(path);
}

/** A store over a network with what is kept of it here; `load` reads its address and loads its library. */
function remote(load: (address: string) => Promise<() => TaggedStore>): Opener<ObjectStore> {
  return async ({ objectStore, cache }) => {
    const [open, { CachedStore }, { BlockMemory }, { DiskCache }] = await Promise.all([
      load(objectStore),
      import('./cache/cached-store.ts'),
      import('./cache/block-memory.ts'),
      import('./cache/disk-cache.ts'),
    ]);
    return async () => {
      const store = open();
      if (cache === undefined) return store;
      const disk = cache.diskBytes === 0 ? null : new DiskCache(cache.directory, cache.diskBytes);
      return new CachedStore(store, new BlockMemory(cache.memoryBytes, disk));
    };
  };
}

async function s3(text: string): Promise<() => TaggedStore> {
  const address = parseS3Address(text);
  // The SDK takes a quarter of a second to load, which only those wait for who use it.
  const { S3Store } = await import('./s3/s3-store.ts');
  return () => new S3Store(address);
}

async function azure(text: string): Promise<() => TaggedStore> {
  const address = parseAzureAddress(text);
  const { AzureStore } = await import('./azure/azure-store.ts');
  return () => new AzureStore(address);
}

/**
 * Where the objects of an OBJECT_STORE lie that is reached over a network: the same `root` for the same bucket or
 * container. Null for a directory. Throws a RangeError for an address that is none.
 */
export function remotePlace(objectStore: string): { root: string; prefix: string } | null {
  switch (schemeOf(objectStore)) {
    case 's3': {
      const { endpoint, bucket, prefix } = parseS3Address(objectStore);
      return { root: `s3 ${endpoint ?? ''} ${bucket}`, prefix };
    }
    case 'az': {
      const { url, prefix } = parseAzureAddress(objectStore);
      return { root: url, prefix };
    }
    default:
      return null;
  }
}

/** Whether an OBJECT_STORE is reached over a network. */
export function isRemoteStore(objectStore: string): boolean {
  const scheme = schemeOf(objectStore);
  return scheme !== '' && OBJECT_STORES.has(scheme);
}

function databaseOpener(url: string): Opener<SqlDriver> {
  const scheme = schemeOf(url);
  const opener = DATABASES.get(scheme);
  // A text without a scheme is no URL.
  if (opener !== undefined && (scheme !== '' || url === '')) return opener;
  throw noDatabase();
}

function noDatabase(): RangeError {
  return new RangeError(
    'DATABASE_URL is neither empty nor postgres://{user}@{host}/{database} nor sqlite:{path}; leave it empty for ' +
      'SQLite in DATA_DIR',
  );
}

function objectOpener(store: string): Opener<ObjectStore> {
  const scheme = schemeOf(store);
  const opener = OBJECT_STORES.get(scheme);
  if (opener !== undefined) return opener;
  throw new RangeError(
    `OBJECT_STORE begins with ${scheme}:, which is not known; it is s3://bucket/prefix, az://container/prefix, the ` +
      `path of a directory, or empty`,
  );
}

/** The scheme of a URL in lower case; empty for a path, also one with a drive letter. */
function schemeOf(value: string): string {
  return /^([a-z][a-z0-9+.-]+):/i.exec(value)?.[1]?.toLowerCase() ?? '';
}
