/** Where a server keeps things: rows in SQLite or PostgreSQL, objects in directories or S3. */

// Keys of archives.
export {
  archiveKeys,
  hasSums,
  objectKeysOf,
  PICTURE_PREFIX,
  pictureKey,
  TABLE_PREFIX,
  tableKey,
} from './archive-keys.ts';
// Objects, and archives among them.
export { Archives, type ArchivesOptions, type OpenArchive } from './archives.ts';
// Who owns objects, and removing what nobody needs.
export { backUp } from './backup/back-up.ts';
export {
  BackupDamaged,
  type BackupFault,
  backupIds,
  ForeignBackups,
  readDescription,
} from './backup/backup-format.ts';
export { OtherBytes } from './backup/checked-copy.ts';
export { restore } from './backup/restore.ts';
export { DatabaseInUse } from './backup/restore-rows.ts';
export { BackupRunning } from './backup/sweep-hold.ts';
export { verifyBackups } from './backup/tidy-backups.ts';
// The catalogue.
export {
  CatalogueConflict,
  type CatalogueState,
  type CatalogueStore,
  type DatedState,
  type FindingQuery,
  type GmlFileQuery,
  type InspectedPackage,
  type NewTable,
  type PackageChange,
  StoreUnavailable,
} from './catalogue-store.ts';
// What two editions differ in.
export type {
  Comparison,
  ComparisonKey,
  ComparisonStore,
  DifferenceKind,
  DifferenceQuery,
  DifferenceRow,
} from './comparison-store.ts';
export { filesOfAnyState } from './files-of-any-state.ts';
// Jobs and packs.
export type { JobMessageQueue, JobReceiver } from './job-messages.ts';
export {
  JOB_STATES,
  type JobClaim,
  type JobFilter,
  type JobProgress,
  type JobRow,
  type JobState,
  type JobStore,
  type NewJob,
} from './job-store.ts';
// Moving everything from one place to another.
export { CopyDiffers } from './move/copy-object.ts';
export { MoveJournal } from './move/move-journal.ts';
export { type MoveProgress, type MoveReport, moveStores, TargetInUse } from './move/move-stores.ts';
export { type ObjectHandle, ObjectMissing, type ObjectStore } from './object-store.ts';
// Opening what the settings name.
export {
  checkBucket,
  isRemoteStore,
  openObjectStore,
  openStores,
  remotePlace,
  type StoreSettings,
  type Stores,
} from './open-stores.ts';
export {
  PACK_KIND,
  type PackResult,
  type PackRow,
  type PackRun,
  type PackSource,
  type PackStatus,
  type PackStore,
  packSumsKey,
} from './pack-store.ts';
export { pidIsAlive } from './pid-is-alive.ts';
export type {
  BoundingVolume,
  DatasetSub,
  DatasetSummary,
  FindingRow,
  GmlFileRow,
  ListedFileRow,
  MeasuredFileRow,
  MetadataDirectory,
  PackageKind,
  PackagePicture,
  PackagePictures,
  PackageQuality,
  PackageRow,
  PackageState,
  PackageTable,
  PlacedFileRow,
  PlaceRow,
} from './rows.ts';
// Buckets.
export { parseS3Address, type S3Address } from './s3/s3-address.ts';
export { type BackupNote, newestBackup, noteBackup } from './sql/backup-notes.ts';
export type { SqlDriver } from './sql/driver.ts';
export { sweepStaging } from './staging-sweep.ts';
export type { DatabaseFigures, ObjectStoreFigures } from './store-figures.ts';
export { claimObjects, ForeignObjects, OwnedObjects } from './store-owner.ts';
export { intentIsAlive, retiredBefore, type SweepReport, sweep } from './sweep.ts';
export { watchedObjects } from './watched-objects.ts';
