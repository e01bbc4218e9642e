/** Refusing packages by what checks of quality find in them, where the operator wants that. */
import type { InspectReport } from '@citymodel/inspect';
import { PackageRefused } from './upload.ts';

export interface FindingsRefused {
  /** Codes of checks. */
  codes: readonly string[];
  /** What a whole inspection of an upload finds by some of them. Throws the reason of the signal. */
  inspect(path: string, codes: readonly string[], signal: AbortSignal): Promise<InspectReport>;
}

interface ReadPackage {
  name: string;
  /** Where the upload is. */
  path: string;
  /** What was found while it was read. */
  report: InspectReport;
  signal: AbortSignal;
}

/**
 * Asks for a whole inspection only by checks that have not looked at every feature already, and only where the others
 * do not refuse. Throws PackageRefused.
 */
export async function refuseFindings(
  refused: FindingsRefused | undefined,
  { name, path, report, signal }: ReadPackage,
): Promise<void> {
  if (refused === undefined) return;
  refuse(name, refused.codes, report);
  const left = refused.codes.filter((code) => !report.checks.some((check) => check.code === code));
  if (left.length > 0) refuse(name, left, await refused.inspect(path, left, signal));
}

function refuse(name: string, codes: readonly string[], { checks }: InspectReport): void {
  const found = checks.filter(({ code, errors }) => errors > 0 && codes.includes(code));
  if (found.length === 0) return;
  const sums = found.map(({ code, errors }) => `${code} (${errors})`).join(', ');
  throw new PackageRefused(
    'FINDINGS_REFUSED',
    `${name} has findings of ${sums}. REFUSE_FINDINGS of this server refuses packages that have any.`,
  );
}
