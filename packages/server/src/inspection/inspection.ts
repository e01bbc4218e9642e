/**
 * Inspects a package that is served, and keeps what was found with it.
 *
 *   row ─▶ files in threads, from the archive ─▶ join ─▶ report and places, one transaction ─▶ catalogue
 */
import type { InspectReport } from '@citymodel/inspect';
import type { CatalogueStore, ObjectStore, PackageRow } from '@citymodel/store';
import { type LongTask, over, runTask } from '../base/long-task.ts';
import type { ProgressSink } from '../base/progress.ts';
import { inspectedOf } from '../quality/kept-report.ts';
import { inspectPackage } from './inspect-package.ts';

export interface InspectionContext {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** How threads open the object store. */
  storeSettings: unknown;
  threads: number;
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
}

/** Null when the package is gone before its findings could be kept. Throws what reading its archive throws. */
export function inspectHosted(row: PackageRow, context: InspectionContext): Promise<InspectionResult | null> {
  const { signal, onProgress } = context;
  return runTask(inspection(row, context), { signal, onProgress });
}

function inspection(
  row: PackageRow,
  { catalogue, objects, storeSettings, threads, now }: InspectionContext,
): LongTask<PackageRow, InspectReport, InspectReport, InspectionResult | null> {
  return {
    label: () => row.name,
    async plan() {
      const [found] = await catalogue.findPackages({ id: row.id });
      return found === undefined ? over(null) : found;
    },
    parts: (found, { signal, tell }) =>
      inspectPackage(
        { kind: 'hosted', row: found },
        { threads, signal, onProgress: tell, hosted: { objects, settings: storeSettings } },
      ),
    join: async (report) => report,
    async publish(report) {
      const { ok, complete } = report;
      const inspected = inspectedOf(report, now().toISOString());
      const isKept = await catalogue.setQuality({ packageNo: row.no, ...inspected });
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
      };
    },
  };
}
