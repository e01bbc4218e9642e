/** The kind `compare`: two editions of a city are compared feature by feature, and what they differ in is kept. */
import { resolve } from 'node:path';
import type { NewJob, PackageRow } from '@citymodel/store';
import { formatBytes } from '../../base/progress.ts';
import { ComparisonRefused } from '../../changes/compare-in-thread.ts';
import { comparePackages, type Editions } from '../../changes/compare-packages.ts';
import { type JobContext, type JobKind, JobRefused, ofOtherVersion, packageGone } from '../job-kind.ts';

export const COMPARE: JobKind<Editions> = {
  name: 'compare',
  atOnce: 1,
  memoryMb: 1_000,
  readPayload(json) {
    const { from, to, type } = (json ?? {}) as Partial<Editions>;
    if (typeof from !== 'string' || typeof to !== 'string' || typeof type !== 'string') {
      throw ofOtherVersion();
    }
    return { from, to, type };
  },
  run: runCompare,
};

/** The job that compares two packages in one feature type; one at a time for each pair. */
export function compareJob(
  from: Pick<PackageRow, 'id' | 'name'>,
  to: Pick<PackageRow, 'id' | 'name'>,
  type: string,
  maxAttempts: number,
): NewJob {
  const key = `${COMPARE.name} ${from.id} ${to.id} ${type}`;
  return {
    kind: COMPARE.name,
    label: `${from.name}, ${to.name}: ${type}`,
    payload: { from: from.id, to: to.id, type } satisfies Editions,
    maxAttempts,
    exclusive: key,
    unique: key,
    objectKey: null,
  };
}

async function runCompare(
  editions: Editions,
  { settings, stores, stagingDir, signal, progress }: JobContext,
): Promise<unknown> {
  try {
    const summary = await comparePackages(editions, {
      ...stores,
      storeSettings: {
        dataDir: resolve(settings.DATA_DIR),
        databaseUrl: '',
        objectStore: settings.OBJECT_STORE,
      },
      stagingDir,
      signal,
      onProgress: ({ phase, done, total }) =>
        progress({
          done,
          total,
          unit: 'bytes',
          text: `${phase}, ${formatBytes(done)} of ${formatBytes(total)}`,
        }),
    });
    if (summary === null) throw packageGone('One of the packages');
    return summary;
  } catch (error) {
    if (error instanceof ComparisonRefused) throw new JobRefused('TOO_MANY_FEATURES', error.message);
    throw error;
  }
}
