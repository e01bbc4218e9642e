/**
 * The kind `convert` makes tiles of a package that is served, and ingests them. By the kind `convert-parts` other
 * workers make parts of the same package: each begins with other files, and finished parts are handed on through the
 * object store.
 */
import { join, resolve } from 'node:path';
import type { NewJob, PackageRow } from '@citymodel/store';
import { BadGrid, type ConvertOptions } from '@citymodel/tiles';
import type { Share } from '../../base/long-task.ts';
import { formatBytes, type Progress } from '../../base/progress.ts';
import { ConversionFailed } from '../../convert/conversion-failed.ts';
import { convertPackage } from '../../convert/convert.ts';
import { convertAndIngest } from '../../convert/convert-and-ingest.ts';
import type { WardNames } from '../../convert/plan.ts';
import { CONVERT_THREAD } from '../../convert/thread-module.ts';
import { PackageRefused } from '../../ingest/upload.ts';
import {
  type JobContext,
  JobFailed,
  type JobKind,
  JobRefused,
  ofOtherVersion,
  packageGone,
} from '../job-kind.ts';
import { queuePictures } from './pictures.ts';

export interface ConvertPayload {
  /** Id of the CityGML package. */
  package: string;
  /** Only these feature types; null for all. */
  types: string[] | null;
  options: ConvertOptions;
  /** Names of wards that the table lacks, as the command has them. */
  wardNames: WardNames;
  /** Put converted tiles in the place of others, too. */
  replace: boolean;
  /** Number among the workers of the package; 0 joins and ingests. */
  share: Share;
  maxAttempts: number;
}

/** Issues that a result keeps. */
const MAX_ISSUES = 200;

/** Conversions that may be open at once. */
const MAX_OPEN = 1_000;

export const CONVERT: JobKind<ConvertPayload> = {
  name: 'convert',
  atOnce: 2,
  memoryMb: 500,
  readPayload,
  run: runConvert,
};

export const CONVERT_PARTS: JobKind<ConvertPayload> = {
  name: 'convert-parts',
  atOnce: 2,
  memoryMb: 500,
  readPayload,
  run: runParts,
};

/**
 * The job that converts a package, with `helpers` further ones that make parts of it; one at a time for each package.
 */
export function convertJobs(
  row: Pick<PackageRow, 'id' | 'name'>,
  choices: Pick<ConvertPayload, 'types' | 'options' | 'wardNames' | 'replace' | 'maxAttempts'>,
  helpers: number,
): NewJob[] {
  return Array.from({ length: helpers + 1 }, (_, index): NewJob => {
    const { name } = index === 0 ? CONVERT : CONVERT_PARTS;
    const payload: ConvertPayload = { ...choices, package: row.id, share: { index, count: helpers + 1 } };
    return {
      kind: name,
      label: index === 0 ? row.name : `${row.name} (parts ${index})`,
      payload,
      maxAttempts: choices.maxAttempts,
      exclusive: `${name} ${row.id} ${index}`,
      unique: `${name} ${row.id} ${index}`,
      objectKey: null,
    };
  });
}

/** What the command does without options; the setting HEIGHTS says which heights. */
const USUAL_OPTIONS: Omit<ConvertOptions, 'heights'> = {
  tiles: '1.1',
  compression: 'draco',
  slim: false,
  unlit: false,
  pmtiles: false,
  lods: null,
};

/**
 * The job that converts a package as the command does without options, in the place of tiles that were converted
 * before.
 */
export function usualConvertJob(
  row: Pick<PackageRow, 'id' | 'name'>,
  heights: ConvertOptions['heights'],
  maxAttempts: number,
): NewJob {
  const choices = {
    types: null,
    options: { ...USUAL_OPTIONS, heights },
    wardNames: {},
    replace: false,
    maxAttempts,
  };
  return convertJobs(row, choices, 0)[0]!;
}

async function runConvert(payload: ConvertPayload, context: JobContext): Promise<unknown> {
  const { stores, stagingDir, log, signal } = context;
  const { request, environment } = await workOf(payload, context);
  try {
    const report = await convertAndIngest(
      { ...request, replace: payload.replace, level: 6 },
      { ...environment, onProgress: (progress) => context.progress(progressOf(progress)) },
      { ...stores, stagingDir, now: () => new Date() },
      (error) => log.error({ err: error }, 'an ingestion failed'),
    );
    const { ingested, issues, packages, ...rest } = report;
    await queuePictures(ingested, stores.jobs, context.settings);
    const refused = ingested.find(({ refusal }) => refusal !== null);
    const short = {
      ...rest,
      packages: packages.map(({ name, features, bytes, path }) => ({
        name,
        features,
        bytes,
        kept: path === null,
      })),
      issues: issues.slice(0, MAX_ISSUES),
    };
    if (refused !== undefined) {
      const { code, reason } = refused.refusal!;
      throw new JobFailed(code, reason, short);
    }
    return short;
  } catch (error) {
    signal.throwIfAborted();
    throw lasting(error);
  }
}

async function runParts(payload: ConvertPayload, context: JobContext): Promise<unknown> {
  // Who comes when all is done has nothing to do.
  const open = await context.stores.jobs.list(
    { kinds: [CONVERT.name], states: ['queued', 'running', 'failed'] },
    { limit: MAX_OPEN, offset: 0 },
  );
  if (!open.some((job) => (job.payload as ConvertPayload).package === payload.package)) return { parts: 0 };
  const { request, environment } = await workOf(payload, context);
  try {
    const { parts, reused, seconds } = await convertPackage(
      { ...request, out: '', isWanted: async () => false },
      {
        ...environment,
        onProgress: (progress) => context.progress(progressOf(progress)),
      },
    );
    return { parts, reused, seconds };
  } catch (error) {
    context.signal.throwIfAborted();
    throw lasting(error);
  }
}

/** What another attempt would meet again is refused. */
function lasting(error: unknown): unknown {
  if (error instanceof PackageRefused) return new JobRefused(error.code, error.message);
  if (error instanceof BadGrid) return new JobRefused('BAD_GRID', error.message);
  return error instanceof ConversionFailed ? new JobFailed(error.code, error.message) : error;
}

async function workOf(
  { package: id, types, options, wardNames, share }: ConvertPayload,
  { settings, stores, signal }: JobContext,
) {
  const rows = await stores.catalogue.findPackages({ id });
  const row = rows.find(({ kind, state }) => kind === 'citygml' && state === 'live');
  if (row === undefined) throw packageGone();
  const dataDir = resolve(settings.DATA_DIR);
  return {
    request: {
      address: { kind: 'hosted' as const, row },
      options,
      types,
      wardNames,
      partsDirectory: join(dataDir, 'convert'),
      geoid: settings.GEOID,
      geoidDatum: settings.GEOID_DATUM,
      // Workers share a package among them; one thread each keeps the memory of a job in bounds.
      jobs: 1,
      share: share.count > 1 ? share : null,
      // Objects are below DATA_DIR then, and so are parts.
      isOneDisk: settings.OBJECT_STORE === '',
    },
    environment: {
      objectStore: stores.objects,
      objects: { dataDir, databaseUrl: '', objectStore: settings.OBJECT_STORE },
      threadModule: CONVERT_THREAD,
      signal,
    },
  };
}

function progressOf({ phase, done, total }: Progress) {
  return {
    done,
    total,
    unit: 'bytes',
    text: `${phase}, ${formatBytes(done)} of ${formatBytes(total)} of CityGML`,
  };
}

/** Payloads are written by this program only, perhaps by another version of it. */
function readPayload(json: unknown): ConvertPayload {
  const payload = json as Partial<ConvertPayload> | null;
  const isKnown =
    typeof payload?.package === 'string' &&
    typeof payload.options === 'object' &&
    typeof payload.share?.index === 'number' &&
    typeof payload.share.count === 'number';
  if (!isKnown) throw ofOtherVersion();
  return { types: null, wardNames: {}, replace: false, maxAttempts: 3, ...payload } as ConvertPayload;
}
