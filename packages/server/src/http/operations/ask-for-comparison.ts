/** Asking for a comparison of two editions, which anybody may do: few wait, and one that fails is left alone for a while. */
import { sharedNow } from '@citymodel/base';
import type { JobProgress, JobStore, NewJob } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';

/** Comparisons that may wait, of all that anybody asked for. */
export const MAX_WAITING = 50;
/** A comparison that failed is not begun again for so long, ms. */
const FAILED_FOR = 3_600_000;

/**
 * Notes the job unless it waits or runs already, and tells how far it has come; null where nothing tells. Throws
 * ServiceError 503 when it has failed within the hour, or when too many wait.
 */
export async function askForComparison(jobs: JobStore, job: NewJob): Promise<JobProgress | null> {
  const [failed, counts] = await Promise.all([
    jobs.list({ kinds: [job.kind], states: ['dead'] }, { limit: MAX_WAITING, offset: 0 }),
    jobs.counts({ kinds: [job.kind] }),
  ]);
  const now = sharedNow();
  const dead = failed.find(
    ({ unique, finishedAt }) => unique === job.unique && now - (finishedAt ?? 0) < FAILED_FOR,
  );
  if (dead !== undefined) {
    // The reason may tell of the machine, and is for the operator.
    throw new ServiceError(503, 'unavailable', {
      reason: 'Comparing these editions has failed; `citymodel jobs` tells the operator why.',
      retryAfter: FAILED_FOR / 1_000,
    });
  }
  const waiting = counts.queued + counts.running + counts.failed;
  if (waiting >= MAX_WAITING) {
    const open = await jobs.list(
      { kinds: [job.kind], states: ['queued', 'running', 'failed'] },
      { limit: 2 * MAX_WAITING, offset: 0 },
    );
    const own = open.find(({ unique }) => unique === job.unique);
    if (own !== undefined) return own.progress;
    throw new ServiceError(503, 'unavailable', {
      reason: `${waiting} comparisons wait already; ask again later.`,
      retryAfter: 60,
    });
  }
  const [noted] = await jobs.enqueue([job], now);
  return noted?.progress ?? null;
}
