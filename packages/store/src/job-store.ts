/** Jobs: long work that one process asks for and another does. */

/**
 * `queued`: waits for a worker. `running`: a worker holds it. `failed`: an attempt failed, and it is tried again.
 * `succeeded`, `dead` (given up) and `cancelled` are final; a person may retry the last two.
 */
export const JOB_STATES = ['queued', 'running', 'failed', 'succeeded', 'dead', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** How far a job has come. */
export interface JobProgress {
  done: number;
  /** 0 while nobody knows. */
  total: number;
  /** What is counted, such as `bytes`. */
  unit: string;
  /** What is being done, a few words. */
  text: string;
}

/** A job that somebody asks for. */
export interface NewJob {
  /** Name of the kind; decides which code runs. */
  kind: string;
  /** What it is about, for people: the name of a package. */
  label: string;
  /** JSON, what the kind needs to know. */
  payload: unknown;
  /** Attempts, after which it is given up. */
  maxAttempts: number;
  /** Jobs with the same text never run at the same time; null for those that need not care. */
  exclusive: string | null;
  /** While a job with the same text is open (queued, running, failed), it stands for this one too; null for never. */
  unique: string | null;
  /** An object of the store that belongs to the job alone, and goes when the job is forgotten. */
  objectKey: string | null;
}

/** A job as the database keeps it. All times are milliseconds since 1970. */
export interface JobRow extends NewJob {
  /** UUID. */
  id: string;
  state: JobState;
  /** How often work on it began since it was asked for, or since a person retried it. */
  attempts: number;
  /** Grows whenever work on it begins or a person retries it. */
  run: number;
  /** Why the last attempt failed, or why it waits: a sentence. Null when there is nothing to say. */
  reason: string | null;
  /** Null until an attempt tells it. */
  progress: JobProgress | null;
  createdAt: number;
  /** A worker takes it from then on. */
  availableAt: number;
  /** When the last attempt began. */
  startedAt: number | null;
  /** When it reached a final state. */
  finishedAt: number | null;
  /** Who works on it. */
  worker: string | null;
  /** A person asked to cancel it while it ran, and its worker has not let go yet. */
  isCancelling: boolean;
  /** JSON, what the last attempt gave. */
  result: unknown;
}

/** One attempt by one worker, until its lease ends. */
export interface JobClaim {
  id: string;
  run: number;
  kind: string;
  label: string;
  payload: unknown;
  /** This attempt included. */
  attempts: number;
  maxAttempts: number;
  objectKey: string | null;
}

export interface JobClaimOptions {
  /** Name of the worker, unlike that of any other, ever. */
  worker: string;
  now: number;
  /** Until when the worker must have shown life again. */
  leaseUntil: number;
  /** Only jobs of these kinds. */
  kinds: readonly string[];
  /**
   * Only this job, of which a message tells that its time has come: by the clock of the database, whatever `now` says.
   */
  id?: string;
}

/** Longest payload and result of a job, characters of JSON. */
export const MAX_JOB_JSON = 1_000_000;
/** Longest label and reason, characters; what is longer is cut. */
export const MAX_JOB_TEXT = 2_000;

/** Which jobs a list shows. */
export interface JobFilter {
  states?: readonly JobState[];
  kinds?: readonly string[];
  /** Kinds that are left out. */
  without?: readonly string[];
}

/** How many jobs of a kind are in a state. */
export interface JobFigure {
  kind: string;
  state: JobState;
  count: number;
  /**
   * Since when the first of them may be worked on, ms since 1970; a time to come where it waits for another attempt.
   */
  oldestAt: number;
}

/**
 * Jobs in the database. Every method is one transaction; a database that cannot answer throws `StoreUnavailable`.
 *
 *   enqueue ──▶ queued ──claim──▶ running (lease, run n) ──succeed──▶ succeeded
 *                 ▲  ▲              │  │  │
 *                 │  └──release─────┘  │  └──fail, attempts left; lease over──▶ failed ──claim──▶ running
 *                 │                    ├──fail for good, no attempts left──▶ dead
 *                 │                    └──cancelled──▶ cancelled ◀──cancel── queued, failed
 *                 └──retry── dead, cancelled, failed
 *
 * An attempt that lost its lease can change nothing any more: its run number is no longer the job's.
 */
export interface JobStore {
  /**
   * Notes jobs, in this order, and gives them, or in the place of one whose `unique` text is taken the open job that
   * has it. Throws a RangeError for a payload above `MAX_JOB_JSON`.
   */
  enqueue(jobs: readonly NewJob[], now: number): Promise<JobRow[]>;
  find(id: string): Promise<JobRow | null>;
  /** Jobs whose id begins so, at most `limit`, by id. */
  findByPrefix(prefix: string, limit: number): Promise<JobRow[]>;
  /** Jobs, the newest first; `offset` of them are left out. */
  list(filter: JobFilter, page: { limit: number; offset: number }): Promise<JobRow[]>;
  /** How many jobs of these are in each state. */
  counts(filter: Omit<JobFilter, 'states'>): Promise<Record<JobState, number>>;

  /** Jobs by kind and state, for those who watch over them; kinds and states without jobs are left out. */
  figures(): Promise<JobFigure[]>;

  /** Takes the next job to work on: the one with the fewest attempts, then the oldest. Null when there is none. */
  claim(options: JobClaimOptions): Promise<JobClaim | null>;
  /** Workers that hold jobs now. */
  holders(): Promise<string[]>;
  /**
   * Takes jobs back from workers whose lease is over and from those that are known to be `dead`: the attempt counts as
   * failed. Gives how many.
   */
  recover(options: { now: number; dead: readonly string[] }): Promise<number>;
  /**
   * Extends the lease. `cancelled`: a person wants the attempt to end. `lost`: the claim is another's now, or nobody's.
   */
  touch(
    claim: JobClaim,
    progress: JobProgress | null,
    leaseUntil: number,
  ): Promise<'held' | 'cancelled' | 'lost'>;
  /**
   * False, without effect, when the claim is lost; as the next three. Throws a RangeError for a result above
   * `MAX_JOB_JSON`.
   */
  succeed(claim: JobClaim, result: unknown, now: number): Promise<boolean>;
  /**
   * `retryAt` null gives the job up; so does an attempt that was the last one. A job that a person cancelled waits for
   * nothing.
   */
  fail(
    claim: JobClaim,
    failure: { reason: string; result?: unknown; now: number; retryAt: number | null },
  ): Promise<boolean>;
  /**
   * Gives the job back, for others to take from the given time on; the attempt does not count. A job that a person
   * cancelled is cancelled.
   */
  release(claim: JobClaim, reason: string, times: { now: number; availableAt: number }): Promise<boolean>;
  /** Ends an attempt that a person cancelled. */
  endCancelled(claim: JobClaim, now: number): Promise<boolean>;

  /**
   * Cancels a job that waits, or asks the worker of a running one to. Gives the job as it is then; null when there is
   * none.
   */
  cancel(id: string, now: number): Promise<JobRow | null>;
  /** Queues a dead, cancelled or failed job again, with all its attempts. False for any other. */
  retry(id: string, now: number): Promise<boolean>;

  /** Jobs that reached a final state before the given time, the first one first. */
  finished(
    before: number,
    limit: number,
  ): Promise<Array<{ id: string; run: number; objectKey: string | null }>>;
  /** Forgets a job unless it was retried since. */
  forget(id: string, run: number): Promise<boolean>;
  /** Those of the keys that belong to a job, each as often as jobs have it. */
  ownedObjects(keys: readonly string[]): Promise<string[]>;
}
