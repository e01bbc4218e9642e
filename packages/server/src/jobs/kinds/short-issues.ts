import { bySeverity, type Issue } from '@citymodel/base';

/** Issues that a result keeps, so many of each code if there are; the catalogue has all of them. */
const MAX_ISSUES = 200;
const FIRST_OF_CODE = 5;
const MAX_MESSAGE = 1_000;

/** What the result of a job keeps of issues: 200 at most, the worst ones, and in any case some of each code. */
export function shortIssues(issues: readonly Issue[]): Issue[] {
  const seen = new Map<string, number>();
  const isFirst = ({ code }: Issue) => {
    seen.set(code, (seen.get(code) ?? 0) + 1);
    return seen.get(code)! <= FIRST_OF_CODE;
  };
  const sorted = issues.toSorted(bySeverity);
  const first = new Set(sorted.filter(isFirst).slice(0, MAX_ISSUES));
  const others = sorted.filter((issue) => !first.has(issue)).slice(0, MAX_ISSUES - first.size);
  return [...first, ...others]
    .sort(bySeverity)
    .map((issue) => ({ ...issue, message: issue.message.slice(0, MAX_MESSAGE) }));
}
