/** Brings objects back out of a backup. */
import { ConcurrencyLimit } from '@citymodel/base';
import { ObjectMissing, type ObjectStore } from '../object-store.ts';
import { type BackupFault, type KeptObject, keyOfData } from './backup-format.ts';
import { copyChecked, factsOf, OtherBytes } from './checked-copy.ts';

/** Objects that are copied at the same time. */
const OBJECTS_AT_ONCE = 4;

export interface RestoredObjects {
  copied: number;
  copiedBytes: number;
  /** They were there, with these bytes. */
  same: number;
  /** Objects that the backup has not, or not right. */
  faults: BackupFault[];
}

/**
 * Puts each object to where it was, unless it is there with the same bytes, which is found by reading it. May be
 * repeated after an interruption. Throws StoreUnavailable, and the reason of the signal.
 */
export async function restoreObjects(
  place: ObjectStore,
  objects: ObjectStore,
  wanted: readonly KeptObject[],
  { signal, onProgress }: { signal?: AbortSignal; onProgress?(done: number, total: number): void } = {},
): Promise<RestoredObjects> {
  const report: RestoredObjects = { copied: 0, copiedBytes: 0, same: 0, faults: [] };
  const limit = new ConcurrencyLimit(OBJECTS_AT_ONCE);
  let done = 0;
  let failed = false;
  const restore = async ({ key, size, sha256 }: KeptObject) => {
    if (failed) return;
    try {
      signal?.throwIfAborted();
      const there = await objects.head(key);
      if (there?.size === size && (await factsOf({ store: objects, key })).sha256 === sha256) {
        report.same++;
        return;
      }
      await copyChecked({ store: place, key: keyOfData(sha256) }, { store: objects, key }, sha256);
      report.copied++;
      report.copiedBytes += size;
    } catch (error) {
      if (error instanceof ObjectMissing || error instanceof OtherBytes) {
        report.faults.push({ key, fault: `the backup has not its bytes: ${error.message}` });
        return;
      }
      failed = true;
      throw error;
    } finally {
      onProgress?.(++done, wanted.length);
    }
  };
  const ends = await Promise.allSettled(wanted.map((object) => limit.run(() => restore(object))));
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return report;
}
