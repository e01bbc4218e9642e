/**
 * Looking at GML while it is read for the archive, in the same pass: for checks that are worth no pass of their own.
 */
import type { IssueSink } from '@citymodel/base';
import type { GmlSummary } from '@citymodel/citygml';

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
  text(chunk: Uint8Array): void;
  /** A feature ends at this offset of the text; called before `text` for the chunk that has the end. */
  featureEnd?(offset: number): void;
  /** The text has ended; the summary is the scanner's. */
  end(summary: GmlSummary): void;
  /** The text is damaged or over a budget, or the ingestion stops: nothing of the member counts. */
  abandon?(): void;
}
