/** What makes a whole file unusable as a zip. */
export type ZipRefusal =
  /** No end-of-directory record and no local header: something else. */
  | 'NOT_A_ZIP'
  /** Begins like a zip, or points past its end: cut off. */
  | 'TRUNCATED'
  /** Split over several files. */
  | 'MULTI_DISK'
  /** Counts, sizes or offsets of the directory contradict each other or the file. */
  | 'DIRECTORY_LIES'
  /** Members share bytes, so that a small file unpacks to far more than it holds. */
  | 'ZIP_BOMB'
  /** More members than the limit. */
  | 'TOO_MANY_MEMBERS';

/** Thrown when nothing of a zip can be trusted; defects of single members are issues instead. */
export class ZipRefused extends Error {
  readonly code: ZipRefusal;
  /** A full sentence: what was found and what was expected. */
  readonly reason: string;

  constructor(code: ZipRefusal, reason: string) {
    super(`${code}: ${reason}`);
    this.name = 'ZipRefused';
    this.code = code;
    this.reason = reason;
  }
}
