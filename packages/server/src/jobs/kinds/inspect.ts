/** The kind `inspect`: a package that is served is checked by the official rules of quality, and what is found is kept with it. */
import { join, resolve } from 'node:path';
import type { NewJob, PackageRow } from '@citymodel/store';
import { formatBytes, type Progress } from '../../base/progress.ts';
import { inspectHosted } from '../../inspection/inspection.ts';
import { type JobContext, type JobKind, ofOtherVersion, packageGone } from '../job-kind.ts';

export interface InspectPayload {
  /** Id of the CityGML package. */
  package: string;
}

export const INSPECT: JobKind<InspectPayload> = {
  name: 'inspect',
  atOnce: 2,
  memoryMb: 500,
  readPayload(json) {
    const { package: id } = (json ?? {}) as Partial<InspectPayload>;
    if (typeof id !== 'string') {
      throw ofOtherVersion();
    }
    return { package: id };
  },
  run: runInspect,
};

/** The job that inspects a package; one at a time for each. */
export function inspectJob(row: Pick<PackageRow, 'id' | 'name'>, maxAttempts: number): NewJob {
  return {
    kind: INSPECT.name,
    label: row.name,
    payload: { package: row.id } satisfies InspectPayload,
    maxAttempts,
    exclusive: `${INSPECT.name} ${row.id}`,
    unique: `${INSPECT.name} ${row.id}`,
    objectKey: null,
  };
}

async function runInspect({ package: id }: InspectPayload, context: JobContext): Promise<unknown> {
  const { settings, stores, signal, progress } = context;
  const rows = await stores.catalogue.findPackages({ id });
  const row = rows.find(({ kind, state }) => kind === 'citygml' && state === 'live');
  if (row === undefined) throw packageGone();
  const result = await inspectHosted(row, {
    ...stores,
    resultsDir: join(resolve(settings.DATA_DIR), 'inspect'),
    storeSettings: {
      dataDir: resolve(settings.DATA_DIR),
      databaseUrl: '',
      objectStore: settings.OBJECT_STORE,
    },
    // A thread of its own, so that the worker goes on to say that it lives.
    threads: 1,
    now: () => new Date(),
    signal,
    onProgress: (now) => progress(progressOf(now)),
  });
  if (result === null) throw packageGone();
  return result;
}

function progressOf({ phase, done, total }: Progress) {
  return { done, total, unit: 'bytes', text: `${phase}, ${formatBytes(done)} of ${formatBytes(total)}` };
}
