/** What a job does, and what it gets for that. Who hands jobs out does not matter here. */

import type {
  CatalogueStore,
  ComparisonStore,
  JobClaim,
  JobProgress,
  JobStore,
  ObjectStore,
  PackStore,
} from '@citymodel/store';
import type { Logger } from 'pino';
import type { Settings } from '../base/settings.ts';

/** The stores that jobs work on. */
export interface JobStores {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  packs: PackStore;
  jobs: JobStore;
  comparisons: ComparisonStore;
}

/** What an attempt works with. */
export interface JobContext {
  settings: Settings;
  stores: JobStores;
  /** Which attempt it is. */
  claim: Pick<JobClaim, 'id' | 'run'>;
  /** Existing local directory for unfinished work; see `Staging`. */
  stagingDir: string;
  log: Logger;
  /** Aborted when the attempt has to end: its kind then throws the reason soon, and leaves nothing behind. */
  signal: AbortSignal;
  /** Tells how far the attempt has come; cheap, so that it may be called often. */
  progress(progress: JobProgress): void;
}

/** How long a job, and what belongs to it, stay. */
export interface Retention<Payload> {
  /** An attempt has JOB_TIMEOUT_S, or `own` time, which the kind keeps by itself. */
  attempt?: 'JOB_TIMEOUT_S' | 'own';
  /**
   * A job that succeeded stays for JOB_RETENTION_S, or is forgotten at once: one that runs every minute is of no
   * interest then.
   */
  succeeded?: 'JOB_RETENTION_S' | 'forgotten';
  /** The object of a job that succeeded goes at once, or stays as long as the job. */
  object?(payload: Payload): 'deleted' | 'kept';
}

/** A kind of jobs. */
export interface JobKind<Payload = unknown> {
  readonly name: string;
  /** Jobs of this kind that one worker runs at once, at most. */
  readonly atOnce: number;
  /** Memory that one job takes at most, about, MB. */
  readonly memoryMb: number;
  /** True where nobody waits for a job: those of other kinds begin before it. */
  readonly isPatient?: true;
  /**
   * Absent, its jobs stay for JOB_RETENTION_S, their uploads until they have succeeded, and an attempt has
   * JOB_TIMEOUT_S.
   */
  readonly retention?: Retention<Payload>;
  /** The payload of a job, checked. Throws JobRefused for one that this version of the program cannot read. */
  readPayload(json: unknown): Payload;
  /**
   * Does the work, and gives a result that is JSON. It may run again after it was killed at any moment. Throws
   * JobRefused when trying again is of no use, anything else for another attempt.
   */
  run(payload: Payload, context: JobContext): Promise<unknown>;
  /**
   * Brings what the jobs are about and the jobs into line; called every so often by workers. Gives how many were not.
   */
  mend?(context: Pick<JobContext, 'settings' | 'stores'>): Promise<number>;
}

/** Work that failed for a reason that has a name; the message is for the operator. */
class NamedFailure extends Error {
  /** One of those in docs/issues.md. */
  readonly code: string;
  /** JSON for the result of the job. */
  readonly result: unknown;
  constructor(code: string, reason: string, result: object | null = null) {
    super(reason);
    this.code = code;
    this.result = { ...refusedAs(code), ...result };
  }
}

/** Work that failed for good. */
export class JobRefused extends NamedFailure {
  override readonly name = 'JobRefused';
}

/** Work that failed and may succeed later. */
export class JobFailed extends NamedFailure {
  override readonly name = 'JobFailed';
}

/** Of a payload that this version of the program does not know. */
export function ofOtherVersion(): JobRefused {
  return new JobRefused(
    'OTHER_VERSION',
    'This version of the program cannot read the job; ask for it again.',
  );
}

/** Of a job whose package has left the catalogue since it was asked for. */
export function packageGone(what = 'The CityGML package'): JobRefused {
  return new JobRefused('PACKAGE_GONE', `${what} is not served any more.`);
}

/** What the result of a job says of an attempt that failed, as the report of an ingestion does. */
export function refusedAs(code: string): { refusal: { code: string } } {
  return { refusal: { code } };
}
