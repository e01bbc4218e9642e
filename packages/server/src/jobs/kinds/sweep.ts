/** The kind `sweep`: deletes what is over, of packages, packs, uploads and jobs. */

import { sharedNow } from '@citymodel/base';
import { intentIsAlive, type NewJob, retiredBefore, type SweepReport, sweep } from '@citymodel/store';
import { sweepPacks } from '../../pack/pack-retention.ts';
import type { JobKind, JobStores } from '../job-kind.ts';
import { sweepJobs } from '../job-retention.ts';
import { mendPacks } from './pack.ts';

/** Times of what is deleted, seconds; as the settings have them. */
export interface SweepTimes {
  RETIRED_GRACE_S: number;
  JOB_RETENTION_S: number;
  PACK_TIMEOUT_S: number;
  PACK_RETENTION_S: number;
}

/** Seconds for which an unfinished upload is left alone after its pack should be made. */
const UPLOAD_GRACE_S = 3_600;

export const SWEEP: JobKind<null> = {
  name: 'sweep',
  atOnce: 1,
  memoryMb: 100,
  retention: { succeeded: 'forgotten' },
  readPayload: () => null,
  run: (_payload, { stores, settings }) => sweepStores(stores, settings),
};

/** A job that sweeps; an open one stands for all. */
export function sweepJob(maxAttempts: number): NewJob {
  return {
    kind: SWEEP.name,
    label: 'the stores',
    payload: null,
    maxAttempts,
    exclusive: SWEEP.name,
    unique: SWEEP.name,
    objectKey: null,
  };
}

/**
 * Forgets expired packs and ended jobs, cleans up after killed ingestions and deletes what left the catalogue long
 * enough ago. May be killed at any moment, run in several processes at once and be repeated.
 */
export async function sweepStores(stores: JobStores, times: SweepTimes): Promise<SweepReport> {
  const now = sharedNow();
  // Also where nobody works on packs: a cancelled one must not wait for ever.
  await mendPacks(stores, times);
  await sweepPacks(stores, now);
  await sweepJobs(stores, now - times.JOB_RETENTION_S * 1_000, now);
  return sweep({
    catalogue: stores.catalogue,
    objects: stores.objects,
    retiredBefore: retiredBefore(times.RETIRED_GRACE_S * 1_000, stores.objects, now),
    // Packs have no intent: what is older than the longest work on one belongs to nobody.
    uploadsBefore: now - (times.PACK_TIMEOUT_S + UPLOAD_GRACE_S) * 1_000,
    isAlive: (intent) => intentIsAlive(intent),
    keep: ({ archiveKey }) => stores.packs.refersTo(archiveKey),
  });
}
