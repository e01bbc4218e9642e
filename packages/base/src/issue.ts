/**
 * What is wrong with given data, collected instead of thrown: the rest of a package goes in and every
 * issue is listed.
 */

export type IssueSeverity = 'error' | 'warning' | 'info';

export interface Issue {
  /** Stable upper-snake-case code, listed in `docs/issues.md`. */
  code: string;
  severity: IssueSeverity;
  /** One full sentence: what was found, and what was expected. */
  message: string;
  /** Path of the member inside the package, `/`-separated, or null for the package itself. */
  member: string | null;
  /** 1-based line in the member's text, where known. */
  line?: number;
  /** 0-based byte offset in the member's text, where known. */
  byte?: number;
}

/** Called for each issue; implementations bound how many they keep per code and member. */
export type IssueSink = (issue: Issue) => void;
