/** A job store over SQLite, and kinds whose work a test decides. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobProgress, JobStore, NewJob } from '@citymodel/store';
import { MemoryStore, SqlCatalogueStore, SqliteDriver, SqlJobStore } from '@citymodel/store/testing';
import pino from 'pino';
import type { JobContext, JobKind } from '../job-kind.ts';
import { type JobEnd, JobWork, type JobWorkOptions } from '../job-work.ts';

export interface JobFixture extends AsyncDisposable {
  jobs: JobStore;
  objects: MemoryStore;
  /** What became of the attempts, in their order. */
  ends: JobEnd[];
  /** Work by the kinds, on these stores. */
  work(kinds: readonly JobKind[], options?: Partial<JobWorkOptions>): JobWork;
  enqueue(...jobs: Array<Partial<NewJob>>): Promise<string[]>;
}

export async function jobFixture(): Promise<JobFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'jobs-'));
  const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
  const catalogue = new SqlCatalogueStore(driver);
  await catalogue.migrate();
  const jobs = new SqlJobStore(driver);
  const objects = new MemoryStore();
  const ends: JobEnd[] = [];
  return {
    jobs,
    objects,
    ends,
    work: (kinds, options = {}) =>
      new JobWork({
        jobs,
        objects,
        kinds,
        concurrency: 2,
        memoryMb: 1_000,
        leaseMs: 60_000,
        timeoutMs: 60_000,
        retryMs: 1_000,
        contextOf: (_claim, signal, progress) => contextOf(signal, progress),
        log: pino({ level: 'silent' }),
        onEnd: (end) => ends.push(end),
        ...options,
      }),
    async enqueue(...list) {
      const rows = await jobs.enqueue(
        list.map((job) => ({
          kind: 'test',
          label: 'a job',
          payload: null,
          maxAttempts: 3,
          exclusive: null,
          unique: null,
          objectKey: null,
          ...job,
        })),
        Date.now(),
      );
      return rows.map(({ id }) => id);
    },
    async [Symbol.asyncDispose]() {
      await catalogue.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** A kind that does what the test says. */
export function kindOf(
  run: (payload: unknown, context: JobContext) => Promise<unknown>,
  changes: Partial<JobKind> = {},
): JobKind {
  return { name: 'test', atOnce: 9, memoryMb: 100, readPayload: (json) => json, run, ...changes };
}

/** Rejects with the signal's reason, once that is aborted. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** What kinds of tests get; they use no stores. */
function contextOf(signal: AbortSignal, progress: (progress: JobProgress) => void): JobContext {
  return { signal, progress } as JobContext;
}
