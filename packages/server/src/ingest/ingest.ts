/**
 * The way of an upload into the catalogue: one line with six doors, each of which it enters once.
 *
 *   open ─▶ look ─▶ identify ─────▶ read ─────────────▶ describe ─────▶ publish
 *  members  layout  name, code,     archive and index   names, licence, objects, then
 *                   what is live    in staging          LODs, tiles     one transaction
 *                      │               │                   │               │
 *                names only,       unchanged            dry run         ingestion
 *                unchanged
 *
 * As a long task, the first three are its plan, to read is to make its parts, to describe is to join them. A dry run
 * and a look at names are the same line, stopped at an earlier door, so they report what an ingestion reports.
 * `standing.ts` alone asks the catalogue what is live. A process that dies anywhere before the last step leaves an
 * intent and perhaps objects that nothing refers to; the sweep of the next start deletes both. After it, everything is
 * in the catalogue.
 */

import type { Issue, IssueSink } from '@citymodel/base';
import type { CatalogueStore, ObjectStore } from '@citymodel/store';
import { type LongTask, over, runTask } from '../base/long-task.ts';
import type { ProgressSink } from '../base/progress.ts';
import { type BuiltArchive, buildArchive } from './build-archive.ts';
import { listedDigest } from './content-id.ts';
import { describe } from './describe.ts';
import { failureOf } from './failure.ts';
import { addSamples, meshesOf } from './finding-samples.ts';
import { type Identity, identifyUpload, type Overrides } from './identify.ts';
import { IssueList } from './issue-list.ts';
import { layoutOf, type PackageLayout } from './layout.ts';
import { lookAtNames } from './look-at-names.ts';
import { openUpload, type UploadPath } from './open-upload.ts';
import { type Described, objectKeysOf, publish } from './publish.ts';
import { type FindingsRefused, refuseFindings } from './refuse-findings.ts';
import { type Ending, type IngestReport, qualityOf, summaryOf } from './report.ts';
import type { ScanObserver } from './scan-observer.ts';
import { Staging } from './staging.ts';
import { Standing } from './standing.ts';
import { OverBudget, PackageRefused, type Upload } from './upload.ts';

/**
 * Of so many features an ingestion looks at the attributes of one, of more in a package of many bytes: those of all
 * would make it half as slow again.
 */
const EVERY = 16;
const LARGE_BYTES = 32 << 20;
const EVERY_OF_LARGE = 64;
const everyOf = (bytes: number) => (bytes > LARGE_BYTES ? EVERY_OF_LARGE : EVERY);

/** Doors at which an upload may stop: names only, a dry run, an ingestion. */
export type LastDoor = 'identify' | 'describe' | 'publish';

export interface IngestContext {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** Local directory for unfinished archives, on the object store's file system where that is a directory. */
  stagingDir: string;
  now: () => Date;
}

export interface IngestOptions {
  /** The door it is to pass last; `publish` when absent. What was built up to an earlier one is deleted. */
  until?: LastDoor;
  overrides?: Overrides;
  /** Asset path of a package mirrored from elsewhere, `{2 hex}/{rest}`; else it follows from the content. */
  assetPath?: string;
  /** Ingest the package although a higher revision, or the same with other content, is live. */
  replace?: boolean;
  /** Deflate level for what is compressed here, 1 to 9; 6 when absent. */
  level?: number;
  onProgress?: ProgressSink;
  /** Which findings of quality the operator refuses. */
  refuses?: FindingsRefused;
  /** Sees the text of every GML file in the pass that reads it. */
  observer?: ScanObserver;
  /** Ends the ingestion before it is published; it throws the signal's reason then, and leaves nothing behind. */
  signal?: AbortSignal;
  /** Gets errors that nobody foresaw, which are then in the report; absent, they are thrown. */
  onFault?: (error: unknown) => void;
}

/**
 * Ingests one upload, or takes it as far as `until`. What is wrong with the package, or with a disk or a store, is in
 * the report. Throws the reason of `signal` once that is aborted, and what nobody foresaw where no `onFault` is there
 * to get it.
 */
export async function ingest(
  path: UploadPath,
  context: IngestContext,
  options: IngestOptions = {},
): Promise<IngestReport> {
  const started = performance.now();
  const issues = new IssueList();
  const reportOf = (refusal: IngestReport['refusal'], ending: Ending): IngestReport => ({
    upload: path.path,
    issues: issues.all(),
    issueCounts: issues.totals,
    refusal,
    bytes: 0,
    seconds: (performance.now() - started) / 1_000,
    ...ending,
  });
  try {
    const { signal, onProgress } = options;
    const task = ingestion(path, context, options, issues);
    return reportOf(null, await runTask(task, { signal, onProgress }));
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (error instanceof OverBudget) issues.sink(error.issue());
    const isRefused = error instanceof PackageRefused;
    const refusal = isRefused ? { code: error.code, reason: error.reason } : failureOf(error);
    if (refusal.code === 'UNFORESEEN') {
      if (options.onFault === undefined) throw error;
      options.onFault(error);
    }
    return reportOf(refusal, { outcome: isRefused ? 'refused' : 'failed', package: null, guessed: [] });
  }
}

/** What an upload is, before a file of it is read. */
interface Identified {
  upload: Upload;
  layout: PackageLayout;
  identity: Identity;
}

/** Its archive, in staging. */
interface Read extends Identified {
  standing: Standing;
  uploadDigest: string | null;
  staging: Staging;
  built: BuiltArchive;
}

/** The line as a long task. It throws PackageRefused for what cannot go in. */
function ingestion(
  path: UploadPath,
  context: IngestContext,
  { overrides = {}, until = 'publish', level = 6, replace = false, ...options }: IngestOptions,
  issues: IssueList,
): LongTask<Identified, Read, Described, Ending> {
  const now = context.now();
  let label = path.path;
  return {
    label: () => label,

    async plan({ keep }) {
      const upload = keep(await openUpload(path, context));
      passOn(upload.issues, issues.sink);
      const layout = layoutOf(upload);
      const identity = identifyUpload(upload, layout, overrides, issues.sink);
      label = identity.name;
      if (until === 'identify') {
        return over({ outcome: 'named', ...lookAtNames(upload, layout, identity, { overrides, now }) });
      }
      return { upload, layout, identity };
    },

    async parts({ upload, layout, identity }, { keep, signal, tell }) {
      const standing = await Standing.of(context.catalogue, identity, replace);
      const uploadDigest = listedDigest(upload, layout.root);
      const listed = await standing.meet({ uploadDigest });
      if (listed !== null) return over(listed);
      const staging = keep(await Staging.open(context, (id) => Object.values(objectKeysOf(id))));
      const built = keep(
        await buildArchive(upload, layout, {
          directory: staging.directory,
          // What a dry run writes is deleted at once.
          level: until === 'publish' ? level : 1,
          name: identity.name,
          issues,
          tell,
          observer: options.observer,
          // A dry run is asked for what is wrong, and may take its time.
          everyOf: until === 'publish' && options.refuses === undefined ? everyOf : () => 1,
          signal,
        }),
      );
      const read = await standing.meet({ id: built.id });
      if (read !== null) return over({ ...read, bytes: built.bytes });
      return { upload, layout, identity, standing, uploadDigest, staging, built };
    },

    async join(read, { signal }) {
      const { identity, layout, built, standing } = read;
      if (built.report !== null) {
        await refuseFindings(options.refuses, {
          name: identity.name,
          path: path.path,
          report: built.report,
          signal,
        });
      }
      const facts = { overrides, now, issue: issues.sink, standing };
      const description = await describe(identity, layout, built, facts);
      const guessed = [...identity.guessed, ...description.guessed];
      if (until === 'describe') {
        const summary = summaryOf({ ...identity, ...description, id: null, archiveSize: null });
        const quality = qualityOf(built.report);
        await addSamples(quality, built.files);
        const meshes = meshesOf(built.files);
        const { bytes } = built;
        return over({ outcome: 'understood', package: summary, guessed, bytes, quality, meshes });
      }
      await built.close();
      return { ...read, description, guessed, issues };
    },

    publish(described, { signal, tell }) {
      const { bytes } = described.built;
      tell({ phase: 'publishing', done: bytes, total: bytes, member: null });
      return publish(described, { ...context, assetPath: options.assetPath, signal, now: context.now() });
    },
  };
}

function passOn(issues: Iterable<Issue>, sink: IssueSink): void {
  for (const issue of issues) sink(issue);
}
