/** Puts the parts of jobs together, for a process that works on them. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { sharedNow } from '@citymodel/base';
import { type JobMessageQueue, pidIsAlive } from '@citymodel/store';
import type { Logger } from 'pino';
import { Repeated } from '../base/repeated.ts';
import type { Settings } from '../base/settings.ts';
import { workerName } from '../base/worker-name.ts';
import type { JobFeed, JobFeedOptions } from '../jobs/job-feed.ts';
import type { JobContext, JobKind, JobStores } from '../jobs/job-kind.ts';
import { type JobEnd, JobWork } from '../jobs/job-work.ts';
import { sweepJob } from '../jobs/kinds/sweep.ts';
import { MessageFeed } from '../jobs/message-feed.ts';
import { TableFeed } from '../jobs/table-feed.ts';

/** How often the stores are swept, ms. */
const SWEEP_MS = 60_000;

export interface JobWorker {
  start(): Promise<void>;
  /** Looks for jobs now, where nobody tells of them. */
  wake(): void;
  /** Gives the jobs back that run, and resolves when nothing runs any more. */
  stop(): Promise<void>;
  /** Jobs that run now. */
  running(): number;
}

export interface JobWorkerOptions {
  settings: Settings;
  stores: JobStores & { jobMessages: JobMessageQueue | null };
  log: Logger;
  kinds: readonly JobKind[];
  /** Jobs that run at once. */
  concurrency: number;
  onEnd?(end: JobEnd): void;
}

/** A worker as the settings describe it; not started. */
export function createJobWorker(options: JobWorkerOptions): JobWorker {
  const { settings, stores, log, kinds, concurrency } = options;
  const stagingDir = join(resolve(settings.DATA_DIR), 'staging');
  const leaseMs = settings.JOB_LEASE_S * 1_000;
  const work = new JobWork({
    jobs: stores.jobs,
    objects: stores.objects,
    kinds,
    concurrency,
    memoryMb: settings.JOB_MEMORY_MB,
    leaseMs,
    timeoutMs: settings.JOB_TIMEOUT_S * 1_000,
    retryMs: settings.JOB_RETRY_S * 1_000,
    contextOf: (claim, signal, progress) => ({
      settings,
      stores,
      claim,
      stagingDir,
      log,
      signal,
      progress,
    }),
    log,
    onEnd(end) {
      const { ms, id, ...rest } = end;
      log.info({ job: id, ...rest, ms: Math.round(ms) }, 'job');
      options.onEnd?.(end);
    },
  });
  const feed = feedOf(stores.jobMessages, concurrency, {
    jobs: stores.jobs,
    work,
    worker: workerName(),
    leaseMs,
    pollMs: settings.JOB_POLL_MS,
    pidIsAlive,
    onError: (error) => log.error({ err: error }, 'looking for jobs failed; it goes on'),
  });
  const askForSweep = async () => {
    try {
      await stores.jobs.enqueue([sweepJob(settings.JOB_ATTEMPTS)], sharedNow());
    } catch (error) {
      log.error({ err: error }, 'queueing the sweep failed');
    }
  };
  const mend = async () => {
    try {
      if ((await mendAll(kinds, { settings, stores })) > 0) feed.wake();
    } catch (error) {
      log.error({ err: error }, 'looking after jobs failed; it goes on');
    }
  };
  const repeated: Repeated[] = [];
  return {
    async start() {
      await mkdir(stagingDir, { recursive: true });
      if (kinds.some((kind) => kind.mend !== undefined)) {
        await mend();
        repeated.push(new Repeated(settings.JOB_POLL_MS, mend));
      }
      if (kinds.some(({ name }) => name === 'sweep')) {
        await askForSweep();
        repeated.push(new Repeated(SWEEP_MS, askForSweep));
      }
      await feed.start();
    },
    wake: () => feed.wake(),
    async stop() {
      await Promise.all(repeated.map((work) => work.stop()));
      await feed.stop();
      await work.stop();
      await feed.close();
    },
    running: () => work.running(),
  };
}

/** Jobs come by messages where the database carries them. */
function feedOf(messages: JobMessageQueue | null, concurrency: number, options: JobFeedOptions): JobFeed {
  return messages === null ? new TableFeed(options) : new MessageFeed({ ...options, messages, concurrency });
}

/** Gives how many things were not in line with their jobs. */
async function mendAll(
  kinds: readonly JobKind[],
  context: Pick<JobContext, 'settings' | 'stores'>,
): Promise<number> {
  let count = 0;
  for (const kind of kinds) count += (await kind.mend?.(context)) ?? 0;
  return count;
}
