import { useEffect, useState } from 'preact/hooks';
import type { Issue } from '../../../src/base/issue.ts';
import { admin } from './admin-api.ts';
import { useAdminWords } from './words.ts';

/** Issues of one code that are shown. */
const SHOWN = 5;

/** Issues that a path answers with, worst first and a few of each code. */
export function Issues<T>({ path, read }: { path: string; read: (answer: T) => readonly Issue[] }) {
  const { t, number } = useAdminWords();
  const [issues, setIssues] = useState<readonly Issue[] | null>(null);
  useEffect(() => {
    let isHere = true;
    admin<T>(path).then(
      (answer) => isHere && setIssues(read(answer)),
      () => isHere && setIssues([]),
    );
    return () => {
      isHere = false;
    };
    // What reads the answer is the same for a path.
  }, [path]);
  if (issues === null) return <p class="loading">{t('loading')}</p>;
  if (issues.length === 0) return <p class="quiet">{t('noIssues')}</p>;
  const order = { error: 0, warning: 1, info: 2 };
  const byCode = Map.groupBy(
    issues.toSorted((a, b) => order[a.severity] - order[b.severity]),
    ({ code }) => code,
  );
  return (
    <ul class="issues" aria-label={t('issues')} lang="en">
      {[...byCode].map(([code, found]) => (
        <li key={code}>
          <strong class={`severity ${found[0]!.severity}`}>
            {code} × {number(found.length)}
          </strong>
          <ul>
            {found.slice(0, SHOWN).map((issue) => (
              <li key={`${issue.member} ${issue.line} ${issue.message}`}>
                {issue.member !== null && <code>{issue.member}</code>} {issue.message}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
