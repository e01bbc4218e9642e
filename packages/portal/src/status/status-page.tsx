/** For the one who runs the service: packages, issues, jobs, sizes, health. Nothing can be changed here. */

import type { StatusDocument } from 'citymodel-server/shared';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../core/api.ts';
import { config } from '../core/config.ts';
import type { Key } from '../core/i18n.ts';
import { useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Facts, Failure, Loading } from '../ui/parts.tsx';
import { StatusPackages } from './status-packages.tsx';
import { adminAddress, Pager, Wide } from './table-parts.tsx';

/** Milliseconds between looks. */
const EVERY = 5_000;
/** Jobs of a page. */
const JOBS = 20;

/** One text where packages of 3D Tiles are of several vertical systems: of which, and how many; none otherwise. */
function mixedHeights(heights: StatusDocument['totals']['heights']): string[] {
  const systems = Object.entries(heights);
  return systems.length < 2 ? [] : [systems.map(([system, count]) => `${count} × ${system}`).join(', ')];
}

export function StatusPage() {
  const { t, language, bytes, number, time } = useWords();
  const [looks, setLooks] = useState(0);
  const [page, setPage] = useState(1);
  const [jobsPage, setJobsPage] = useState(1);
  const [onlyIssues, setOnlyIssues] = useState(false);
  // What changes by itself is asked for again and again, without the packages.
  const livePath = `/status.json?limit=1&jobs_limit=${JOBS}&jobs_page=${jobsPage}`;
  const loaded = useLoaded(`${livePath} ${looks}`, (signal) => api<StatusDocument>(livePath, { signal }));
  useEffect(() => {
    if (loaded.loading) return;
    // From the end of a look, so that a slow one is never cut off by the next.
    const timer = setTimeout(() => {
      if (document.visibilityState === 'visible') setLooks((n) => n + 1);
    }, EVERY);
    const again = () => document.visibilityState === 'visible' && setLooks((n) => n + 1);
    document.addEventListener('visibilitychange', again);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, [loaded.loading, looks]);
  const status = loaded.value;
  if (status === null && loaded.error !== null) return <Failure error={loaded.error} retry={loaded.retry} />;
  if (status === null) return <Loading />;
  const good = Object.values(status.checks).every((state) => state === 'ok');
  return (
    <div class="page status">
      <section>
        <h2>{t('health')}</h2>
        {config.admin && (
          <p>
            <a href={adminAddress(language)}>{t('adminPage')}</a>
          </p>
        )}
        <p class={good ? 'verdict good' : 'verdict bad'} role="status">
          {t(good ? 'healthGood' : 'healthBad')}
        </p>
        <Facts
          rows={[
            ...Object.entries(status.checks).map(([name, state]): [string, string] => [
              t(`check_${name}` as Key) ?? name,
              state === 'ok' ? '✓' : state,
            ]),
            [t('version'), status.version],
            [t('runningSince'), time(status.startedAt)],
            [t('updated'), time(status.now)],
          ]}
        />
      </section>
      <section>
        <h2>{t('totals')}</h2>
        <Facts
          rows={[
            [t('packages'), number(status.totals.packages)],
            [t('archives'), bytes(status.totals.archiveBytes)],
            [t('unpacked'), bytes(status.totals.memberBytes)],
            [t('unchecked'), number(status.totals.unchecked)],
            ...mixedHeights(status.totals.heights).map((text): [string, string] => [t('mixedHeights'), text]),
            [t('waitingDeletion'), number(status.totals.waitingDeletion)],
          ]}
        />
      </section>
      <Work work={status.work} onPage={setJobsPage} />
      <Jobs status={status} />
      <section>
        <h2>{t('ingestions')}</h2>
        {status.ingestions.length === 0 && <p class="quiet">{t('ingestionsNone')}</p>}
        <ul>
          {status.ingestions.map((one) => (
            <li key={one.startedBy}>
              {one.startedBy} · {time(one.heartbeatAt)}
            </li>
          ))}
        </ul>
      </section>
      <StatusPackages
        total={status.totals.packages}
        page={page}
        onlyIssues={onlyIssues}
        onOnlyIssues={(only) => {
          setOnlyIssues(only);
          setPage(1);
        }}
        onPage={setPage}
      />
    </div>
  );
}

function Jobs({ status }: { status: StatusDocument }) {
  const { t, bytes, number, time } = useWords();
  return (
    <section>
      <h2>{t('jobs')}</h2>
      {status.jobs.length === 0 ? (
        <p class="quiet">{t('jobsNone')}</p>
      ) : (
        <Wide label={t('jobs')}>
          <thead>
            <tr>
              <th scope="col">ID</th>
              <th scope="col">{t('state')}</th>
              <th scope="col">{t('started')}</th>
              <th scope="col">{t('finished')}</th>
              <th scope="col">{t('packExpires')}</th>
              <th scope="col" class="numeric">
                {t('files')}
              </th>
              <th scope="col" class="numeric">
                {t('size')}
              </th>
              <th scope="col">{t('reason')}</th>
            </tr>
          </thead>
          <tbody>
            {status.jobs.map((job) => (
              <tr key={job.id}>
                <th scope="row">
                  <code title={job.id}>{job.id.slice(0, 12)}…</code>
                </th>
                <td>
                  {t(`pack_${job.status}` as Key) ?? job.status}
                  {job.status === 'processing' && ` ${number(Math.floor(job.progress * 100))} %`}
                </td>
                <td>{time(job.startedAt ?? job.acceptedAt)}</td>
                <td>{job.finishedAt === null ? '–' : time(job.finishedAt)}</td>
                <td>{job.expiresAt === null ? '–' : time(job.expiresAt)}</td>
                <td class="numeric">{job.files === null ? '–' : number(job.files)}</td>
                <td class="numeric">{job.size === null ? '–' : bytes(job.size)}</td>
                <td>{job.reason ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </Wide>
      )}
    </section>
  );
}

/** Ingestions, conversions and other work of the queue. */
function Work({ work, onPage }: { work: StatusDocument['work']; onPage(page: number): void }) {
  const { t, number, time } = useWords();
  const counts = Object.entries(work.counts).filter(([, count]) => count > 0);
  return (
    <section>
      <h2>{t('work')}</h2>
      {counts.length === 0 ? (
        <p class="quiet">{t('workNone')}</p>
      ) : (
        <p class="quiet">
          {counts
            .map(([state, count]) => `${t(`job_${state}` as Key) ?? state} ${number(count)}`)
            .join(' · ')}
        </p>
      )}
      {work.jobs.length > 0 && (
        <Wide label={t('work')}>
          <thead>
            <tr>
              <th scope="col">{t('kind')}</th>
              <th scope="col">{t('packages')}</th>
              <th scope="col">{t('state')}</th>
              <th scope="col">{t('progress')}</th>
              <th scope="col">{t('started')}</th>
              <th scope="col">{t('finished')}</th>
            </tr>
          </thead>
          <tbody>
            {work.jobs.map((job) => (
              <tr key={`${job.id} ${job.createdAt}`}>
                <th scope="row">{job.kind}</th>
                <td>{job.label}</td>
                <td>{t(`job_${job.state}` as Key) ?? job.state}</td>
                <td>
                  {job.progress !== null && (
                    <>
                      <progress
                        max={job.progress.total ?? 1}
                        value={job.progress.done}
                        aria-label={`${t('progress')}: ${job.label}`}
                      />{' '}
                      {job.progress.text}
                    </>
                  )}
                </td>
                <td>{time(job.startedAt ?? job.createdAt)}</td>
                <td>{job.finishedAt === null ? '–' : time(job.finishedAt)}</td>
              </tr>
            ))}
          </tbody>
        </Wide>
      )}
      <Pager label={t('work')} page={work.page} pages={work.pages} onPage={onPage} />
    </section>
  );
}
