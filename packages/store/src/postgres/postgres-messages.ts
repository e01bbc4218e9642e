/**
 * Messages about jobs by Graphile Worker (https://worker.graphile.org), in a schema of its own. A message is the id of
 * a job. It is sent in the transaction that makes the job wait, so there is none without a job, and it wakes a worker
 * at once.
 *
 * The table `job` decides what is done. `JobStore.recover` sends a message that is lost again, and that of a dead
 * worker, which Graphile Worker would keep for four hours. This module only sends; `graphile-queue.ts` has the library,
 * which takes its time to load.
 */
import type { SqlReader, SqlTransaction } from '../sql/driver.ts';
import type { JobMessages, WaitingJob } from '../sql/job-queue.ts';

/** Schema of Graphile Worker's tables. */
export const MESSAGE_SCHEMA = 'citymodel_jobs';

/**
 * Last migration of the library whose functions and views messages need. Earlier ones have functions of the same
 * parameters, which later ones drop and make again with other types.
 */
export const MESSAGE_SCHEMA_VERSION = 20;

/** Graphile Worker gives a message up after so many tries; ours never fail, so this is only a bound. */
const MAX_TRIES = 25;

/**
 * Seconds after which a job should be claimed by the worker that took its message. Later the worker counts as dead, or
 * as cut off from the database, and the message is sent again; should it be alive after all, one of the two finds that
 * the job is claimed.
 */
const HELD_S = 10;

/** What a message about a job of the kind is called. */
export function taskOf(kind: string): string {
  return `citymodel_${kind}`;
}

export class PostgresMessages implements JobMessages {
  #isReady = false;

  async send(tx: SqlTransaction, jobs: readonly WaitingJob[]): Promise<void> {
    if (jobs.length === 0 || !(await this.#hasSchema(tx))) return;
    for (const { id, kind, delay, isLost } of jobs) {
      if (isLost) {
        await tx.all(
          `SELECT ${MESSAGE_SCHEMA}.force_unlock_workers(array_agg(locked_by)) FROM ${MESSAGE_SCHEMA}.jobs ` +
            'WHERE key = $1 AND locked_by IS NOT NULL HAVING count(*) > 0',
          [id],
        );
      }
      await tx.all(
        `SELECT 1 FROM ${MESSAGE_SCHEMA}.add_job($1::text, json_build_object('id', $2::text), ` +
          "run_at := now() + $3::double precision * interval '1 millisecond', " +
          `max_attempts := ${MAX_TRIES}, job_key := $2::text, flags := ARRAY[$4::text])`,
        [taskOf(kind), id, Math.max(0, delay), kind],
      );
    }
  }

  async silent(reader: SqlReader, before: number, limit: number): Promise<string[]> {
    if (!(await this.#hasSchema(reader))) return [];
    const rows = await reader.all(
      `SELECT id FROM job WHERE state IN ('queued', 'failed') AND available_at <= $1 AND NOT EXISTS ` +
        `(SELECT 1 FROM ${MESSAGE_SCHEMA}.jobs AS message WHERE message.key = job.id AND ` +
        `(message.locked_at IS NULL OR message.locked_at > now() - interval '${HELD_S} seconds')) ` +
        'ORDER BY created_at, position LIMIT $2',
      [before, limit],
    );
    return rows.map((row) => row[0] as string);
  }

  /**
   * The first worker makes the schema, a transaction for each migration, and sends messages for the jobs that were
   * there before. Until it has made the last one, jobs wait without messages.
   */
  async #hasSchema(reader: SqlReader): Promise<boolean> {
    if (this.#isReady) return true;
    const [table] = await reader.all(
      `SELECT CASE WHEN to_regclass('${MESSAGE_SCHEMA}.migrations') IS NULL THEN 0 ELSE 1 END`,
    );
    if (table![0] === 0) return false;
    const [last] = await reader.all(`SELECT coalesce(max(id), 0) FROM ${MESSAGE_SCHEMA}.migrations`);
    this.#isReady = (last![0] as number) >= MESSAGE_SCHEMA_VERSION;
    return this.#isReady;
  }
}
