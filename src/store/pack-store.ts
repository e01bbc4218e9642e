import type { MetadataDirectory, PackageRow } from './rows.ts';

/** The only four words that a caller ever sees (interface specification, "States and transitions"). */
export type PackStatus = 'accepted' | 'processing' | 'succeeded' | 'failed';

/** What a pack takes from one package. */
export interface PackSource {
  packageId: PackageRow['id'];
  /** Directory of its members in the zip: the package's name, or one made different from another package's. */
  directory: string;
  archiveKey: string;
  indexKey: string;
  /** SHA-256 of the archive, lower-case hex. */
  archiveSha256: string;
  /** Paths of the chosen GML files in the package, each once, by their bytes. */
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

/** Work on one pack by one worker, until its lease ends. */
export interface PackClaim {
  id: string;
  run: number;
  /** How often work on it has begun since it was accepted, this time included. */
  tries: number;
  sources: PackSource[];
}

export interface ClaimOptions {
  /** Name of the worker, unlike that of any other, ever. */
  worker: string;
  now: number;
  /** Until when the worker must have shown life again. */
  leaseUntil: number;
  /** Workers that are known to be dead: their packs are taken over before their leases end. */
  dead: readonly string[];
  /** A pack whose workers died so often is given up. */
  maxTries: number;
  /** Of a pack that is given up. */
  expiresAt: number;
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
 * Packs in the database, which is also the queue of their workers. Every method is one transaction; a database
 * that cannot answer throws `StoreUnavailable`.
 *
 *                            ┌── release, lease over, worker dead ──┐
 *                            ▼                                      │
 *   accept ──▶ accepted ── claim ──▶ processing (lease, run n) ─────┘
 *      ▲                              │ succeed        │ fail, too many tries
 *      │                              ▼                ▼
 *      ├── other content, expired ─ succeeded        failed
 *      └── failed, expired ───────────────────────────┘      both: forget, some time after they expired
 *
 * A run that lost its lease can change nothing any more: its number is no longer the pack's.
 */
export interface PackStore {
  /**
   * Accepts a pack, or finds the one that is there: a succeeded one of the same content keeps its zip and expires
   * at `expiresAt`; a failed or expired one, or one of other content, starts again. Throws CatalogueConflict when a
   * package of it has been forgotten meanwhile.
   */
  accept(request: PackRequest, times: { now: number; expiresAt: number }): Promise<PackRow>;
  /** Packs that have not expired. */
  find(ids: readonly string[], now: number): Promise<PackRow[]>;
  /** The packs that were accepted last, the newest first; expired ones are left out. */
  recent(limit: number, now: number): Promise<PackRow[]>;

  /** Takes the next pack to work on: the one with the fewest tries, then the oldest. Null when there is none. */
  claim(options: ClaimOptions): Promise<PackClaim | null>;
  /** Workers that hold packs now. */
  holders(): Promise<string[]>;
  /** Extends the lease; `progress` below 1 never goes back. False when the claim is lost. */
  touch(claim: PackClaim, progress: number, leaseUntil: number): Promise<boolean>;
  /** False, without effect, when the claim is lost; as `fail` and `release`. */
  succeed(claim: PackClaim, result: PackResult): Promise<boolean>;
  fail(claim: PackClaim, reason: string, times: { now: number; expiresAt: number }): Promise<boolean>;
  /** Gives a pack back, for others to take from the given time on; `counts` false takes the try back too. */
  release(claim: PackClaim, from: number, counts: boolean): Promise<boolean>;

  /** Packs that expired before the given time, the first to expire first, with what they take; see `bytes`. */
  expired(before: number): Promise<Array<{ id: string; run: number; bytes: number }>>;
  /** What all packs take of the database, about, and of the object store. */
  bytes(): Promise<number>;
  /** Forgets a pack unless it has started again since; its archives may go then. */
  forget(id: string, run: number, before: number): Promise<boolean>;
  /** True when a pack needs the archive. */
  refersTo(archiveKey: string): Promise<boolean>;
  /**
   * Calls `heard` when a pack may have been accepted or finished, in any process, until the function that it gives is called. Not
   * every store can tell, so callers look regularly as well.
   */
  listen(heard: () => void): () => void;
}
