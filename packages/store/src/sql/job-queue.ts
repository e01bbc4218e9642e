/** Puts jobs into the queue, in transactions that may do more, and tells workers of them. */
import { randomUUID } from 'node:crypto';
import { type JobRow, MAX_JOB_JSON, MAX_JOB_TEXT, type NewJob } from '../job-store.ts';
import type { SqlReader, SqlTransaction } from './driver.ts';
import { JOB } from './job-mapping.ts';

/** A job that waits for a worker, for code that carries messages to workers. */
export interface WaitingJob {
  id: string;
  kind: string;
  /** A worker may take it after so many ms. */
  delay: number;
  /** The worker that held it is dead, or silent, and its message with it. */
  isLost: boolean;
}

/** Tells workers of jobs, in the transaction that makes them wait; see `postgres/postgres-messages.ts`. */
export interface JobMessages {
  /** Sends a message for each; one that is under way for the same job is replaced. */
  send(tx: SqlTransaction, jobs: readonly WaitingJob[]): Promise<void>;
  /** Ids of jobs that could be taken since before the given time, and have no message. */
  silent(reader: SqlReader, before: number, limit: number): Promise<string[]>;
}

/**
 * Queues a job, the `position`-th of those that were asked for together; `messages` null where workers find jobs by
 * looking.
 */
export async function queueJob(
  tx: SqlTransaction,
  job: NewJob,
  { now, position, messages }: { now: number; position: number; messages: JobMessages | null },
): Promise<JobRow> {
  const row = queuedJob(job, now);
  await tx.insert(JOB.name, [...JOB.columns, 'position'], [[...JOB.toRow(row), position]]);
  await messages?.send(tx, [{ id: row.id, kind: row.kind, delay: 0, isLost: false }]);
  return row;
}

function queuedJob(job: NewJob, now: number): JobRow {
  return {
    ...job,
    label: cut(job.label),
    id: randomUUID(),
    state: 'queued',
    attempts: 0,
    run: 0,
    reason: null,
    progress: null,
    createdAt: now,
    availableAt: now,
    startedAt: null,
    finishedAt: null,
    worker: null,
    isCancelling: false,
    result: null,
  };
}

/** A text that is no longer than a row takes. */
export function cut(text: string): string {
  return text.length <= MAX_JOB_TEXT ? text : `${text.slice(0, MAX_JOB_TEXT - 1)}…`;
}

/** The value as JSON. Throws a RangeError when it is too long for a row. */
export function assertJson(what: string, value: unknown): string {
  const json = JSON.stringify(value ?? null);
  if (json.length > MAX_JOB_JSON) {
    throw new RangeError(
      `the ${what} of a job has ${json.length} characters of JSON; ${MAX_JOB_JSON} are allowed`,
    );
  }
  return json;
}
