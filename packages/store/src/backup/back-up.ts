import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConcurrencyLimit } from '@citymodel/base';
import type { CatalogueStore } from '../catalogue-store.ts';
import type { ObjectInfo, ObjectStore } from '../object-store.ts';
import type { SqlDriver, SqlReader } from '../sql/driver.ts';
import { OWNER_KEY } from '../store-owner.ts';
import {
  BackupDamaged,
  type BackupDescription,
  backupIdOf,
  backupIds,
  claimPlace,
  dataIn,
  FORMAT,
  type KeptObject,
  keyOfObjects,
  keyOfRows,
  readDescription,
  type TableFacts,
  writeDescription,
} from './backup-format.ts';
import { fetchFile, putFile } from './checked-copy.ts';
import { type Kept, ObjectKeeper } from './object-keeper.ts';
import { readObjectList, writeObjectList } from './object-list.ts';
import { dumpRows } from './row-dump.ts';
import { SweepHold } from './sweep-hold.ts';
import { deleteOldBackups } from './tidy-backups.ts';
import { type WantedObject, wantedObjects } from './wanted-objects.ts';

/** Objects that are copied at the same time. */
const OBJECTS_AT_ONCE = 4;
/** How often a cut is tried when objects of it are deleted while it is made. */
const CUTS = 20;

export interface BackupSource {
  database: SqlDriver;
  catalogue: CatalogueStore;
  objects: ObjectStore;
}

export interface BackupOptions {
  /** Version of the program that makes the backup. */
  program: string;
  /** Local directory for unfinished work. */
  stagingDir: string;
  /** Delete backups from before this time, but never the newest. */
  deleteBefore?: Date;
  signal?: AbortSignal;
  onProgress?(done: number, total: number): void;
}

export interface BackupReport {
  backup: BackupDescription;
  /** Objects whose bytes were copied this time, and these bytes. */
  copied: number;
  copiedBytes: number;
  /** Old backups, and bytes that only they had. */
  deleted: { backups: number; objects: number };
}

/**
 * Makes a backup of one state of the database and of all objects that it refers to, while servers, ingestions and
 * sweeps go on. Copies only bytes that the place has not, and compares each copy.
 *
 *   hold the objects of all rows ─▶ rows of one state into a file ─▶ copy new objects ─▶ both lists
 *     ─▶ description: the backup is there
 *
 * A package whose object is missing or damaged is a fault of the description; the rest is backed up. Throws
 * ForeignBackups, BackupRunning, BackupDamaged, StoreUnavailable, and the reason of the signal.
 */
export async function backUp(
  source: BackupSource,
  place: ObjectStore,
  options: BackupOptions,
): Promise<BackupReport> {
  const database = await source.catalogue.identity();
  await claimPlace(place, database);
  await using hold = await SweepHold.begin(source.catalogue, options.stagingDir);
  await mkdir(hold.directory, { recursive: true });
  try {
    const rows = join(hold.directory, 'rows');
    const cut = await cutOf(source, hold, rows);
    options.signal?.throwIfAborted();
    const { objects, unreferred, ...outcome } = await keepObjects(
      source,
      place,
      cut.wanted,
      options,
      hold.directory,
    );
    const list = join(hold.directory, 'objects');
    await writeObjectList(list, objects);
    const id = backupIdOf(cut.at);
    const backup: BackupDescription = {
      format: FORMAT,
      id,
      cutAt: cut.at.toISOString(),
      program: options.program,
      database,
      catalogueVersion: cut.catalogueVersion,
      lastPackageNo: cut.lastPackageNo,
      tables: cut.tables,
      rows: await putFile(rows, { store: place, key: keyOfRows(id) }),
      objects: await putFile(list, { store: place, key: keyOfObjects(id) }),
      objectCount: objects.length,
      objectBytes: objects.reduce((sum, { size }) => sum + size, 0),
      faults: outcome.faults,
      ended: outcome.ended,
      unreferred,
    };
    await writeDescription(place, backup);
    // As long as no other backup may run: it would lose what it has copied.
    const deleted =
      options.deleteBefore === undefined
        ? { backups: 0, objects: 0 }
        : await deleteOldBackups(place, options.deleteBefore, hold.directory);
    return { backup, copied: outcome.copied, copiedBytes: outcome.copiedBytes, deleted };
  } finally {
    await rm(hold.directory, { recursive: true, force: true });
  }
}

interface Cut {
  at: Date;
  catalogueVersion: number;
  lastPackageNo: number;
  wanted: WantedObject[];
  tables: Record<string, TableFacts>;
}

/** Writes the rows of one state, all of whose objects of packages are held, into a file. */
async function cutOf({ database }: BackupSource, hold: SweepHold, path: string): Promise<Cut> {
  const held = new Set<string>();
  const cover = async (wanted: readonly WantedObject[]) => {
    const keys = wanted.filter(({ passes, key }) => !passes && !held.has(key)).map(({ key }) => key);
    if (keys.length > 0 && !(await hold.cover(keys))) return false;
    for (const key of keys) held.add(key);
    return true;
  };
  for (let tries = 0; tries < CUTS; tries++) {
    // Most of them before the state is taken, which then is refused only for what is published in a moment.
    if (!(await cover(await wantedObjects(database)))) continue;
    const cut = await database.snapshot(async (snapshot): Promise<Cut | null> => {
      const at = new Date();
      const wanted = await wantedObjects(snapshot);
      const late = wanted.filter(({ passes, key }) => !passes && !held.has(key));
      if (!(await cover(late)) || !(await areReferredTo(database, late))) return null;
      const [row] = await snapshot.all('SELECT version, last_package_no FROM catalogue_version');
      const [catalogueVersion, lastPackageNo] = row as [number, number];
      return { at, catalogueVersion, lastPackageNo, wanted, tables: await dumpRows(snapshot, path) };
    });
    if (cut !== null) return cut;
  }
  throw new Error(
    'objects are deleted as fast as their packages are noted; stop removing packages and try again',
  );
}

/** What rows refer to once it is held is not deleted any more. */
async function areReferredTo(reader: SqlReader, objects: readonly WantedObject[]): Promise<boolean> {
  if (objects.length === 0) return true;
  const now = new Set((await wantedObjects(reader)).map(({ key }) => key));
  return objects.every(({ key }) => now.has(key));
}

async function keepObjects(
  { objects }: BackupSource,
  place: ObjectStore,
  wanted: readonly WantedObject[],
  { signal, onProgress }: BackupOptions,
  directory: string,
) {
  const listed = new Map<string, ObjectInfo>();
  for await (const info of objects.list('')) listed.set(info.key, info);
  const keeper = new ObjectKeeper({
    objects,
    place,
    there: await dataIn(place),
    before: await objectsBefore(place, directory),
  });
  const limit = new ConcurrencyLimit(OBJECTS_AT_ONCE);
  let done = 0;
  let failed = false;
  const ends = await Promise.allSettled(
    wanted.map((object) =>
      limit.run(async (): Promise<Kept | null> => {
        if (failed) return null;
        try {
          signal?.throwIfAborted();
          return await keeper.keep(object, listed.get(object.key));
        } catch (error) {
          failed = true;
          throw error;
        } finally {
          onProgress?.(++done, wanted.length);
        }
      }),
    ),
  );
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  const kept: KeptObject[] = [];
  const outcome = {
    faults: [] as BackupDescription['faults'],
    ended: [] as string[],
    copied: 0,
    copiedBytes: 0,
  };
  for (const [i, end] of ends.entries()) {
    const { key, passes } = wanted[i]!;
    const what = (end as PromiseFulfilledResult<Kept>).value;
    if ('object' in what) {
      kept.push(what.object);
      if (!what.copied) continue;
      outcome.copied++;
      outcome.copiedBytes += what.object.size;
    } else if (what.isGone && passes) outcome.ended.push(key);
    else outcome.faults.push({ key, fault: what.fault });
  }
  const known = new Set([OWNER_KEY, ...wanted.map(({ key }) => key)]);
  const unreferred = [...listed.keys()].filter((key) => !known.has(key)).length;
  return { objects: kept, unreferred, ...outcome };
}

/** The objects of the newest backup by key; a damaged list only means that more is read. */
async function objectsBefore(place: ObjectStore, directory: string): Promise<Map<string, KeptObject>> {
  const id = (await backupIds(place)).at(-1);
  if (id === undefined) return new Map();
  const path = join(directory, 'before');
  try {
    const { objects } = await readDescription(place, id);
    await fetchFile({ store: place, key: keyOfObjects(id) }, path, objects);
    return new Map((await readObjectList(path)).map((object) => [object.key, object]));
  } catch (error) {
    if (error instanceof BackupDamaged) return new Map();
    throw error;
  }
}
