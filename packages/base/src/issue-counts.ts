/** How many issues a list tells of: it holds the first of a kind and says how many more there were. */
import type { Issue, IssueSeverity } from './issue.ts';

export interface IssueCount {
  code: string;
  severity: IssueSeverity;
  count: number;
}

const WORST_FIRST: Readonly<Record<IssueSeverity, number>> = { error: 0, warning: 1, info: 2 };

/** For sorting: errors, warnings, notes. */
export function bySeverity(a: { severity: IssueSeverity }, b: { severity: IssueSeverity }): number {
  return WORST_FIRST[a.severity] - WORST_FIRST[b.severity];
}

/** The message that stands for `count` issues that are not listed. */
export function moreOfKind(count: number, where: 'file' | 'package'): string {
  return `There are ${count} more of this kind in this ${where}.`;
}

const MORE = /^There are (\d{1,15}) more of this kind in this (?:file|package)\.$/;

/** How many issues each one of a list stands for. */
export function standsFor({ message }: Issue): number {
  return Number(MORE.exec(message)?.[1] ?? 1);
}

/** Issues by code and severity, the worst first, those that are only counted included. */
export function countIssues(issues: readonly Issue[]): IssueCount[] {
  const counts = new Map<string, IssueCount>();
  for (const issue of issues) {
    const key = `${issue.severity} ${issue.code}`;
    const known = counts.get(key) ?? { code: issue.code, severity: issue.severity, count: 0 };
    known.count += standsFor(issue);
    counts.set(key, known);
  }
  return [...counts.values()].sort(bySeverity);
}
