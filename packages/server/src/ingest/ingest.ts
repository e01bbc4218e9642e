/**
 * The way of a package from an upload to the catalogue.
 *
 *   open upload ─▶ find layout ─▶ identify ─▶ compare with what is live ──▶ unchanged | refused
 *                                    │             │
 *                              (names only)  begin intent
 *                                                  │
 *                       build archive and index in the staging directory
 *                                                  │
 *                          describe (names, licence, LODs, tiles) ──▶ (dry run)
 *                                                  │
 *                        put both objects ─▶ publish in one transaction
 *
 * A dry run goes the same way up to there, so that it finds what an ingestion finds, and deletes what it has built.
 * A process that dies anywhere before the last step leaves an intent and perhaps objects that nothing refers to;
 * the sweep of the next start deletes both. After it, everything is in the catalogue.
 */

import { CatalogueConflict, type CatalogueStore, type ObjectStore, type PackageRow } from '@citymodel/store';
import { AreaNames } from '../catalogue/names/area-reading.ts';
import { compareRevisions } from '../catalogue/names/package-name.ts';
import { buildArchive } from './build-archive.ts';
import { assetPathOf, contentId, uploadDigest } from './content-id.ts';
import { type Description, describe } from './describe.ts';
import { type Identity, identify, type Overrides } from './identify.ts';
import { IssueList } from './issue-list.ts';
import { findLayout, type PackageLayout, rootIssue } from './layout.ts';
import { lookAtNames } from './look-at-names.ts';
import type { ProgressSink } from './progress.ts';
import { type IngestReport, summaryOf } from './report.ts';
import { Staging } from './staging.ts';
import { OverBudget, PackageRefused, type Upload } from './upload.ts';

export interface IngestContext {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** Local directory for unfinished archives, on the object store's file system where that is a directory. */
  stagingDir: string;
  now: () => Date;
}

export interface IngestOptions {
  overrides: Overrides;
  /** Asset path of a package mirrored from elsewhere, `{2 hex}/{rest}`; else it follows from the content. */
  assetPath?: string;
  /** Take the package although a higher revision, or the same with other content, is there. */
  replace: boolean;
  /** Read all of it and tell what an ingestion would, and publish nothing. */
  dryRun: boolean;
  /** Only tell what the names of files say; no file is read, and nothing is published. */
  namesOnly?: boolean;
  /** Deflate level for what is compressed here, 1 to 9. */
  level: number;
  onProgress: ProgressSink;
  /** Ends the ingestion before it is published; it throws the signal's reason then, and leaves nothing behind. */
  signal?: AbortSignal;
}

/** Ingests one upload. Never throws for what is wrong with the package: that is in the report. */
export async function ingest(
  context: IngestContext,
  upload: Upload,
  options: IngestOptions,
): Promise<IngestReport> {
  const started = performance.now();
  const issues = new IssueList();
  for (const issue of upload.issues) issues.sink(issue);
  const finish = (result: Partial<IngestReport> & Pick<IngestReport, 'outcome'>): IngestReport => ({
    upload: upload.location,
    package: null,
    guessed: [],
    issues: issues.all(),
    issueCounts: issues.totals,
    refusal: null,
    bytes: 0,
    seconds: (performance.now() - started) / 1_000,
    ...result,
  });
  try {
    const layout = findLayout(memberNames(upload), upload.location);
    const identity = identify(nameCandidates(upload, layout), layout, options.overrides);
    const odd = rootIssue(layout, identity.name);
    if (odd !== null) issues.sink(odd);
    if (options.namesOnly === true)
      return finish({
        outcome: 'named',
        ...lookAtNames(upload, layout, identity, { overrides: options.overrides, now: context.now() }),
      });
    const live = await livePackage(context.catalogue, identity);
    const digest = digestOf(upload, layout);
    const isLive =
      live !== null && digest !== null && live.name === identity.name && live.uploadDigest === digest;
    if (live !== null && !isLive && !options.replace) {
      if (compareRevisions(identity.revision, live.revision) < 0) throw olderRevision(identity, live);
    }
    if (digest !== null) {
      const twin = await twinPackage(context.catalogue, { uploadDigest: digest }, identity);
      if (twin !== null && !options.replace) throw otherIdentity(identity, twin);
    }
    if (isLive && !options.replace) return finish(await unchanged(context.catalogue, live));
    return await build(context, upload, options, { layout, identity, live, digest, issues, finish });
  } catch (error) {
    if (!(error instanceof PackageRefused)) throw error;
    if (error instanceof OverBudget) issues.sink(error.issue());
    return finish({ outcome: 'refused', refusal: { code: error.code, reason: error.reason } });
  }
}

interface PreparedPackage {
  layout: PackageLayout;
  identity: Identity;
  live: PackageRow | null;
  digest: string | null;
  issues: IssueList;
  finish: (result: Partial<IngestReport> & Pick<IngestReport, 'outcome'>) => IngestReport;
}

async function build(
  context: IngestContext,
  upload: Upload,
  options: IngestOptions,
  { layout, identity, live, digest, issues, finish }: PreparedPackage,
): Promise<IngestReport> {
  const keysOf = (id: string) => ({ archive: `archives/${id}.zip`, index: `archives/${id}.index` });
  try {
    await using staging = await Staging.open(context, (id) => Object.values(keysOf(id)));
    const { archive: archiveKey, index: indexKey } = keysOf(staging.id);
    const built = await buildArchive(upload, layout, {
      directory: staging.directory,
      // What a dry run writes is deleted at once.
      level: options.dryRun ? 1 : options.level,
      label: identity.name,
      issues,
      onProgress: options.onProgress,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    let id: string;
    let twin: PackageRow | null;
    let description: Description;
    try {
      if (identity.kind === 'citygml' && built.types.size === 0) {
        throw new PackageRefused(
          'NO_USABLE_GML',
          `None of the GML files in ${identity.name} can be read; the issues say what is wrong with each.`,
        );
      }
      id = contentId(identity.name, built.index.members());
      if (live !== null && !options.replace) {
        if (live.id === id) {
          return finish({ ...(await unchanged(context.catalogue, live)), bytes: built.bytes });
        }
        if (compareRevisions(identity.revision, live.revision) === 0) throw sameRevision(identity, live);
      }
      twin = await twinPackage(context.catalogue, { id }, identity);
      if (twin !== null && !options.replace) throw otherIdentity(identity, twin);
      description = await describe(identity, layout, built, {
        overrides: options.overrides,
        now: context.now(),
        issue: issues.sink,
        catalogue: context.catalogue,
      });
    } finally {
      await built.close();
    }
    const guessed = [...identity.guessed, ...description.guessed];
    if (options.dryRun) {
      return finish({
        outcome: 'understood',
        package: summaryOf({ ...identity, ...description, id: null, archiveSize: null }),
        guessed,
        bytes: built.bytes,
      });
    }
    options.onProgress({
      label: identity.name,
      phase: 'publishing',
      done: built.bytes,
      total: built.bytes,
      member: null,
    });
    await context.objects.put(archiveKey, built.archivePath, { once: true });
    await context.objects.put(indexKey, built.indexPath, { once: true });
    const publication = {
      package: {
        id,
        kind: identity.kind,
        identity: identity.identity,
        name: identity.name,
        assetPath: options.assetPath ?? assetPathOf(id),
        prefCode: identity.prefCode,
        pref: description.pref,
        cityCode: identity.cityCode,
        city: description.city,
        wardCode: identity.wardCode,
        ward: description.ward,
        areaNames: description.areaNames,
        partNames: description.partNames,
        provider: identity.provider,
        year: identity.year,
        registrationYear: description.registrationYear,
        spec: description.spec,
        revision: identity.revision,
        types: description.types,
        bounds: description.bounds,
        license: description.license,
        guessed,
        archiveKey,
        indexKey,
        archiveSize: built.archiveSize,
        archiveSha256: built.archiveSha256,
        rootPrefix: layout.root,
        memberCount: built.index.count,
        memberBytes: built.bytes,
        metadataZips: description.metadataZips,
        uploadName: upload.name,
        uploadDigest: digest ?? built.digest(),
        features: description.features,
        files: description.files,
        issueCounts: issues.totals,
        ingestedAt: context.now().toISOString(),
        dataset: description.dataset,
      },
      files: built.gmlFiles,
      places: built.places(new AreaNames(description.areas)),
      issues: issues.all(),
      replaces: [live, twin].flatMap((row) => (row === null ? [] : [row.no])),
      intent: staging.id,
    };
    options.signal?.throwIfAborted();
    const row = await staging.commit(() => context.catalogue.publish(publication));
    return finish({
      outcome: live === null && twin === null ? 'published' : 'replaced',
      package: summaryOf(row),
      guessed,
      bytes: built.bytes,
    });
  } catch (error) {
    if (error instanceof CatalogueConflict) {
      throw new PackageRefused(
        'CHANGED_MEANWHILE',
        `${identity.name} was changed by another process while it was being read; ingest it again. (${error.message})`,
        { cause: error },
      );
    }
    throw error;
  }
}

function* memberNames(upload: Upload): Iterable<string> {
  for (const member of upload.members()) yield member.name;
}

/** The upload's own name first, then the innermost directory that holds the package. */
function nameCandidates(upload: Upload, layout: PackageLayout): string[] {
  const directory = layout.root.split('/').at(-2);
  return directory === undefined ? [upload.name] : [upload.name, directory];
}

/** What is said of a package that is live already, with the issues that its ingestion found. */
async function unchanged(catalogue: CatalogueStore, live: PackageRow) {
  return {
    outcome: 'unchanged' as const,
    package: summaryOf(live),
    guessed: live.guessed,
    issues: await catalogue.issues(live.no),
    issueCounts: live.issueCounts,
  };
}

async function livePackage(catalogue: CatalogueStore, identity: Identity): Promise<PackageRow | null> {
  const rows = await catalogue.findPackages({ identity: identity.identity });
  return rows.find((row) => row.state === 'live') ?? null;
}

/** The live package of the same name and content whose code, provider or year the operator said otherwise. */
async function twinPackage(
  catalogue: CatalogueStore,
  content: { id: string } | { uploadDigest: string },
  { name, identity }: Identity,
): Promise<PackageRow | null> {
  const rows = await catalogue.findPackages({ ...content, name });
  return rows.find((row) => row.state === 'live' && row.identity !== identity) ?? null;
}

function digestOf(upload: Upload, layout: PackageLayout): string | null {
  function* relative() {
    for (const { name, size, crc32 } of upload.members()) {
      yield {
        name: name.startsWith(layout.root) ? name.slice(layout.root.length) : `../${name}`,
        size,
        crc32,
      };
    }
  }
  return uploadDigest(relative());
}

function olderRevision(identity: Identity, live: PackageRow): PackageRefused {
  return new PackageRefused(
    'OLDER_REVISION',
    `${identity.name} is revision ${identity.revision}, but ${live.name} (revision ${live.revision}) is there already; ` +
      'give --replace to put the older one in its place.',
  );
}

function sameRevision(identity: Identity, live: PackageRow): PackageRefused {
  return new PackageRefused(
    'SAME_REVISION_OTHER_CONTENT',
    `${live.name} is there already with revision ${live.revision} and other content; raise the revision of ` +
      `${identity.name}, or give --replace.`,
  );
}

function otherIdentity(identity: Identity, twin: PackageRow): PackageRefused {
  return new PackageRefused(
    'SAME_CONTENT',
    `${twin.name} is there already with the same content, as ${twin.identity}; give --replace to make it ` +
      `${identity.identity}, or --name for both.`,
  );
}
