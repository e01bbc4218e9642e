import type { Issue, IssueSink } from '../base/issue.ts';

/** How many issues of one code are kept for one member, and in all; the rest is counted. */
const PER_CODE_AND_MEMBER = 20;
const IN_ALL = 10_000;
/** Longest message that is kept, UTF-16 code units: what it quotes of a package may have megabytes. */
export const MAX_MESSAGE = 1_000;

/** Collects issues, keeps the first of each kind and says how many more there were. */
export class IssueList {
  #kept: Issue[] = [];
  #counts = new Map<string, { issue: Issue; count: number }>();
  #totals = { error: 0, warning: 0, info: 0 };

  readonly sink: IssueSink = (reported) => {
    const issue = { ...reported, message: cutMessage(reported.message) };
    this.#totals[issue.severity]++;
    const key = `${issue.code}\0${issue.member}`;
    const seen = this.#counts.get(key);
    if (seen !== undefined) {
      seen.count++;
      if (seen.count > PER_CODE_AND_MEMBER || this.#kept.length >= IN_ALL) return;
    } else {
      if (this.#kept.length >= IN_ALL) return;
      this.#counts.set(key, { issue, count: 1 });
    }
    this.#kept.push(issue);
  };

  /** How many there were, kept or not. */
  get totals(): { error: number; warning: number; info: number } {
    return { ...this.#totals };
  }

  /**
   * The kept issues by member, first those of none; of one member as they came, then one for each kind that had more. Members are
   * read a few at a time, and the order in which they are done is never the same.
   */
  all(): Issue[] {
    const more: Issue[] = [];
    for (const { issue, count } of this.#counts.values()) {
      if (count <= PER_CODE_AND_MEMBER) continue;
      more.push({
        code: issue.code,
        severity: issue.severity,
        member: issue.member,
        message: `There are ${count - PER_CODE_AND_MEMBER} more of this kind in this file.`,
      });
    }
    return [...this.#kept, ...more].sort(byMember);
  }
}

function byMember({ member: a }: Issue, { member: b }: Issue): number {
  if (a === b) return 0;
  return a === null || (b !== null && a < b) ? -1 : 1;
}

function cutMessage(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1).toWellFormed()}…` : message;
}
