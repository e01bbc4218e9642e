import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '../object-store.ts';
import { claimObjects, ForeignObjects, ownerOf } from '../store-owner.ts';
import type { BackupSource } from './back-up.ts';
import {
  BackupDamaged,
  type BackupDescription,
  backupIdOf,
  backupIds,
  type KeptObject,
  keyOfObjects,
  keyOfRows,
  ownerOfPlace,
  readDescription,
} from './backup-format.ts';
import { fetchFile } from './checked-copy.ts';
import { readObjectList } from './object-list.ts';
import { type RestoredObjects, restoreObjects } from './restore-objects.ts';
import { assertEmpty, restoreRows } from './restore-rows.ts';

export interface RestoreOptions {
  /** Local directory for unfinished work. */
  stagingDir: string;
  /** The newest backup of this time or before it; the newest of all where it is left out. */
  to?: Date;
  /** Take over objects that belong to another database. */
  adopt?: boolean;
  /** Go on although the backup lacks objects. */
  partial?: boolean;
  signal?: AbortSignal;
  onProgress?(done: number, total: number): void;
}

export interface RestoreReport {
  backup: BackupDescription;
  objects: RestoredObjects;
  /** Rows of packs and jobs that had ended. */
  leftOut: number;
  /** Of the restored database: that of the old one where its objects are, else a new one. */
  identity: string;
}

/** The backup that a time asks for. Throws BackupDamaged when there is none. */
export async function findBackup(place: ObjectStore, to?: Date): Promise<BackupDescription> {
  if ((await ownerOfPlace(place)) === null) throw new BackupDamaged('there are no backups in this place');
  const ids = await backupIds(place);
  const id = ids.findLast((backup) => to === undefined || backup <= backupIdOf(to));
  if (id !== undefined) return readDescription(place, id);
  const first = ids[0] === undefined ? null : await readDescription(place, ids[0]);
  throw new BackupDamaged(
    first === null
      ? 'no backup was finished in this place'
      : `no backup is so old; the first one is of ${first.cutAt}`,
  );
}

/** Objects of a program of before there were owners have no owner, and are somebody's. Throws ForeignObjects. */
async function assertNobodys(objects: ObjectStore, wanted: readonly KeptObject[]): Promise<void> {
  const ours = new Set(wanted.map(({ key }) => key));
  for await (const { key } of objects.list('archives/')) {
    if (!ours.has(key)) throw new ForeignObjects(`there are others than those of the backup, such as ${key}`);
  }
}

/**
 * Brings a backup into an empty database and a store of objects, which may be the one that was backed up. Objects come
 * before the rows that name them; killed at any moment, it may be run again. Over the objects of the old database the
 * restored one goes on as that; over others it is a new one, so that two of them never delete objects of each other.
 *
 * Throws BackupDamaged, DatabaseInUse, ForeignObjects, StoreUnavailable, and the reason of the signal.
 */
export async function restore(
  place: ObjectStore,
  to: BackupSource,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { adopt = false, partial = false, stagingDir } = options;
  const backup = await findBackup(place, options.to);
  await assertEmpty(to.database);
  const owner = adopt ? null : await ownerOf(to.objects);
  if (owner !== null && owner !== backup.database) {
    throw new ForeignObjects(`they belong to ${owner}, the backup is of ${backup.database}`);
  }
  const identity = owner ?? randomUUID();
  const directory = join(stagingDir, randomUUID());
  await mkdir(directory, { recursive: true });
  try {
    const list = join(directory, 'objects');
    const dump = join(directory, 'rows');
    await fetchFile({ store: place, key: keyOfObjects(backup.id) }, list, backup.objects);
    await fetchFile({ store: place, key: keyOfRows(backup.id) }, dump, backup.rows);
    const wanted = await readObjectList(list);
    if (owner === null && !adopt) await assertNobodys(to.objects, wanted);
    const objects = await restoreObjects(place, to.objects, wanted, options);
    const [first] = objects.faults;
    if (first !== undefined && !partial) {
      throw new BackupDamaged(
        `${objects.faults.length} objects cannot be restored, such as ${first.key}: ${first.fault}. ` +
          '--partial restores everything else',
      );
    }
    const { leftOut } = await restoreRows(to.database, backup, dump, identity);
    await claimObjects(to, { adopt: adopt || owner === null });
    return { backup, objects, leftOut, identity };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
