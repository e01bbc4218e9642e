/** Jobs for the operator: with everything that is known of them. */

import { sharedNow } from '@citymodel/base';
import type { JobRow, JobStore, ObjectStore } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import { type IngestPayload, ingestJob } from '../../jobs/kinds/ingest.ts';
import { isoTime, type PublicJob, publicJob } from '../operations/job-list.ts';

/** A job with its whole id, and what only the operator may know. */
export interface AdminJob extends PublicJob {
  reason: string | null;
  worker: string | null;
  availableAt: string;
  payload: unknown;
  /** In lists without its issues. */
  result: unknown;
  /** Whether the job looked at an upload that can be ingested now. */
  mayIngest: boolean;
}

interface AdminStores {
  jobs: JobStore;
  objects: ObjectStore;
}

/** A job as lists have it. */
export async function adminJob(row: JobRow, stores: AdminStores): Promise<AdminJob> {
  const { payload, reason, worker, result } = row;
  return {
    ...publicJob(row),
    id: row.id,
    reason: reason && withoutStaging(reason),
    worker: worker?.split(':')[0] ?? null,
    availableAt: isoTime(row.availableAt)!,
    payload,
    result: withoutIssues(result),
    mayIngest: row.state === 'succeeded' && isDryRun(row) && (await isOnlyOwner(row, stores)),
  };
}

/** A sentence without directories of this machine, which tell an operator nothing: the name of the upload stays. */
export function withoutStaging(reason: string): string {
  return reason.replaceAll(/(?<![^\s"'(])\/[^\s"']*/g, (path) =>
    path.includes('/staging/') ? path.slice(path.lastIndexOf('/') + 1) : path,
  );
}

/** A job with the issues of its result. */
export async function adminJobWhole(row: JobRow, stores: AdminStores): Promise<AdminJob> {
  return { ...(await adminJob(row, stores)), result: row.result };
}

/** The job of the id. Throws ServiceError 404. */
export async function requireJob(jobs: JobStore, id: string): Promise<JobRow> {
  const row = await jobs.find(id);
  if (row !== null) return row;
  throw new ServiceError(404, 'not found', { reason: `There is no job ${JSON.stringify(id.slice(0, 50))}.` });
}

/**
 * Asks for the ingestion of what a dry run looked at. Throws ServiceError 404, and 409 when there is nothing to ingest.
 */
export async function ingestChecked(
  { jobs, objects }: AdminStores,
  id: string,
  options: { replace: boolean; convert: boolean; maxAttempts: number },
): Promise<JobRow> {
  const row = await requireJob(jobs, id);
  if (!isDryRun(row) || row.objectKey === null || (await objects.head(row.objectKey)) === null) {
    throw new ServiceError(409, 'conflict', {
      reason: 'The job is no dry run of an upload, or the upload was ingested or deleted meanwhile.',
    });
  }
  const payload: IngestPayload = {
    ...(row.payload as IngestPayload),
    dryRun: false,
    replace: options.replace,
    ...(options.convert && { convert: true }),
  };
  const job = ingestJob(payload, { maxAttempts: options.maxAttempts, ownsObject: true });
  const [ingestion] = await jobs.enqueue([{ ...job, unique: `ingest ${row.objectKey}` }], sharedNow());
  return ingestion!;
}

/** Forgets a job that has ended, with its upload. Throws ServiceError 404 and 409. */
export async function forgetJob({ jobs, objects }: AdminStores, id: string): Promise<void> {
  const row = await requireJob(jobs, id);
  if (!(await jobs.forget(id, row.run))) {
    throw new ServiceError(409, 'conflict', { reason: 'The job has not ended; cancel it first.' });
  }
  if (row.objectKey === null) return;
  if ((await jobs.ownedObjects([row.objectKey])).length === 0) await objects.delete(row.objectKey);
}

/** Whether the upload of the job is there, and no other job has it, such as one that ingests it. */
async function isOnlyOwner({ objectKey }: JobRow, { jobs, objects }: AdminStores): Promise<boolean> {
  if (objectKey === null || (await objects.head(objectKey)) === null) return false;
  return (await jobs.ownedObjects([objectKey])).length === 1;
}

function isDryRun({ kind, payload }: JobRow): boolean {
  return kind === 'ingest' && (payload as Partial<IngestPayload> | null)?.dryRun === true;
}

function withoutIssues(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(Object.entries(result).filter(([name]) => name !== 'issues'));
}
