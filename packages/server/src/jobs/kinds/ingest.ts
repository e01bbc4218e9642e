/** The kind `ingest`: one package from an upload to the catalogue, by the code that `citymodel ingest` runs. */
import { basename } from 'node:path';
import { countIssues, sharedNow } from '@citymodel/base';
import { type NewJob, ObjectMissing, StoreUnavailable } from '@citymodel/store';
import type { Overrides } from '../../ingest/identify.ts';
import { ingest } from '../../ingest/ingest.ts';
import { findUploads } from '../../ingest/open-upload.ts';
import type { IngestReport } from '../../ingest/report.ts';
import { Staging } from '../../ingest/staging.ts';
import { refusedFindings } from '../../inspection/refused-findings.ts';
import { fetchIncoming, UploadDiffers, type UploadFacts } from '../incoming.ts';
import { type JobContext, JobFailed, type JobKind, JobRefused, ofOtherVersion } from '../job-kind.ts';
import { inspectJob } from './inspect.ts';
import { progressOf } from './job-progress.ts';
import { queuePictures } from './pictures.ts';
import { shortIssues } from './short-issues.ts';
import { tablesJob } from './tables.ts';

/**
 * Where the bytes of an upload are: a path that the workers share, or an object of the store and the name of the file.
 */
export type IngestSource = { path: string } | ({ object: string; name: string } & UploadFacts);

export interface IngestPayload {
  source: IngestSource;
  overrides: Overrides;
  assetPath?: string;
  replace: boolean;
  /** Only tell what would be ingested. */
  dryRun: boolean;
  level: number;
  /** Whether 3D and vector tiles are made of it, once it is published. */
  convert?: boolean;
}

/** Refusals that another attempt may not meet again. */
const PASSING = new Set(['CHANGED_MEANWHILE', 'NO_SUCH_FILE']);

export const INGEST: JobKind<IngestPayload> = {
  name: 'ingest',
  atOnce: 64,
  memoryMb: 400,
  readPayload,
  run: runIngest,
  // An ingestion may follow on what a dry run has read.
  retention: { object: ({ dryRun }) => (dryRun ? 'kept' : 'deleted') },
};

/**
 * The job for an upload. Uploads of the same name are ingested one after the other. `ownsObject`: the object of the
 * upload goes when the job has succeeded or is forgotten.
 */
export function ingestJob(
  payload: IngestPayload,
  { maxAttempts, ownsObject }: { maxAttempts: number; ownsObject: boolean },
): NewJob {
  const { source } = payload;
  const name = nameOf(source);
  return {
    kind: INGEST.name,
    label: payload.dryRun ? `${name} (dry run)` : name,
    payload,
    maxAttempts,
    exclusive: payload.dryRun ? null : `ingest ${payload.overrides.name ?? name}`,
    unique: null,
    objectKey: ownsObject && 'object' in source ? source.object : null,
  };
}

async function runIngest(payload: IngestPayload, context: JobContext): Promise<IngestReport> {
  const report =
    'path' in payload.source
      ? await ingestFile(payload.source.path, payload, context)
      : await ingestObject(payload.source, payload, context);
  const short = {
    ...report,
    upload: nameOf(payload.source),
    issues: shortIssues(report.issues),
    issueCodes: countIssues(report.issues),
  };
  if (report.refusal === null) {
    await laterWork(report, payload, context);
    return short;
  }
  const { code, reason } = report.refusal;
  if (code === 'STORE_UNAVAILABLE') throw new StoreUnavailable(reason);
  if (report.outcome === 'failed' || PASSING.has(code)) throw new JobFailed(code, reason, short);
  throw new JobRefused(code, reason, short);
}

/**
 * Queues what follows on a publication: its tables or pictures, and where the operator wants them its inspection and
 * tiles.
 */
async function laterWork(
  { outcome, package: published }: IngestReport,
  { convert = false }: IngestPayload,
  { settings, stores }: JobContext,
): Promise<void> {
  const isNew = outcome === 'published' || outcome === 'replaced';
  await queuePictures([{ outcome, package: published }], stores.jobs, settings);
  if (!isNew || published?.kind !== 'citygml' || published.id === null) return;
  const row = { id: published.id, name: published.name };
  const jobs = [];
  if (settings.TABLES === 'published') jobs.push(tablesJob(row, settings.JOB_ATTEMPTS));
  if (settings.INSPECT === 'published') jobs.push(inspectJob(row, settings.JOB_ATTEMPTS));
  if (convert) {
    // What converts is large, and few ingestions need it.
    const { usualConvertJob } = await import('./convert.ts');
    jobs.push(usualConvertJob(row, settings.HEIGHTS, settings.JOB_ATTEMPTS));
  }
  if (jobs.length > 0) await stores.jobs.enqueue(jobs, sharedNow());
}

async function ingestObject(
  source: { object: string; name: string } & UploadFacts,
  payload: IngestPayload,
  context: JobContext,
): Promise<IngestReport> {
  const { stores, stagingDir, signal, progress } = context;
  const { name } = source;
  await using staging = await Staging.open({ ...stores, stagingDir });
  try {
    const to = { directory: staging.directory, name };
    const path = await fetchIncoming(stores.objects, source, to, signal, (done, total) =>
      progress({ done, total, unit: 'bytes', text: `fetching ${name}` }),
    );
    return await ingestFile(path, payload, context);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ObjectMissing) {
      // A store that is at fault may say so of an object that is there.
      throw new JobFailed(
        'UPLOAD_MISSING',
        `The upload ${name} is not in the object store; upload it again if that stays so.`,
      );
    }
    if (error instanceof UploadDiffers) throw new JobFailed('UPLOAD_DIFFERS', error.message);
    throw error;
  }
}

async function ingestFile(path: string, payload: IngestPayload, context: JobContext): Promise<IngestReport> {
  const { stores, stagingDir, signal, log } = context;
  const { dryRun, convert: _, ...options } = payload;
  const [upload] = await findUploads([path]);
  return ingest(
    upload!,
    { ...stores, stagingDir, now: () => new Date() },
    {
      ...options,
      ...refusedFindings(context.settings.REFUSE_FINDINGS),
      until: dryRun ? 'describe' : 'publish',
      signal,
      onProgress: (progress) => context.progress(progressOf(progress)),
      onFault: (error) => log.error({ err: error }, 'an ingestion failed'),
    },
  );
}

function nameOf(source: IngestSource): string {
  return ('path' in source ? basename(source.path) : source.name).replace(/\.(zip|pmtiles)$/i, '');
}

/** Payloads are written by this program only, perhaps by another version of it. */
function readPayload(json: unknown): IngestPayload {
  const payload = json as Partial<IngestPayload> | null;
  const source = payload?.source as Record<string, unknown> | undefined;
  const known =
    typeof source?.path === 'string' ||
    (typeof source?.object === 'string' && typeof source.name === 'string');
  if (!known || typeof payload?.overrides !== 'object') {
    throw ofOtherVersion();
  }
  return {
    replace: false,
    dryRun: false,
    level: 6,
    ...(payload as Pick<IngestPayload, 'source' | 'overrides'>),
  };
}
