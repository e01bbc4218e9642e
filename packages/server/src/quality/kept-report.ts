/** What is kept of a report with a package: sums, the report without places, and places as rows. */
import { CHECKS, type InspectReport, type ReportCheck } from '@citymodel/inspect';
import type { FindingRow, InspectedPackage } from '@citymodel/store';

/** Places of one check that are kept; all are counted. */
export const KEPT_PLACES = 1000;

/** The report without places, as it is kept. */
export type KeptReport = Omit<InspectReport, 'checks'> & { checks: Array<Omit<ReportCheck, 'items'>> };

/** A report as the catalogue keeps it; `checkedAt` is ISO 8601. */
export function inspectedOf(report: InspectReport, checkedAt: string): Omit<InspectedPackage, 'packageNo'> {
  const sumOf = (severity: string) =>
    report.checks.reduce((sum, check) => sum + (check.severity === severity ? check.errors : 0), 0);
  const [errors, warnings] = [sumOf('error'), sumOf('warning')];
  const { spec, complete, inPassing = false } = report;
  return {
    quality: { spec, errors, warnings, complete, scope: inPassing ? 'ingestion' : 'inspection', checkedAt },
    report: JSON.stringify(keptReport(report)),
    findings: findingsOf(report),
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
