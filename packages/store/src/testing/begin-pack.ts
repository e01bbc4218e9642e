import type { JobClaim, JobStore } from '../job-store.ts';
import { PACK_KIND, type PackRun, type PackStore } from '../pack-store.ts';

/** A pack that is being worked on, and the job that it is done for. */
export interface BegunPack {
  job: JobClaim;
  run: PackRun;
}

/** Takes the next job that makes a pack, as a worker does; null when none waits. */
export function claimPackJob(jobs: JobStore, now: number, worker = 'w'): Promise<JobClaim | null> {
  return jobs.claim({ worker, now, leaseUntil: now + 100, kinds: [PACK_KIND] });
}

/** Takes it and begins. Throws when none waits, or it cannot begin. */
export async function beginPack(
  { packs, jobs }: { packs: PackStore; jobs: JobStore },
  now: number,
  worker?: string,
): Promise<BegunPack> {
  const job = await claimPackJob(jobs, now, worker);
  if (job === null) throw new Error('no job of a pack waits');
  const run = await packs.begin((job.payload as { pack: string }).pack, job, now);
  if (run === null) throw new Error('the pack cannot be begun');
  return { job, run };
}
