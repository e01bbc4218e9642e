/** The report of an inspection: what every check found, in the order of the official lists. */

import type { Check, Finding, PackageContext, Severity, Spec } from '../check.ts';
import { CHECKS } from '../checks/index.ts';
import { type CheckResult, concerned, type FileResult } from '../run/file-checks.ts';

/** One place of the report. */
export interface ReportItem {
  /** Path of the file in the package; null for what concerns the package. */
  file: string | null;
  id: string | null;
  ref: string | null;
  line: number | null;
  type: string | null;
  lod: number | null;
  message: string;
  position: Finding['position'] | null;
  row?: Finding['row'];
}

export interface ReportCheck {
  code: string;
  name: string;
  severity: Severity;
  errors: number;
  /** Errors by file; files without are left out. */
  files: Record<string, number>;
  items: ReportItem[];
  /** Findings that are counted and not listed. */
  left: number;
}

export interface InspectReport {
  package: string;
  spec: Spec;
  /** True when no check of severity `error` found any. */
  ok: boolean;
  /** True when everything was looked at: `skipped` is empty. */
  complete: boolean;
  /**
   * Set where only the checks that look in passing have looked, during an ingestion. `files` are then those with
   * findings, and one of each folder.
   */
  inPassing?: true;
  /** Set where the faults of the official program were repeated. */
  likeUpstream?: true;
  /** EPSG code of the plane system in which areas and lengths are measured. */
  plane: number;
  /** Name of the object list; null when attributes were not compared with one. */
  objects: string | null;
  /** Set where files were compared with XSDs that somebody brought along: the name of their directory. */
  schemas?: string;
  checks: ReportCheck[];
  counts: Array<{ file: string; type: string; lod: number | null; n: number }>;
  files: Array<{ path: string; bytes: number; isWellFormed: boolean }>;
  /** What was not looked at. */
  skipped: Array<{ file: string | null; reason: string; count: number }>;
}

/** What a report is made of. */
export interface Inspected {
  name: string;
  context: PackageContext;
  objectsName: string | null;
  /** Why the list of the package itself is not used, a full sentence. */
  objectsRefusal?: string | null;
  schemasName?: string | null;
  files: readonly FileResult[];
  ofPackage: readonly CheckResult[];
  /** GML files that lie in no folder below udx. */
  outside: readonly string[];
  checks?: readonly Check[];
}

/** Most items of one check that a report lists; all are counted. */
const LISTED = 10_000;

export function reportOf({
  name,
  context,
  objectsName,
  objectsRefusal = null,
  schemasName = null,
  files,
  ofPackage,
  outside,
  checks = CHECKS,
}: Inspected): InspectReport {
  const folders = new Set(files.map(({ folder }) => folder));
  const relevant = new Set<Check>([...folders].flatMap((folder) => concerned(checks, folder, context)));
  const skipped: InspectReport['skipped'] = [
    ...outside.map((file) => ({ file, reason: 'The file lies in no folder below udx.', count: 1 })),
    ...files.flatMap(({ path, skipped: reasons }) =>
      Object.entries(reasons).map(([reason, count]) => ({ file: path, reason, count })),
    ),
  ];
  const asksForObjects = checks.some(({ code }) => code === 'C05' || code === 'C06');
  if (context.objects === null && asksForObjects) {
    skipped.push({
      file: null,
      reason: `${objectsRefusal ?? 'No object list was given.'} C05 and C06 were not looked at.`,
      count: 1,
    });
  }
  const byCode = resultsByCode(files);
  const listed = checks
    .filter((check) => relevant.has(check))
    .map((check) => checkOf(check, byCode.get(check.code) ?? [], ofPackage));
  return {
    package: name,
    spec: context.spec,
    ok: listed.every(({ severity, errors }) => severity !== 'error' || errors === 0),
    complete: skipped.length === 0,
    ...(context.likeUpstream === null ? {} : { likeUpstream: true as const }),
    plane: context.plane,
    objects: objectsName,
    ...(schemasName === null ? {} : { schemas: schemasName }),
    checks: listed,
    counts: files.flatMap(({ path, counts }) => counts.map((count) => ({ file: path, ...count }))),
    files: files.map(({ path, bytes, isWellFormed }) => ({ path, bytes, isWellFormed })),
    skipped,
  };
}

/** What a check found in the files that it looked at, in the order of the files. */
type InFile = readonly [path: string, result: CheckResult];

/** Packages have 200,000 files, and files 200 checks: each result is looked up once. */
function resultsByCode(files: readonly FileResult[]): Map<string, InFile[]> {
  const byCode = new Map<string, InFile[]>();
  for (const { path, checks } of files) {
    for (const result of checks) {
      const found = byCode.get(result.code);
      if (found === undefined) byCode.set(result.code, [[path, result]]);
      else found.push([path, result]);
    }
  }
  return byCode;
}

function checkOf(
  { code, name, severity }: Check,
  inFiles: readonly InFile[],
  ofPackage: readonly CheckResult[],
): ReportCheck {
  const check: ReportCheck = { code, name, severity, errors: 0, files: {}, items: [], left: 0 };
  const take = (file: string | null, result: CheckResult | undefined) => {
    if (result === undefined) return;
    check.errors += result.errors;
    if (file !== null && result.errors > 0) check.files[file] = result.errors;
    for (const finding of result.findings) {
      if (check.items.length < LISTED) check.items.push(itemOf(file, finding));
      else check.left++;
    }
    check.left += result.left;
  };
  for (const [path, result] of inFiles) take(path, result);
  take(
    null,
    ofPackage.find((result) => result.code === code),
  );
  return check;
}

function itemOf(file: string | null, finding: Finding): ReportItem {
  return {
    file,
    id: finding.id,
    ref: finding.ref ?? null,
    line: finding.line ?? null,
    type: finding.type ?? null,
    lod: finding.lod ?? null,
    message: finding.message,
    position: finding.position ?? null,
    ...(finding.row === undefined ? {} : { row: finding.row }),
  };
}
