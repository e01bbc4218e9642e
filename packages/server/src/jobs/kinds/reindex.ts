/** The kind `reindex`: indexes that this version cannot read are made again, and tables and pictures that are missing. */

import type { NewJob } from '@citymodel/store';
import { type ReindexReport, reindex } from '../../ingest/reindex.ts';
import { type MissingPicturesReport, makeMissingPictures } from '../../pictures/missing-pictures.ts';
import { makeMissingTables } from '../../tables/missing-tables.ts';
import { JobFailed, type JobKind } from '../job-kind.ts';
import { progressOf } from './job-progress.ts';

export interface ReindexPayload {
  /** Only packages of these names; null for every package. */
  names: string[] | null;
  /** Also indexes of the current format. */
  all: boolean;
}

/** Names of packages that a result lists. */
const MAX_NAMES = 1_000;

export const REINDEX: JobKind<ReindexPayload> = {
  name: 'reindex',
  atOnce: 1,
  memoryMb: 300,
  readPayload(json) {
    const { names = null, all = false } = (json ?? {}) as Partial<ReindexPayload>;
    return { names, all };
  },
  async run(payload, { settings, stores, stagingDir, signal, progress }) {
    const report = await reindex(
      { ...stores, stagingDir },
      { ...payload, signal, onProgress: (now) => progress(progressOf(now)) },
    );
    const tables =
      settings.TABLES === 'off'
        ? { made: [], faults: [] }
        : await makeMissingTables(
            { ...stores, stagingDir },
            {
              ...payload,
              maxGeometryBytes: settings.FEATURE_GEOMETRY_MB * 1_000_000,
              signal,
              onProgress: (now) => progress(progressOf(now)),
            },
          );
    const pictures =
      settings.PICTURES === 'off'
        ? { made: [], lacks: [], faults: [] }
        : await makeMissingPictures({ ...stores, stagingDir }, { ...payload, signal });
    report.faults.push(...tables.faults, ...pictures.faults);
    const short: ReindexReport & {
      tables: string[];
      pictures: string[];
      picturesLack: MissingPicturesReport['lacks'];
    } = {
      ...report,
      pictures: pictures.made.slice(0, MAX_NAMES),
      picturesLack: pictures.lacks.slice(0, MAX_NAMES),
      tables: tables.made.slice(0, MAX_NAMES),
      rebuilt: report.rebuilt.slice(0, MAX_NAMES),
      faults: report.faults.slice(0, MAX_NAMES),
    };
    const [fault] = report.faults;
    if (fault === undefined) return short;
    throw new JobFailed(
      'NOT_ALL_MADE',
      `${report.faults.length} indexes, or sets of tables or pictures, were not made; ` +
        `the first is that of ${fault.place}: ${fault.fault}`,
      short,
    );
  },
};

/** A job that reindexes; there is one at a time. */
export function reindexJob(payload: ReindexPayload, maxAttempts: number): NewJob {
  return {
    kind: REINDEX.name,
    label: payload.names === null ? 'all packages' : payload.names.join(', '),
    payload,
    maxAttempts,
    exclusive: REINDEX.name,
    unique: null,
    objectKey: null,
  };
}
