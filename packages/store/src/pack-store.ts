import type { JobClaim, NewJob } from './job-store.ts';
import type { MetadataDirectory, PackageRow } from './rows.ts';

/** The only four words that a caller ever sees (interface specification, "States and transitions"). */
export type PackStatus = 'accepted' | 'processing' | 'succeeded' | 'failed';

/**
 * What a pack takes of one object: members of an archive, or, where there is no index, the object itself as a file,
 * such as a table of features.
 */
export interface PackSource {
  packageId: PackageRow['id'];
  /** Directory of its members in the zip: the package's name, or one made different from another package's. */
  directory: string;
  /** Key of the archive, or of the object that is taken whole. */
  archiveKey: string;
  /** '' for an object that is taken whole. */
  indexKey: string;
  /** SHA-256 of the archive or object, lower-case hex. */
  archiveSha256: string;
  /** Paths of the chosen GML files in the package, each once, by their bytes; or the one name of the object. */
  files: string[];
  /** Directories that are taken whole. */
  metadata: MetadataDirectory[];
}

/** A pack that somebody asks for. */
export interface PackRequest {
  /** Lower-case hex SHA-256 of its URLs. */
  id: string;
  sources: PackSource[];
}

/** A pack as the database keeps it. All times are milliseconds since 1970. */
export interface PackRow {
  id: string;
  status: PackStatus;
  /** 0 to 1; exactly 1 when, and only when, it succeeded. */
  progress: number;
  /** Grows whenever work on it begins, or it starts again; the objects of a run carry its number. */
  run: number;
  acceptedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  /** When it is forgotten; null while it is not finished. */
  expiresAt: number | null;
  /** Why it failed, a sentence. */
  reason: string | null;
  /** Bytes of the zip, and its members. Null until it succeeded, like the fields below. */
  size: number | null;
  files: number | null;
  /** What decides the zip's bytes, lower-case hex; see `layoutDigest`. */
  digest: string | null;
  /** The object that holds the layout, or the zip itself. */
  objectKey: string | null;
  /** True when `objectKey` is the zip itself. */
  materialised: boolean;
  /** Paths that the chosen files refer to and their packages lack, the first of them by name … */
  missing: string[];
  /** … of so many. */
  missingCount: number;
}

/** The object with the sums of the pages of a pack's zip, where that is written out. */
export function packSumsKey(zipKey: string): string {
  return `${zipKey}.sums`;
}

/** Kind of the jobs that make packs. */
export const PACK_KIND = 'pack';
/** Attempts of a job that makes a pack. One that fails fails for good, so these are deaths of workers. */
const PACK_ATTEMPTS = 10;

/** The job that makes a pack. Anybody who has the whole id may download the pack, so people see its beginning only. */
export function packJob(id: string): NewJob {
  return {
    kind: PACK_KIND,
    label: id.slice(0, 8),
    payload: { pack: id },
    maxAttempts: PACK_ATTEMPTS,
    exclusive: null,
    unique: null,
    objectKey: null,
  };
}

/** Work on one pack by one attempt of its job. */
export interface PackRun {
  id: string;
  run: number;
  sources: PackSource[];
}

export interface PackResult {
  now: number;
  expiresAt: number;
  size: number;
  files: number;
  digest: string;
  objectKey: string;
  materialised: boolean;
  missing: string[];
  missingCount: number;
  /** Bytes of the object. */
  objectBytes: number;
}

/**
 * Packs in the database. A job makes each, see `JobStore`; it is queued when the pack is accepted. Every method is one
 * transaction; a database that cannot answer throws `StoreUnavailable`.
 *
 *   accept ──▶ accepted ── begin ──▶ processing (run n) ── begin, by the job's next attempt ──▶ processing (run n + 1)
 *      ▲                              │ succeed        │ fail; mend, when the job was given up or cancelled
 *      │                              ▼                ▼
 *      ├── other content, expired ─ succeeded        failed
 *      └── failed, expired ───────────────────────────┘      both: forget, some time after they expired
 *
 * A run that another one followed can change nothing any more: its number is no longer the pack's.
 */
export interface PackStore {
  /**
   * Accepts a pack and queues its job, or finds the pack that is there: a succeeded one of the same content keeps its
   * zip and expires at `expiresAt`; a failed or expired one, one of other content, or one of the run `lost`, whose
   * object is gone, starts again. Throws CatalogueConflict when a package of it has been forgotten meanwhile.
   */
  accept(
    request: PackRequest,
    options: { now: number; expiresAt: number; lost?: number | undefined },
  ): Promise<PackRow>;
  /** Packs that have not expired. */
  find(ids: readonly string[], now: number): Promise<PackRow[]>;
  /** The packs that were accepted last, the newest first; expired ones are left out. */
  recent(limit: number, now: number): Promise<PackRow[]>;

  /** Begins a run. Null when the pack is finished or gone, is another job's, or when this attempt has lost its job. */
  begin(id: string, job: Pick<JobClaim, 'id' | 'run'>, now: number): Promise<PackRun | null>;
  /**
   * Notes progress, below 1; it never goes back. False, without effect, when the run is not the pack's any more; as the
   * next two.
   */
  advance(run: PackRun, progress: number): Promise<boolean>;
  succeed(run: PackRun, result: PackResult): Promise<boolean>;
  fail(run: PackRun, reason: string, times: { now: number; expiresAt: number }): Promise<boolean>;
  /**
   * Fails packs whose job was given up or cancelled, and queues a job for those that have none: they were accepted by
   * an older version of this program, or their job was forgotten. Gives how many.
   */
  mend(times: { now: number; expiresAt: number }): Promise<number>;

  /** Packs that expired before the given time, the first to expire first, with what they take; see `bytes`. */
  expired(before: number): Promise<Array<{ id: string; run: number; bytes: number }>>;
  /** What all packs take of the database, about, and of the object store. */
  bytes(): Promise<number>;
  /** Forgets a pack unless it has started again since; its archives may go then. */
  forget(id: string, run: number, before: number): Promise<boolean>;
  /**
   * Notes objects of packs that no row refers to, at one look at the objects. Gives those that were noted first at
   * `before` or earlier and at every look since, and forgets them: they are to be deleted.
   */
  noteOrphans(keys: readonly string[], times: { now: number; before: number }): Promise<string[]>;
  /** Ends a look that began at the given time: what it has not noted is no orphan any more. */
  endLook(began: number): Promise<void>;
  /** True when a pack needs the archive. */
  refersTo(archiveKey: string): Promise<boolean>;
  /**
   * Calls `heard` when a pack may have been finished, in any process, until the function that it gives is called. Not
   * every store can tell, so callers look regularly as well.
   */
  listen(heard: () => void): () => void;
}
