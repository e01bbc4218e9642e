/** The last door: archive and index go into the store, and the package into the catalogue, in one transaction. */
import { archiveKeys, CatalogueConflict, type CatalogueStore, type ObjectStore } from '@citymodel/store';
import { AreaNames } from '../catalogue/names/area-reading.ts';
import { inspectedOf } from '../quality/kept-report.ts';
import type { BuiltArchive } from './build-archive.ts';
import { assetPathOf } from './content-id.ts';
import type { Description } from './describe.ts';
import type { Identity } from './identify.ts';
import type { IssueList } from './issue-list.ts';
import type { PackageLayout } from './layout.ts';
import { type Ending, qualityOf, summaryOf } from './report.ts';
import type { Staging } from './staging.ts';
import type { Standing } from './standing.ts';
import { PackageRefused, type Upload } from './upload.ts';

/** What the doors before have found. */
export interface Described {
  upload: Upload;
  layout: PackageLayout;
  identity: Identity;
  standing: Standing;
  /** Null where the upload tells no CRCs. */
  uploadDigest: string | null;
  /** Its intent names the keys of both objects. */
  staging: Staging;
  built: BuiltArchive;
  description: Description;
  guessed: string[];
  issues: IssueList;
}

export interface PublishOptions {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** Asset path of a package mirrored from elsewhere; else it follows from the content. */
  assetPath: string | undefined;
  now: Date;
  signal: AbortSignal;
}

/** Keys of archive and index for the id of an intent. */
export function objectKeysOf(id: string): { archiveKey: string; indexKey: string } {
  const { archive, index } = archiveKeys(id);
  return { archiveKey: archive, indexKey: index };
}

/**
 * Publishes what was read, whose files must be closed. Throws PackageRefused when another process has changed what is
 * live meanwhile, and the reason of the signal.
 */
export async function publish(
  {
    upload,
    layout,
    identity,
    standing,
    uploadDigest,
    staging,
    built,
    description,
    guessed,
    issues,
  }: Described,
  { catalogue, objects, assetPath, now, signal }: PublishOptions,
): Promise<Ending> {
  const keys = objectKeysOf(staging.id);
  await objects.put(keys.archiveKey, built.archivePath, { once: true });
  await objects.put(keys.indexKey, built.indexPath, { once: true });
  const { areas, ...described } = description;
  const { name, kind, prefCode, cityCode, wardCode, provider, year, revision } = identity;
  const { report } = built;
  const inspected = report === null ? null : inspectedOf(report, now.toISOString());
  const publication = {
    package: {
      ...described,
      ...keys,
      id: built.id,
      kind,
      identity: identity.identity,
      name,
      assetPath: assetPath ?? assetPathOf(built.id),
      prefCode,
      cityCode,
      wardCode,
      provider,
      year,
      revision,
      guessed,
      archiveSize: built.archiveSize,
      archiveSha256: built.archiveSha256,
      rootPrefix: layout.root,
      memberCount: built.index.count,
      memberBytes: built.bytes,
      uploadName: upload.name,
      uploadDigest: uploadDigest ?? built.digest(),
      issueCounts: issues.totals,
      ingestedAt: now.toISOString(),
      ...(inspected === null ? {} : { quality: inspected.quality }),
    },
    files: built.gmlFiles,
    places: built.places(new AreaNames(areas)),
    issues: issues.all(),
    ...(inspected === null ? {} : { inspected: { report: inspected.report, findings: inspected.findings } }),
    replaces: standing.replaced.map(({ no }) => no),
    intent: staging.id,
  };
  signal.throwIfAborted();
  try {
    const row = await staging.commit(() => catalogue.publish(publication));
    const outcome = publication.replaces.length === 0 ? 'published' : 'replaced';
    return { outcome, package: summaryOf(row), guessed, bytes: built.bytes, quality: qualityOf(report) };
  } catch (error) {
    if (!(error instanceof CatalogueConflict)) throw error;
    throw new PackageRefused(
      'CHANGED_MEANWHILE',
      `${name} was changed by another process while it was being read; ingest it again. (${error.message})`,
      { cause: error },
    );
  }
}
