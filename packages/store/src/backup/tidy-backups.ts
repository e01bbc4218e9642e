/** Deletes old backups, and compares all that others have. */

import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ObjectMissing, type ObjectStore } from '../object-store.ts';
import {
  type BackupDescription,
  type BackupFault,
  backupIds,
  dataIn,
  deleteDescription,
  keyOfData,
  keyOfObjects,
  keyOfRows,
  readDescription,
  unfinishedFiles,
} from './backup-format.ts';
import { factsOf, fetchFile } from './checked-copy.ts';
import { readObjectList } from './object-list.ts';

/** What the backups of a place refer to: bytes of objects, and the files beside descriptions. */
async function referredTo(place: ObjectStore, stagingDir: string) {
  const directory = join(stagingDir, randomUUID());
  await mkdir(directory, { recursive: true });
  const data = new Map<string, number>();
  const backups: BackupDescription[] = [];
  try {
    for (const id of await backupIds(place)) {
      const backup = await readDescription(place, id);
      const path = join(directory, id);
      await fetchFile({ store: place, key: keyOfObjects(id) }, path, backup.objects);
      for (const { sha256, size } of await readObjectList(path)) data.set(sha256, size);
      backups.push(backup);
    }
    return { data, backups };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Deletes backups from before a time, but never the newest, and bytes that no other backup has. No backup may run
 * meanwhile. A program that is killed leaves bytes that nobody needs, which the next one deletes. Nothing is deleted
 * when a backup that stays is damaged. Throws BackupDamaged, StoreUnavailable.
 */
export async function deleteOldBackups(
  place: ObjectStore,
  before: Date,
  stagingDir: string,
): Promise<{ backups: number; objects: number }> {
  const { backups } = await referredTo(place, stagingDir);
  const old = backups.slice(0, -1).filter(({ cutAt }) => Date.parse(cutAt) < before.getTime());
  // First it is no backup any more.
  for (const { id } of old) await deleteDescription(place, id);
  const { data } = await referredTo(place, stagingDir);
  const there = await dataIn(place);
  const unwanted = [...there.keys()].filter((sha256) => !data.has(sha256));
  await place.deleteMany(unwanted.map(keyOfData));
  await place.deleteMany(await unfinishedFiles(place));
  return { backups: old.length, objects: unwanted.length };
}

export interface VerifyReport {
  backups: number;
  objects: number;
  bytes: number;
  faults: BackupFault[];
}

/**
 * Reads everything that any backup of a place has, and compares. Throws BackupDamaged for a list or a description,
 * StoreUnavailable.
 */
export async function verifyBackups(
  place: ObjectStore,
  { stagingDir, onProgress }: { stagingDir: string; onProgress?(done: number, total: number): void },
): Promise<VerifyReport> {
  const { data, backups } = await referredTo(place, stagingDir);
  const files = [
    ...backups.map(({ id, rows }) => ({ key: keyOfRows(id), ...rows })),
    ...[...data].map(([sha256, size]) => ({ key: keyOfData(sha256), sha256, size })),
  ];
  const report: VerifyReport = { backups: backups.length, objects: data.size, bytes: 0, faults: [] };
  for (const [i, { key, sha256, size }] of files.entries()) {
    onProgress?.(i, files.length);
    report.bytes += size;
    try {
      const facts = await factsOf({ store: place, key });
      if (facts.sha256 !== sha256) report.faults.push({ key, fault: `it has the SHA-256 ${facts.sha256}` });
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      report.faults.push({ key, fault: 'it is missing' });
    }
  }
  return report;
}
