/**
 * Inspects a package that is served, and keeps what was found with it.
 *
 *   row ─▶ files in threads, from the archive ─▶ join ─▶ report and places, one transaction ─▶ catalogue
 */
import { CHECKS, type InspectReport, type ReportCheck } from '@citymodel/inspect';
import type { CatalogueStore, FindingRow, ObjectStore, PackageRow } from '@citymodel/store';
import { type LongTask, over, runTask } from '../base/long-task.ts';
import type { ProgressSink } from '../base/progress.ts';
import { inspectPackage } from './inspect-package.ts';

/** Places of one check that are kept; all are counted. */
const KEPT_PLACES = 1000;

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

/** The report without places, as it is kept. */
export type KeptReport = Omit<InspectReport, 'checks'> & { checks: Array<Omit<ReportCheck, 'items'>> };

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
      const sumOf = (severity: string) =>
        report.checks.reduce((sum, check) => sum + (check.severity === severity ? check.errors : 0), 0);
      const [errors, warnings] = [sumOf('error'), sumOf('warning')];
      const { spec, ok, complete } = report;
      const isKept = await catalogue.setQuality({
        packageNo: row.no,
        quality: { spec, errors, warnings, complete, checkedAt: now().toISOString() },
        report: JSON.stringify(keptReport(report)),
        findings: findingsOf(report),
      });
      if (!isKept) return null;
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

function keptReport(report: InspectReport): KeptReport {
  const checks = report.checks.map(({ items, ...check }) => ({
    ...check,
    left: check.left + Math.max(0, items.length - KEPT_PLACES),
  }));
  return { ...report, checks };
}

function* findingsOf({ checks }: InspectReport): Generator<FindingRow> {
  let position = 0;
  for (const { code, items } of checks) {
    for (const { file, id, ref, line, type, lod, message, position: at, row } of items.slice(
      0,
      KEPT_PLACES,
    )) {
      const isPlaced = at != null && at.length === 3 && at.every(Number.isFinite);
      yield {
        position: position++,
        code,
        file,
        id,
        ref,
        line,
        type,
        lod,
        message,
        place: isPlaced ? at : null,
        row: row ?? null,
      };
    }
  }
}

/** The report of a package as it was, from what is kept of it. */
export function reportFrom(kept: KeptReport, findings: readonly FindingRow[]): InspectReport {
  const byCode = Map.groupBy(findings, ({ code }) => code);
  return {
    ...kept,
    checks: kept.checks.map((check) => ({
      ...check,
      items: (byCode.get(check.code) ?? []).map(({ place, row, position: _, code: __, ...item }) => ({
        ...item,
        position: place,
        ...(row === null ? {} : { row }),
      })),
    })),
  };
}

/** The facts of a check in both languages; null for one that this version does not know. */
export function factsOfCheck(code: string): Pick<(typeof CHECKS)[number], 'title' | 'rule'> | null {
  return CHECKS.find((check) => check.code === code) ?? null;
}
