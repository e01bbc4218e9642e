/** The kind `pictures`: how a package of 3D Tiles that is served looks, for lists and links. */
import { sharedNow } from '@citymodel/base';
import { CatalogueConflict, type JobStore, type NewJob, type PackageRow } from '@citymodel/store';
import type { Settings } from '../../base/settings.ts';
import { type JobContext, type JobKind, JobRefused, ofOtherVersion, packageGone } from '../job-kind.ts';

export interface PicturesPayload {
  /** Id of the package of 3D Tiles. */
  package: string;
}

export const PICTURES: JobKind<PicturesPayload> = {
  name: 'pictures',
  atOnce: 1,
  memoryMb: 700,
  isPatient: true,
  readPayload(json) {
    const { package: id } = (json ?? {}) as Partial<PicturesPayload>;
    if (typeof id !== 'string') {
      throw ofOtherVersion();
    }
    return { package: id };
  },
  run: runPictures,
};

/** The job that draws a package; one at a time for each. */
export function picturesJob(row: Pick<PackageRow, 'id' | 'name'>, maxAttempts: number): NewJob {
  const key = `${PICTURES.name} ${row.id}`;
  return {
    kind: PICTURES.name,
    label: row.name,
    payload: { package: row.id } satisfies PicturesPayload,
    maxAttempts,
    exclusive: key,
    unique: key,
    objectKey: null,
  };
}

/** What an ingestion says of a package. */
interface Published {
  outcome: string;
  package: { kind: string | null; id: string | null; name: string } | null;
}

/** Queues the pictures of packages of tiles that were published just now. */
export async function queuePictures(
  reports: readonly Published[],
  jobs: Pick<JobStore, 'enqueue'>,
  settings: Pick<Settings, 'PICTURES' | 'JOB_ATTEMPTS'>,
): Promise<void> {
  if (settings.PICTURES === 'off') return;
  const list = reports.flatMap(({ outcome, package: published }) => {
    const isNew = outcome === 'published' || outcome === 'replaced';
    if (!isNew || published?.kind !== '3dtiles' || published.id === null) return [];
    return [picturesJob({ id: published.id, name: published.name }, settings.JOB_ATTEMPTS)];
  });
  if (list.length > 0) await jobs.enqueue(list, sharedNow());
}

async function runPictures({ package: id }: PicturesPayload, context: JobContext): Promise<unknown> {
  const { stores, stagingDir, signal, progress } = context;
  // Who only queues such a job need not load what draws.
  const { isDrawn, makePictures } = await import('../../pictures/draw-package.ts');
  const rows = await stores.catalogue.findPackages({ id });
  const row = rows.find((found) => isDrawn(found) && found.state === 'live');
  if (row === undefined) throw packageGone('The package of 3D Tiles');
  progress({ done: 0, total: 1, unit: 'packages', text: `drawing ${row.name}` });
  try {
    return await makePictures(row, { ...stores, stagingDir }, { signal });
  } catch (error) {
    if (!(error instanceof CatalogueConflict)) throw error;
    throw new JobRefused('PACKAGE_CHANGED', 'The package was replaced or removed while it was drawn.');
  }
}
