/** Where a worker gets its jobs from. */

import { sharedNow } from '@citymodel/base';
import type { JobStore } from '@citymodel/store';
import { isDeadWorker } from '../base/worker-name.ts';
import type { JobWork } from './job-work.ts';

/** Hands jobs to a `JobWork` until it is stopped. */
export interface JobFeed {
  start(): Promise<void>;
  /** There may be a job now; for feeds that nobody else tells. */
  wake(): void;
  /** Takes no more jobs, and resolves when no claim is under way; those that run go on. */
  stop(): Promise<void>;
  /** Gives back what the feed uses, when nothing runs any more. */
  close(): Promise<void>;
}

export interface JobFeedOptions {
  jobs: JobStore;
  work: JobWork;
  /** Name of the worker, see `workerName`. */
  worker: string;
  leaseMs: number;
  pollMs: number;
  /** Whether a process of this host exists. */
  pidIsAlive(pid: number): boolean;
  /** Called with faults that are no job's: a database that is away. */
  onError(error: unknown): void;
}

/** Takes jobs back from workers that died; see `JobStore.recover`. */
export async function recoverJobs({
  jobs,
  pidIsAlive,
}: Pick<JobFeedOptions, 'jobs' | 'pidIsAlive'>): Promise<void> {
  const dead = (await jobs.holders()).filter((holder) => isDeadWorker(holder, pidIsAlive));
  await jobs.recover({ now: sharedNow(), dead });
}

/** Jobs that are looked at to see whether one waits. */
const LOOK_AT = 100;

/** Whether a job of the kinds could begin now. */
export async function hasWaitingJobs(
  jobs: JobStore,
  kinds: readonly string[],
  now: number,
): Promise<boolean> {
  const rows = await jobs.list({ states: ['queued', 'failed'], kinds }, { limit: LOOK_AT, offset: 0 });
  return rows.some(({ availableAt }) => availableAt <= now);
}
