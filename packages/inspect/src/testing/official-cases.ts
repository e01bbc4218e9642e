/** Official cases of quality checks beside the checkout, and how results are compared with them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Spec } from '../check.ts';
import type { CheckResult, FileResult } from '../run/file-checks.ts';

const DATA = resolve(import.meta.dirname, '../../../../../shared/data/quality');

/** Why the cases cannot be tried here; false when they can. */
export const NO_CASES = existsSync(join(DATA, 'manifest.json')) ? false : 'the official cases are not here';

export interface OfficialCase {
  case: string;
  spec: Spec;
  package: string;
  objects: string;
  /** EPSG code of the plane system; null for the usual one. */
  prcs: number | string | null;
  ok: boolean | null;
  /** The official program does not run the case. */
  skippedUpstream: boolean;
  expected: Record<string, { errors: number; perFile: Record<string, number> }>;
  items: Array<{ code: string; file: string | null; id: string | null; ref: string | null; message: string }>;
  /** Directory of the package, and path of the object list. */
  directory: string;
  objectsPath: string;
}

/** Lays the cases out in a temporary directory, which the caller removes. */
export async function officialCases(): Promise<{ directory: string; cases: OfficialCase[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'inspect-cases-'));
  execFileSync('python3', [join(DATA, 'assemble.py'), directory], { stdio: 'ignore' });
  const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
  const cases = manifest.cases.map((one: OfficialCase) => ({
    ...one,
    directory: join(directory, one.case, one.package),
    objectsPath: join(directory, one.case, one.objects),
  }));
  return { directory, cases };
}

/** Differences between results and the truth of a case for the codes that are given; empty when there are none. */
export function differences(
  official: OfficialCase,
  files: readonly FileResult[],
  ofPackage: readonly CheckResult[],
  codes: ReadonlySet<string>,
): string[] {
  const wrong: string[] = [];
  for (const [code, { errors, perFile }] of Object.entries(official.expected)) {
    if (!codes.has(code)) continue;
    const ours = files.map(({ path, checks }) => ({
      path,
      result: checks.find((check) => check.code === code),
    }));
    const all = [...ours.map(({ result }) => result), ofPackage.find((check) => check.code === code)];
    const sum = all.reduce((total, result) => total + (result?.errors ?? 0), 0);
    if (sum !== errors) wrong.push(`${code}: ${sum} errors, expected ${errors}`);
    for (const { path, result } of ours) {
      const expected = perFile[path];
      if (expected !== undefined && (result?.errors ?? 0) !== expected) {
        wrong.push(`${code} in ${path}: ${result?.errors ?? 0} errors, expected ${expected}`);
      }
    }
  }
  for (const { code, file, id, ref } of official.items) {
    if (!codes.has(code)) continue;
    const checks = file === null ? ofPackage : files.find(({ path }) => path === file)?.checks;
    const found = checks?.find((check) => check.code === code);
    const isThere = found?.findings.some(
      (finding) => (id === null || finding.id === id) && (ref === null || ref === '' || finding.ref === ref),
    );
    if (!isThere)
      wrong.push(`${code}: no finding for ${id ?? 'a nameless element'} (${ref ?? ''}) in ${file}`);
  }
  return wrong;
}
