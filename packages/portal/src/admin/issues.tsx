import {
  countIssues,
  ISSUES_IN_JAPANESE,
  type Issue,
  type IssueCount,
  type IssueSeverity,
  standsFor,
} from '@citymodel/base';
import { useEffect, useState } from 'preact/hooks';
import { admin } from './admin-api.ts';
import { useAdminWords } from './words.ts';

/** Issues of one code that are shown. */
const SHOWN = 5;
const SEVERITIES: readonly IssueSeverity[] = ['error', 'warning', 'info'];

/** Numbers of issues by severity, those of none left out. */
export function IssueTotals({ counts }: { counts: Readonly<Record<IssueSeverity, number>> }) {
  const { t, number } = useAdminWords();
  const found = SEVERITIES.filter((severity) => counts[severity] > 0);
  if (found.length === 0) return t('noIssuesShort');
  return found.map((severity, i) => (
    <span key={severity} class={`severity ${severity}`}>
      {i > 0 && ' · '}
      {t(`severity_${severity}`)} {number(counts[severity])}
    </span>
  ));
}

/** What a path tells of the issues of a package: all or some of them, and then how many of each code there are. */
export interface IssueAnswer {
  issues: readonly Issue[];
  codes?: readonly IssueCount[] | undefined;
}

/** Issues that a path answers with, worst first and a few of each code, with the number of all. */
export function Issues<T>({ path, read }: { path: string; read: (answer: T) => IssueAnswer }) {
  const { t, number, language } = useAdminWords();
  const [answer, setAnswer] = useState<IssueAnswer | 'failed' | null>(null);
  useEffect(() => {
    let isHere = true;
    admin<T>(path).then(
      (found) => isHere && setAnswer(read(found)),
      () => isHere && setAnswer('failed'),
    );
    return () => {
      isHere = false;
    };
    // What reads the answer is the same for a path.
  }, [path]);
  if (answer === null) return <p class="loading">{t('loading')}</p>;
  if (answer === 'failed') return <p class="bad-text">{t('issuesFailed')}</p>;
  const codes = answer.codes ?? countIssues(answer.issues);
  if (codes.length === 0) return <p class="quiet">{t('noIssues')}</p>;
  const kindOf = ({ severity, code }: Pick<Issue, 'severity' | 'code'>) => `${severity} ${code}`;
  const byKind = Map.groupBy(answer.issues, kindOf);
  return (
    <ul class="issues" aria-label={t('issues')}>
      {codes.map((kind) => {
        const shown = (byKind.get(kindOf(kind)) ?? []).slice(0, SHOWN);
        const words = language === 'ja' ? ISSUES_IN_JAPANESE.ingest[kind.code] : undefined;
        const more = kind.count - shown.reduce((sum, issue) => sum + standsFor(issue), 0);
        return (
          <li key={kindOf(kind)}>
            <strong class={`severity ${kind.severity}`}>
              {t(`severity_${kind.severity}`)} <span lang="en">{kind.code}</span> × {number(kind.count)}
            </strong>
            {words !== undefined && <p>{words.join('')}</p>}
            <ul lang="en">
              {shown.map((issue) => (
                <li key={`${issue.member} ${issue.line} ${issue.message}`}>
                  {issue.member !== null && (
                    <code>{issue.line == null ? issue.member : `${issue.member}:${issue.line}`}</code>
                  )}{' '}
                  {issue.message}
                </li>
              ))}
            </ul>
            {more > 0 && (
              <p class="quiet">
                {t('moreIssues')} {number(more)}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
