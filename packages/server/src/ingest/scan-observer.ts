/**
 * Looking at GML while it is read for the archive, in the same pass: for checks that are worth no pass of their own.
 */
import type { IssueSink } from '@citymodel/base';
import type { GmlSummary, ScannedFeature } from '@citymodel/citygml';

/**
 * Asked before the first byte of each GML member; null for one that it does not look at. Several members may be open at
 * the same time. What it reports stands among the issues of the ingestion, and of a dry run.
 */
export type ScanObserver = (file: ObservedFile, issue: IssueSink) => FileObserver | null;

export interface ObservedFile {
  /** Path in the package. */
  path: string;
  /** Bytes of its text, as the upload lists them. */
  bytes: number;
}

/** Sees one member. Its time counts as time of reading, which `member-time.ts` bounds. */
export interface FileObserver {
  /** The next bytes of the text, which are good until this returns. The scanner has seen them. */
  text(chunk: Uint8Array, state: ScanState): void;
  /** A feature ends; called before `text` for a chunk that comes no earlier than its end. */
  feature?(feature: ScannedFeature): void;
  /** Waits before the next chunk; null for nothing to wait for. */
  settled?(): Promise<void> | null;
  /** The text has ended; the summary is the scanner's. */
  end(summary: GmlSummary, state: ScanState): void | Promise<void>;
  /** The text is damaged or over a budget, or the ingestion stops: nothing of the member counts. */
  abandon?(): void;
}

/** What the scanner knows after a chunk. */
export interface ScanState {
  /** Offset from which on text belongs to no feature that has ended. */
  readonly openFrom: number;
  /** Offset up to which the scanner has read. */
  readonly readTo: number;
  /** The start tag of the root; empty before it. */
  readonly rootStartTag: Uint8Array;
}
