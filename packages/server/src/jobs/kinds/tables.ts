/** The kind `tables`: the features of a package that is served as GeoParquet files. */
import { CatalogueConflict, type NewJob, type PackageRow } from '@citymodel/store';
import { keepHeapSmall } from '../../base/small-heap.ts';
import { type JobContext, type JobKind, JobRefused, ofOtherVersion, packageGone } from '../job-kind.ts';
import { progressOf } from './job-progress.ts';

export interface TablesPayload {
  /** Id of the CityGML package. */
  package: string;
}

export const TABLES: JobKind<TablesPayload> = {
  name: 'tables',
  atOnce: 2,
  memoryMb: 500,
  readPayload(json) {
    const { package: id } = (json ?? {}) as Partial<TablesPayload>;
    if (typeof id !== 'string') {
      throw ofOtherVersion();
    }
    return { package: id };
  },
  run: runTables,
};

/** The job that makes the tables of a package; one at a time for each. */
export function tablesJob(row: Pick<PackageRow, 'id' | 'name'>, maxAttempts: number): NewJob {
  return {
    kind: TABLES.name,
    label: row.name,
    payload: { package: row.id } satisfies TablesPayload,
    maxAttempts,
    exclusive: `${TABLES.name} ${row.id}`,
    unique: `${TABLES.name} ${row.id}`,
    objectKey: null,
  };
}

async function runTables({ package: id }: TablesPayload, context: JobContext): Promise<unknown> {
  const { settings, stores, stagingDir, signal, progress } = context;
  const rows = await stores.catalogue.findPackages({ id });
  const row = rows.find(({ kind, state }) => kind === 'citygml' && state === 'live');
  if (row === undefined) throw packageGone();
  keepHeapSmall();
  // Who only queues such a job, as an ingestion does, need not load what writes tables.
  const { makeTables } = await import('../../tables/make-tables.ts');
  try {
    const tables = await makeTables(
      row,
      { ...stores, stagingDir },
      {
        maxGeometryBytes: settings.FEATURE_GEOMETRY_MB * 1_000_000,
        onProgress: (now) => progress(progressOf(now)),
        signal,
      },
    );
    return { tables };
  } catch (error) {
    if (!(error instanceof CatalogueConflict)) throw error;
    throw new JobRefused(
      'PACKAGE_CHANGED',
      'The package was replaced or removed while its tables were made.',
    );
  }
}
