/**
 * Inspects a package that is served, and keeps what was found with it.
 *
 *   row ─▶ files in threads, from the archive ─▶ join ─▶ report and places, one transaction ─▶ catalogue
 *            └── the result of each is kept: an inspection that was killed goes on with those that are left
 */
import type { InspectReport } from '@citymodel/inspect';
import type { CatalogueStore, ObjectStore, PackageRow } from '@citymodel/store';
import { type LongTask, over, runTask } from '../base/long-task.ts';
import type { ProgressSink } from '../base/progress.ts';
import { inspectedOf } from '../quality/kept-report.ts';
import { inspectPackage } from './inspect-package.ts';
import { KeptResults, sweepKeptResults } from './kept-results.ts';

export interface InspectionContext {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** How threads open the object store. */
  storeSettings: unknown;
  threads: number;
  /** Local directory for results of files until the findings are published. */
  resultsDir: string;
  now(): Date;
  signal: AbortSignal;
  onProgress: ProgressSink;
}

/** What an inspection of a served package tells. */
export interface InspectionResult {
  package: string;
  ok: boolean;
  complete: boolean;
  errors: number;
  warnings: number;
  /** Errors by check, of those that found any. */
  found: Record<string, number>;
  /** Files that an inspection before, which was stopped, had read. */
  reused: number;
}

/** Null when the package is gone before its findings could be kept. Throws what reading its archive throws. */
export function inspectHosted(row: PackageRow, context: InspectionContext): Promise<InspectionResult | null> {
  const { signal, onProgress } = context;
  return runTask(inspection(row, context), { signal, onProgress });
}

function inspection(
  row: PackageRow,
  { catalogue, objects, storeSettings, threads, resultsDir, now }: InspectionContext,
): LongTask<PackageRow, InspectReport, InspectReport, InspectionResult | null> {
  const kept = new KeptResults(resultsDir, row.id);
  let reused = 0;
  return {
    label: () => row.name,
    async plan() {
      await kept.touch();
      await sweepKeptResults(resultsDir, Date.now());
      const [found] = await catalogue.findPackages({ id: row.id });
      return found === undefined ? over(null) : found;
    },
    parts: (found, { signal, tell }) =>
      inspectPackage(
        { kind: 'hosted', row: found },
        {
          threads,
          signal,
          onProgress: tell,
          hosted: { objects, settings: storeSettings },
          kept,
          onReused: (files) => {
            reused = files;
          },
        },
      ),
    join: async (report) => report,
    async publish(report) {
      const { ok, complete } = report;
      const inspected = inspectedOf(report, now().toISOString());
      const isKept = await catalogue.setQuality({ packageNo: row.no, ...inspected });
      await kept.drop();
      if (!isKept) return null;
      const { errors, warnings } = inspected.quality;
      const found = report.checks.filter((check) => check.errors > 0);
      return {
        package: row.name,
        ok,
        complete,
        errors,
        warnings,
        found: Object.fromEntries(found.map((check) => [check.code, check.errors])),
        reused,
      };
    },
  };
}
