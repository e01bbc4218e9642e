/** How rows of the table of jobs and objects correspond; see `mapping.ts`. */
import type { JobRow } from '../job-store.ts';
import type { SqlRow } from './driver.ts';
import { type Table, table, valuesOf } from './table.ts';

const jobs = table('job', {
  id: (j: JobRow) => j.id,
  kind: (j) => j.kind,
  label: (j) => j.label,
  payload: (j) => JSON.stringify(j.payload ?? null),
  state: (j) => j.state,
  attempts: (j) => j.attempts,
  max_attempts: (j) => j.maxAttempts,
  run: (j) => j.run,
  exclusive: (j) => j.exclusive,
  unique_text: (j) => j.unique,
  object_key: (j) => j.objectKey,
  reason: (j) => j.reason,
  progress_done: (j) => j.progress?.done ?? null,
  progress_total: (j) => j.progress?.total ?? null,
  progress_unit: (j) => j.progress?.unit ?? null,
  progress_text: (j) => j.progress?.text ?? null,
  created_at: (j) => j.createdAt,
  available_at: (j) => j.availableAt,
  started_at: (j) => j.startedAt,
  finished_at: (j) => j.finishedAt,
  worker: (j) => j.worker,
  cancelling: (j) => Number(j.isCancelling),
  result: (j) => JSON.stringify(j.result ?? null),
});
/** What callers see of a job; the columns of its lease are the store's own. */
export const JOB: Table<JobRow> = jobs.table;

export function jobFromRow(row: SqlRow): JobRow {
  const { at } = jobs;
  const r = valuesOf(row);
  return {
    id: r[at.id]!,
    kind: r[at.kind]!,
    label: r[at.label]!,
    payload: JSON.parse(r[at.payload]!),
    state: r[at.state]!,
    attempts: r[at.attempts]!,
    maxAttempts: r[at.max_attempts]!,
    run: r[at.run]!,
    exclusive: r[at.exclusive]!,
    unique: r[at.unique_text]!,
    objectKey: r[at.object_key]!,
    reason: r[at.reason]!,
    progress:
      r[at.progress_unit] === null
        ? null
        : {
            done: r[at.progress_done]!,
            total: r[at.progress_total]!,
            unit: r[at.progress_unit]!,
            text: r[at.progress_text]!,
          },
    createdAt: r[at.created_at]!,
    availableAt: r[at.available_at]!,
    startedAt: r[at.started_at]!,
    finishedAt: r[at.finished_at]!,
    worker: r[at.worker]!,
    isCancelling: r[at.cancelling] === 1,
    result: JSON.parse(r[at.result]!),
  };
}
