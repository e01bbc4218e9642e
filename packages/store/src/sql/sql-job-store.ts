import {
  JOB_STATES,
  type JobClaim,
  type JobClaimOptions,
  type JobFigure,
  type JobFilter,
  type JobProgress,
  type JobRow,
  type JobState,
  type JobStore,
  type NewJob,
} from '../job-store.ts';
import type { SqlDriver, SqlParam, SqlReader, SqlTransaction } from './driver.ts';
import { JOB, jobFromRow } from './job-mapping.ts';
import { assertJson, cut, type JobMessages, queueJob } from './job-queue.ts';

const SELECT_JOB = `SELECT ${JOB.columns.join(', ')} FROM job`;
const CLAIMED = "id = $1 AND run = $2 AND state = 'running'";
/** A message that came before its job could be taken comes again after so many ms. */
const AGAIN_MS = 1_000;
/** Jobs whose messages are sent again in one transaction, at most. */
const RESEND = 500;

/** Jobs in a relational database, by any driver; the schema is brought up to date with the catalogue's. */
export class SqlJobStore implements JobStore {
  readonly #driver: SqlDriver;
  readonly #messages: JobMessages | null;

  /** Without `messages` workers find jobs by looking. */
  constructor(driver: SqlDriver, messages: JobMessages | null = null) {
    this.#driver = driver;
    this.#messages = messages;
  }

  enqueue(jobs: readonly NewJob[], now: number): Promise<JobRow[]> {
    for (const { payload } of jobs) assertJson('payload', payload);
    return this.#driver.write('jobs', async (tx) => {
      const rows: JobRow[] = [];
      for (const [position, job] of jobs.entries()) {
        const [open] = job.unique === null ? [] : await readOpen(tx, job.unique);
        if (open !== undefined) {
          rows.push(open);
          continue;
        }
        rows.push(await queueJob(tx, job, { now, position, messages: this.#messages }));
      }
      return rows;
    });
  }

  async find(id: string): Promise<JobRow | null> {
    return readJob(this.#driver, id);
  }

  async findByPrefix(prefix: string, limit: number): Promise<JobRow[]> {
    // Ids are lower-case hex digits and hyphens, which all come before `g`.
    const rows = await this.#driver.all(`${SELECT_JOB} WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3`, [
      prefix,
      `${prefix}g`,
      limit,
    ]);
    return rows.map(jobFromRow);
  }

  async list(filter: JobFilter, { limit, offset }: { limit: number; offset: number }): Promise<JobRow[]> {
    const params: SqlParam[] = [limit, offset];
    const where = whereOf(filter, params);
    const rows = await this.#driver.all(
      `${SELECT_JOB} ${where} ORDER BY created_at DESC, position DESC LIMIT $1 OFFSET $2`,
      params,
    );
    return rows.map(jobFromRow);
  }

  async counts({ kinds, without = [] }: Omit<JobFilter, 'states'>): Promise<Record<JobState, number>> {
    const rows = await this.#driver.all('SELECT state, kind, count(*) FROM job GROUP BY state, kind');
    const counts = Object.fromEntries(JOB_STATES.map((state) => [state, 0])) as Record<JobState, number>;
    for (const [state, kind, count] of rows as Array<[JobState, string, number]>) {
      if (kinds?.includes(kind) === false || without.includes(kind)) continue;
      counts[state] += Number(count);
    }
    return counts;
  }

  async figures(): Promise<JobFigure[]> {
    const rows = await this.#driver.all(
      'SELECT kind, state, count(*), min(available_at) FROM job GROUP BY kind, state ORDER BY kind, state',
    );
    return (rows as Array<[string, JobState, number, number]>).map(([kind, state, count, oldestAt]) => ({
      kind,
      state,
      count: Number(count),
      oldestAt: Number(oldestAt),
    }));
  }

  async claim(options: JobClaimOptions): Promise<JobClaim | null> {
    const { worker, now, leaseUntil, kinds, id } = options;
    const params: SqlParam[] = id === undefined ? [kinds, now] : [kinds, id];
    const waiting =
      "state IN ('queued', 'failed') AND kind IN (SELECT value FROM each_text($1))" +
      (id === undefined ? ' AND available_at <= $2' : ' AND id = $2') +
      " AND (exclusive IS NULL OR exclusive NOT IN (SELECT exclusive FROM job WHERE state = 'running' AND exclusive " +
      'IS NOT NULL))';
    // Mostly there is nothing to do, and readers wait for nobody. A message is always about something.
    if (id === undefined) {
      const found = await this.#driver.all(`SELECT id FROM job WHERE ${waiting} LIMIT 1`, params);
      if (found.length === 0) return null;
    }
    return this.#driver.write('jobs', async (tx) => {
      const [next] = await tx.all(
        `SELECT id FROM job WHERE ${waiting} ORDER BY attempts, created_at, position, id LIMIT 1`,
        params,
      );
      if (next === undefined) {
        if (id !== undefined) await this.#sendAgain(tx, id);
        return null;
      }
      const [claimed] = await tx.all(
        "UPDATE job SET state = 'running', run = run + 1, attempts = attempts + 1, worker = $2, lease_until = $3, " +
          'started_at = $4, reason = NULL, progress_done = NULL, progress_total = NULL, progress_unit = NULL, ' +
          `progress_text = NULL WHERE id = $1 RETURNING ${JOB.columns.join(', ')}`,
        [next[0]!, worker, leaseUntil, now],
      );
      return jobFromRow(claimed!);
    });
  }

  async holders(): Promise<string[]> {
    const rows = await this.#driver.all(
      "SELECT DISTINCT worker FROM job WHERE state = 'running' AND worker IS NOT NULL ORDER BY worker",
    );
    return rows.map((row) => row[0] as string);
  }

  async recover({ now, dead }: { now: number; dead: readonly string[] }): Promise<number> {
    const lost = "state = 'running' AND (lease_until <= $1 OR worker IN (SELECT value FROM each_text($2)))";
    const [found, silent] = await Promise.all([
      this.#driver.all(`SELECT id FROM job WHERE ${lost} LIMIT 1`, [now, dead]),
      this.#messages?.silent(this.#driver, now, RESEND) ?? [],
    ]);
    if (found.length === 0 && silent.length === 0) return 0;
    return this.#driver.write('jobs', async (tx) => {
      const rows = await tx.all(
        "UPDATE job SET state = CASE WHEN cancelling = 1 THEN 'cancelled' WHEN attempts >= max_attempts THEN 'dead' " +
          "ELSE 'failed' END, finished_at = CASE WHEN cancelling = 1 OR attempts >= max_attempts THEN $1 ELSE " +
          'finished_at END, ' +
          `available_at = $1, worker = NULL, lease_until = NULL, cancelling = 0, reason = $3 WHERE ${lost} ` +
          `RETURNING id`,
        [now, dead, 'Its worker went away in the middle of it.'],
      );
      await this.#resend(tx, [...rows.map((row) => row[0] as string), ...silent], now);
      return rows.length;
    });
  }

  async touch(
    claim: JobClaim,
    progress: JobProgress | null,
    leaseUntil: number,
  ): Promise<'held' | 'cancelled' | 'lost'> {
    const { done, total, unit, text } = progress ?? { done: null, total: null, unit: null, text: null };
    return this.#driver.write(null, async (tx) => {
      const [row] = await tx.all(
        'UPDATE job SET lease_until = $3, progress_done = $4, progress_total = $5, progress_unit = $6, ' +
          `progress_text = $7 WHERE ${CLAIMED} RETURNING cancelling`,
        [claim.id, claim.run, leaseUntil, done, total, unit, text === null ? null : cut(text)],
      );
      return row === undefined ? 'lost' : row[0] === 1 ? 'cancelled' : 'held';
    });
  }

  async succeed(claim: JobClaim, result: unknown, now: number): Promise<boolean> {
    return this.#end(claim, 'succeeded', { reason: null, result: assertJson('result', result), now });
  }

  async fail(
    claim: JobClaim,
    failure: { reason: string; result?: unknown; now: number; retryAt: number | null },
  ): Promise<boolean> {
    const { now, retryAt } = failure;
    const end = { reason: cut(failure.reason), result: assertJson('result', failure.result), now };
    if (retryAt === null || claim.attempts >= claim.maxAttempts) return this.#end(claim, 'dead', end);
    return this.#driver.write(null, async (tx) => {
      const changed = await tx.run(
        `UPDATE job SET ${unlessCancelled('failed')}, reason = $4, result = $5, available_at = $6 WHERE ${CLAIMED}`,
        [claim.id, claim.run, now, end.reason, end.result, retryAt],
      );
      if (changed > 0) await this.#send(tx, claim, retryAt - now);
      return changed > 0;
    });
  }

  async release(
    claim: JobClaim,
    reason: string,
    { now, availableAt }: { now: number; availableAt: number },
  ): Promise<boolean> {
    return this.#driver.write(null, async (tx) => {
      const changed = await tx.run(
        `UPDATE job SET ${unlessCancelled('queued')}, attempts = attempts - 1, reason = $4, available_at = $5 WHERE ` +
          `${CLAIMED}`,
        [claim.id, claim.run, now, cut(reason), availableAt],
      );
      if (changed > 0) await this.#send(tx, claim, availableAt - now);
      return changed > 0;
    });
  }

  endCancelled(claim: JobClaim, now: number): Promise<boolean> {
    return this.#end(claim, 'cancelled', { reason: null, result: 'null', now });
  }

  cancel(id: string, now: number): Promise<JobRow | null> {
    return this.#driver.write('jobs', async (tx) => {
      await tx.run("UPDATE job SET cancelling = 1 WHERE id = $1 AND state = 'running'", [id]);
      await tx.run(
        "UPDATE job SET state = 'cancelled', finished_at = $2, reason = NULL WHERE id = $1 AND state IN ('queued', " +
          "'failed')",
        [id, now],
      );
      return readJob(tx, id);
    });
  }

  retry(id: string, now: number): Promise<boolean> {
    return this.#driver.write('jobs', async (tx) => {
      const row = await readJob(tx, id);
      if (row === null || !['dead', 'cancelled', 'failed'].includes(row.state)) return false;
      if (row.unique !== null && (await readOpen(tx, row.unique)).some((open) => open.id !== id))
        return false;
      await tx.run(
        "UPDATE job SET state = 'queued', attempts = 0, run = run + 1, reason = NULL, finished_at = NULL, " +
          'available_at = $2 WHERE id = $1',
        [id, now],
      );
      await this.#send(tx, row, 0);
      return true;
    });
  }

  async finished(
    before: number,
    limit: number,
  ): Promise<Array<{ id: string; run: number; objectKey: string | null }>> {
    const rows = await this.#driver.all(
      'SELECT id, run, object_key FROM job WHERE finished_at < $1 ORDER BY finished_at, id LIMIT $2',
      [before, limit],
    );
    return rows.map(([id, run, objectKey]) => ({
      id: id as string,
      run: run as number,
      objectKey: objectKey as string | null,
    }));
  }

  async forget(id: string, run: number): Promise<boolean> {
    const sql = 'DELETE FROM job WHERE id = $1 AND run = $2 AND finished_at IS NOT NULL';
    return (await this.#driver.write(null, (tx) => tx.run(sql, [id, run]))) > 0;
  }

  async ownedObjects(keys: readonly string[]): Promise<string[]> {
    const rows = await this.#driver.all(
      'SELECT object_key FROM job WHERE object_key IN (SELECT value FROM each_text($1))',
      [keys],
    );
    return rows.map((row) => row[0] as string);
  }

  async #end(
    claim: JobClaim,
    state: 'succeeded' | 'dead' | 'cancelled',
    { reason, result, now }: { reason: string | null; result: string; now: number },
  ): Promise<boolean> {
    const sql =
      'UPDATE job SET state = $3, worker = NULL, lease_until = NULL, cancelling = 0, finished_at = $4, reason = $5, ' +
      `result = $6 WHERE ${CLAIMED}`;
    const params = [claim.id, claim.run, state, now, reason, result];
    return (await this.#driver.write(null, (tx) => tx.run(sql, params))) > 0;
  }

  async #send(tx: SqlTransaction, { id, kind }: { id: string; kind: string }, delay: number): Promise<void> {
    await this.#messages?.send(tx, [{ id, kind, delay: Math.max(0, delay), isLost: false }]);
  }

  /** For a job that waits for another one to end, and whose message came too early. */
  async #sendAgain(tx: SqlTransaction, id: string): Promise<void> {
    const row = await readJob(tx, id);
    if (row === null || (row.state !== 'queued' && row.state !== 'failed')) return;
    await this.#send(tx, row, AGAIN_MS);
  }

  /** Sends messages again for those of the jobs that wait. */
  async #resend(tx: SqlTransaction, ids: readonly string[], now: number): Promise<void> {
    if (this.#messages === null) return;
    const rows = await tx.all(
      "SELECT id, kind, available_at FROM job WHERE state IN ('queued', 'failed') AND id IN (SELECT value FROM " +
        'each_text($1))',
      [ids],
    );
    const jobs = rows.map(([id, kind, availableAt]) => ({
      id: id as string,
      kind: kind as string,
      delay: Math.max(0, (availableAt as number) - now),
      isLost: true,
    }));
    await this.#messages.send(tx, jobs);
  }
}

/** Ends an attempt so that the job waits again, unless a person cancelled it meanwhile: $3 is when. */
function unlessCancelled(state: 'queued' | 'failed'): string {
  return (
    `state = CASE WHEN cancelling = 1 THEN 'cancelled' ELSE '${state}' END, ` +
    'finished_at = CASE WHEN cancelling = 1 THEN $3 ELSE finished_at END, worker = NULL, lease_until = NULL, ' +
    'cancelling = 0'
  );
}

async function readJob(reader: SqlReader, id: string): Promise<JobRow | null> {
  const [row] = await reader.all(`${SELECT_JOB} WHERE id = $1`, [id]);
  return row === undefined ? null : jobFromRow(row);
}

async function readOpen(reader: SqlReader, unique: string): Promise<JobRow[]> {
  const rows = await reader.all(
    `${SELECT_JOB} WHERE unique_text = $1 AND state IN ('queued', 'running', 'failed')`,
    [unique],
  );
  return rows.map(jobFromRow);
}

/** The condition of a filter, whose values it adds to the parameters; empty for a filter that keeps all. */
function whereOf({ states, kinds, without }: JobFilter, params: SqlParam[]): string {
  const conditions: string[] = [];
  const add = (values: readonly string[] | undefined, condition: (list: string) => string) => {
    if (values === undefined) return;
    params.push(values);
    conditions.push(condition(`(SELECT value FROM each_text($${params.length}))`));
  };
  add(states, (list) => `state IN ${list}`);
  add(kinds, (list) => `kind IN ${list}`);
  add(without, (list) => `NOT (kind IN ${list})`);
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}
