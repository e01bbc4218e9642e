import { type Issue, type IssueSink, moreOfKind } from '@citymodel/base';

/** How many issues of one code are kept for one member, and in all; the rest is counted. */
const PER_CODE_AND_MEMBER = 20;
const IN_ALL = 10_000;
/** Longest message that is kept, UTF-16 code units: what it quotes of a package may have megabytes. */
export const MAX_MESSAGE = 1_000;

/** Collects issues, keeps the first of each kind and says how many more there were. */
export class IssueList {
  #kept: Issue[] = [];
  /** How many there were of each code and member of which one is kept, up to the limit and beyond it. */
  #counts = new Map<string, { issue: Issue; kept: number; more: number }>();
  /** By code and severity: those that came when the list was full. */
  #further = new Map<string, { issue: Issue; count: number }>();
  #totals = { error: 0, warning: 0, info: 0 };

  readonly sink: IssueSink = (reported) => {
    const issue = { ...reported, message: cutMessage(reported.message) };
    this.#totals[issue.severity]++;
    const key = `${issue.severity} ${issue.code}\0${issue.member}`;
    const seen = this.#counts.get(key);
    if (seen !== undefined && seen.kept >= PER_CODE_AND_MEMBER) {
      seen.more++;
      return;
    }
    if (this.#kept.length >= IN_ALL) return this.#addFurther(issue);
    if (seen === undefined) this.#counts.set(key, { issue, kept: 1, more: 0 });
    else seen.kept++;
    this.#kept.push(issue);
  };

  /** How many there were, kept or not. */
  get totals(): { error: number; warning: number; info: number } {
    return { ...this.#totals };
  }

  /**
   * The kept issues by member, first those of none; of one member as they came, then one for each kind that had more.
   * Members are read a few at a time, and the order in which they are done is never the same. `countIssues` of the list
   * gives `totals`.
   */
  all(): Issue[] {
    const more = [...this.#counts.values()].flatMap(({ issue, more: count }) =>
      count === 0 ? [] : [standIn(issue, count, 'file')],
    );
    const further = [...this.#further.values()].map(({ issue, count }) =>
      standIn({ ...issue, member: null }, count, 'package'),
    );
    return [...this.#kept, ...more, ...further].sort(byMember);
  }

  #addFurther(issue: Issue): void {
    const key = `${issue.severity} ${issue.code}`;
    const known = this.#further.get(key);
    if (known === undefined) this.#further.set(key, { issue, count: 1 });
    else known.count++;
  }
}

/** Stands for issues that are not kept. */
function standIn({ code, severity, member }: Issue, count: number, where: 'file' | 'package'): Issue {
  return { code, severity, member, message: moreOfKind(count, where) };
}

function byMember({ member: a }: Issue, { member: b }: Issue): number {
  if (a === b) return 0;
  return a === null || (b !== null && a < b) ? -1 : 1;
}

function cutMessage(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1).toWellFormed()}…` : message;
}
