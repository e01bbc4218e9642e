/** The pass over the files that targets have: all of them once, kept as rows or only counted. */
import type { Pass } from '@citymodel/base';
import type { PackageRow, PlacedFileRow } from '@citymodel/store';
import type { RequestBudget } from '../../base/request-budget.ts';
import { FoundFiles, type FoundFilesLimits } from './found-files.ts';
import type { Scope, Target } from './search-targets.ts';

/** What goes for all attempts of one search. */
export interface Effort {
  limits: FoundFilesLimits;
  budget: RequestBudget;
  /** Taken once what is found gets large. */
  pass: Pass;
  signal: AbortSignal;
}

/**
 * Answers above this size are large: one after the other is made, so that those in the making have a bound together.
 */
const LARGE_BYTES = 1_000_000;

/**
 * Reads the files of the targets. When there are too many to be kept, they are read again to be counted, with little of
 * each: what lists say of 300,000 files takes 100 MB. A search that gets large while another one is waits without rows.
 */
export async function collect(
  targets: readonly Target[],
  scope: Scope,
  effort: Effort,
): Promise<{ found: FoundFiles; isBehind: boolean }> {
  const { limits, pass } = effort;
  if (limits.maxFiles > 0) {
    for (;;) {
      const found = new FoundFiles(limits);
      const goesOn = () => found.keepsRows && (found.bytes <= LARGE_BYTES || pass.tryEnter());
      const isBehind = await visit(
        targets,
        scope,
        effort,
        (target) => target.rows(),
        found.add.bind(found),
        goesOn,
      );
      if (isBehind !== null) return { found, isBehind };
      if (!found.keepsRows) break;
      await pass.enter();
    }
  }
  const found = new FoundFiles(null);
  await pass.enter();
  const isBehind = await visit(targets, scope, effort, (target) => target.placed(), found.count.bind(found));
  return { found, isBehind: isBehind === true };
}

/**
 * Visits every file of the targets once. Gives whether a package is missing, either in the snapshot or in the database;
 * null when `goesOn`, which is asked after each page, ended it.
 */
export async function visit<T extends PlacedFileRow>(
  targets: readonly Target[],
  { snapshot, test }: Scope,
  { budget, signal }: Effort,
  pagesOf: (target: Target) => AsyncIterable<T[]>,
  found: (pkg: PackageRow, row: T) => void,
  goesOn = () => true,
): Promise<boolean | null> {
  const seen = new Set<number>();
  let isBehind = false;
  for (const [i, target] of targets.entries()) {
    const earlier = targets.slice(0, i);
    for await (const page of pagesOf(target)) {
      signal.throwIfAborted();
      budget.items(page.length);
      for (const row of page) {
        const pkg = snapshot.packageByNo(row.packageNo);
        if (pkg === undefined) isBehind = true;
        if (pkg === undefined || !test.accepts(pkg, row) || !target.accepts(pkg, row)) continue;
        if (earlier.some((other) => other.accepts(pkg, row))) continue;
        seen.add(pkg.no);
        found(pkg, row);
      }
      if (!goesOn()) return null;
    }
    isBehind ||= target.isBehind || target.expected.some((pkg) => !seen.has(pkg.no));
  }
  return isBehind;
}
