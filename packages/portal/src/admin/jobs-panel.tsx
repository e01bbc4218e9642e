/** Jobs with what may be done with each; what a dry run found, before it is published. */

import { factsOfType, ISSUES_IN_JAPANESE } from '@citymodel/base';
import type { AdminJob, IngestReport, JobPage, PackageSummary } from 'citymodel-server/shared';
import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { PackageName } from '../ui/package-name.tsx';
import { AdminFailure, admin } from './admin-api.ts';
import { Issues, IssueTotals } from './issues.tsx';
import { Pages } from './pages.tsx';
import { PreviewMap } from './preview-map.tsx';
import { Quality } from './quality.tsx';
import { usePolled } from './use-polled.ts';
import { Wide } from './wide.tsx';
import { type Key, useAdminWords } from './words.ts';

const LOOK_MS = 1_500;
const PAGE_SIZE = 20;
/** Kinds of jobs that have words. */
const JOB_KINDS = [
  'ingest',
  'convert',
  'inspect',
  'compare',
  'tables',
  'pictures',
  'pack',
  'reindex',
  'sweep',
] as const;
/** What the server writes after the name of a package that is only looked at. */
const DRY_RUN = / \(dry run\)$/;

export function JobsPanel({ asked, onRefused }: { asked: number; onRefused: () => void }) {
  const { t } = useAdminWords();
  const [page, setPage] = useState(1);
  const [failure, setFailure] = useState<string | null>(null);
  const path = `/admin/jobs?limit=${PAGE_SIZE}&page=${page}`;
  const { value, failure: offline, look } = usePolled<JobPage<AdminJob>>(path, LOOK_MS, onRefused);
  useEffect(look, [asked, look]);
  const act = async (path: string, method: 'POST' | 'DELETE') => {
    setFailure(null);
    try {
      await admin(path, method);
    } catch (error) {
      setFailure(error instanceof AdminFailure ? error.message : String(error));
    }
    look();
  };
  return (
    <section>
      <h2 id="jobs-title">{t('jobs')}</h2>
      {offline !== null && <p class="notice bad">{t('offline')}</p>}
      <p role="alert" class="bad-text">
        {failure}
      </p>
      {value === null ? (
        <p class="loading">{t('loading')}</p>
      ) : value.jobs.length === 0 ? (
        <p class="quiet">{t('noJobs')}</p>
      ) : (
        <Wide labelledBy="jobs-title">
          <thead>
            <tr>
              <th scope="col">{t('what')}</th>
              <th scope="col">{t('state')}</th>
              <th scope="col">{t('askedFor')}</th>
              <th scope="col">{t('actions')}</th>
            </tr>
          </thead>
          <tbody>
            {value.jobs.map((job) => (
              <JobRow key={job.id} job={job} act={act} />
            ))}
          </tbody>
        </Wide>
      )}
      {value !== null && <Pages page={page} pages={value.pages} onPage={setPage} />}
    </section>
  );
}

function JobRow({
  job,
  act,
}: {
  job: AdminJob;
  act: (path: string, method: 'POST' | 'DELETE') => Promise<void>;
}) {
  const { t, time, language } = useAdminWords();
  const [isOpen, setOpen] = useState(false);
  // What a city delivers has tiles, as a rule, or gets them.
  const [hasTiles, setTiles] = useState(true);
  const path = `/admin/jobs/${job.id}`;
  const report = job.result as IngestReport | null;
  const isOver = ['succeeded', 'dead', 'cancelled'].includes(job.state);
  const mayCancel = !isOver && !job.isCancelling;
  const hasDetails = report?.package != null || (report?.issueCodes?.length ?? 0) > 0;
  // In the words of the page where it has them; the service's own say which file and line.
  const refused = language === 'ja' ? ISSUES_IN_JAPANESE.refused[report?.refusal?.code ?? ''] : undefined;
  const isNew = report?.outcome === 'published' || report?.outcome === 'replaced';
  const source =
    job.state === 'succeeded' && isNew && report.package?.kind === 'citygml' ? report.package : null;
  const isSource = report?.package?.kind === 'citygml';
  const ingest = (query: string) =>
    void act(`${path}/ingest?${query}${isSource && hasTiles ? '&convert=true' : ''}`, 'POST');
  const outcome = report?.outcome === undefined ? null : t(`outcome_${report.outcome}` as Key);
  return (
    <Fragment>
      <tr data-state={job.state}>
        <th scope="row">
          <PackageName name={job.label.replace(DRY_RUN, '')} />
          <span class="quiet kind"> {DRY_RUN.test(job.label) ? t('dryRun') : kindName(job.kind, t)}</span>
        </th>
        <td>
          <span class={job.state === 'dead' ? 'bad-text' : job.state === 'succeeded' ? 'good-text' : ''}>
            {t(job.isCancelling ? 'cancelling' : `state_${job.state}`)}
          </span>
          {job.state === 'succeeded' && outcome !== null && `: ${outcome}`}
          {report?.issueCounts !== undefined && (
            <span class="quiet">
              {' '}
              ({t('issues')}: <IssueTotals counts={report.issueCounts} />)
            </span>
          )}
          {job.state === 'running' && job.progress !== null && (
            <>
              <progress
                max={Math.max(1, job.progress.total)}
                value={job.progress.done}
                aria-label={t('progress')}
              />
              <Done progress={job.progress} />
            </>
          )}
          {refused !== undefined && <p class="reason">{refused.join('')}</p>}
          {job.reason !== null && (
            <p class="quiet reason" lang="en">
              {job.reason}
            </p>
          )}
        </td>
        <td>{time(job.createdAt)}</td>
        <td class="buttons">
          {job.mayIngest && (
            <>
              <button type="button" class="button small primary" onClick={() => ingest('replace=false')}>
                {t('publish')}
              </button>
              <button type="button" class="button small" onClick={() => ingest('replace=true')}>
                {t('publishReplace')}
              </button>
              {isSource && (
                <label class="check">
                  <input
                    type="checkbox"
                    checked={hasTiles}
                    onChange={({ currentTarget }) => setTiles(currentTarget.checked)}
                  />
                  {t('convertToo')}
                </label>
              )}
            </>
          )}
          {source !== null && source.id !== null && (
            <button
              type="button"
              class="button small primary"
              onClick={() => void act(`/admin/packages/${source.id}/convert`, 'POST')}
            >
              {t('convert')}
            </button>
          )}
          {mayCancel && (
            <button type="button" class="button small" onClick={() => void act(`${path}/cancel`, 'POST')}>
              {t('cancel')}
            </button>
          )}
          {(job.state === 'dead' || job.state === 'cancelled' || job.state === 'failed') && (
            <button type="button" class="button small" onClick={() => void act(`${path}/retry`, 'POST')}>
              {t('retry')}
            </button>
          )}
          {hasDetails && (
            <button
              type="button"
              class="button small"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {t(isOpen ? 'hide' : 'details')}
            </button>
          )}
          {isOver && (
            <button type="button" class="button small" onClick={() => void act(path, 'DELETE')}>
              {t('forget')}
            </button>
          )}
        </td>
      </tr>
      {isOpen && hasDetails && (
        <tr>
          <td colSpan={4}>
            {report?.package != null && <PackageFacts pkg={report.package} guessed={report.guessed} />}
            {report?.meshes !== undefined && (
              <PreviewMap meshes={report.meshes} quality={report.quality ?? null} />
            )}
            {report?.quality != null && <Quality quality={report.quality} />}
            <Issues path={path} read={issuesOfJob} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

/** How much of a job is done, in the words of the page. */
function Done({ progress: { done, total, unit, text } }: { progress: NonNullable<AdminJob['progress']> }) {
  const { number, bytes, language } = useAdminWords();
  const amount = unit === 'bytes' ? bytes : number;
  const counted = unit === 'percent' ? `${number(done)} %` : `${amount(done)} / ${amount(total)}`;
  return <span class="quiet progress-text">{language === 'en' ? text : counted}</span>;
}

/** What a kind of jobs is called; one of another version of the program goes by its code. */
function kindName(kind: string, t: (key: Key) => string): string {
  return (JOB_KINDS as readonly string[]).includes(kind) ? t(`kind_${kind}` as Key) : kind;
}

/** What a field is called that was guessed; one of another version of the program goes by its name. */
function guessName(field: string, t: (key: Key) => string): string {
  const key = GUESSED[field];
  return key === undefined ? field : t(key);
}

/** Fields that may be guessed, with their words. */
const GUESSED: Readonly<Record<string, Key>> = {
  spec: 'specification',
  registrationYear: 'registrationYear',
  type: 'types',
  lod: 'lod',
  revision: 'revision',
  name: 'what',
  city: 'place',
  ward: 'place',
};

/** What a package was understood to be. */
function PackageFacts({ pkg, guessed }: { pkg: PackageSummary; guessed: readonly string[] }) {
  const { t, number, language } = useAdminWords();
  return (
    <dl class="facts">
      {(
        [
          ['place', [pkg.pref, pkg.city, pkg.ward].filter(Boolean).join(' ')],
          ['year', language === 'ja' ? `${pkg.year}年度` : String(pkg.year)],
          [
            'types',
            pkg.types
              .map((type) => factsOfType(type)?.label[language] ?? type)
              .join(language === 'ja' ? '、' : ', '),
          ],
          ['files', number(pkg.files)],
          ...(pkg.kind === 'citygml' ? [['features', number(pkg.features)]] : []),
          ['specification', pkg.spec],
          ['licence', pkg.license ?? '–'],
          ['guessed', guessed.map((field) => guessName(field, t)).join(', ') || '–'],
        ] as Array<[Key, string]>
      ).map(([key, value]) => (
        <div key={key}>
          <dt>{t(key)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function issuesOfJob({ result }: AdminJob) {
  const { issues, issueCodes } = result as IngestReport;
  return { issues, codes: issueCodes };
}
