/** One upload from its path to a report, whatever becomes of it: for the command line, and for jobs. */
import { failureOf } from './failure.ts';
import { type IngestContext, type IngestOptions, ingest } from './ingest.ts';
import { openUpload, type UploadPath } from './open-upload.ts';
import type { IngestReport } from './report.ts';
import { OverBudget, PackageRefused } from './upload.ts';

/**
 * Opens the upload and ingests it. What goes wrong is in the report; `onFault` gets errors that nobody foresaw. Throws only the
 * reason of `options.signal`, once that is aborted.
 */
export async function ingestPath(
  path: UploadPath,
  context: IngestContext,
  options: IngestOptions,
  onFault: (error: unknown) => void,
): Promise<IngestReport> {
  try {
    await using upload = await openUpload(path, context);
    return await ingest(context, upload, options);
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    const issues = error instanceof OverBudget ? [error.issue()] : [];
    const refused = error instanceof PackageRefused;
    const refusal = refused ? { code: error.code, reason: error.reason } : failureOf(error);
    if (refusal.code === 'UNFORESEEN') onFault(error);
    return {
      upload: path.path,
      outcome: refused ? 'refused' : 'failed',
      package: null,
      guessed: [],
      issues,
      issueCounts: { error: issues.length, warning: 0, info: 0 },
      refusal,
      bytes: 0,
      seconds: 0,
    };
  }
}
