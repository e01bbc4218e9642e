/** What tests of other packages need of @citymodel/store; not published. */

// Inner parts that tests of other packages look at.
export { BlockMemory } from '../cache/block-memory.ts';
export { CachedStore, type TaggedStore } from '../cache/cached-store.ts';
export { DiskCache } from '../cache/disk-cache.ts';
export type { CatalogueChanges } from '../catalogue-store.ts';
export { listedFile } from '../file-extras.ts';
export type { JobReceiverOptions } from '../job-messages.ts';
export type { OpenHint } from '../object-store.ts';
export { PostgresDriver } from '../postgres/postgres-driver.ts';
export { S3Store } from '../s3/s3-store.ts';
export { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
export { SqlComparisonStore } from '../sql/sql-comparison-store.ts';
export { SqlJobStore } from '../sql/sql-job-store.ts';
export { SqlPackStore } from '../sql/sql-pack-store.ts';
export { SqliteDriver } from '../sqlite/sqlite-driver.ts';
export { OWNER_KEY } from '../store-owner.ts';
// Helpers.
export { beginPack, claimPackJob } from './begin-pack.ts';
export { FakeS3 } from './fake-s3.ts';
export { allPackages, packageOf, publish } from './fixtures.ts';
export { FlippingStore } from './flipping-store.ts';
export { MemoryStore } from './memory-store.ts';
export { chunks } from './object-store-conformance.ts';
export { withPostgres } from './postgres.ts';
export { PostgresServer } from './postgres-server.ts';
export { Rounds } from './rounds.ts';
