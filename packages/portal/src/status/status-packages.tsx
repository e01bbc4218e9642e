/** The packages of the service with their issues, page by page. */

import { type Issue, packageKindLabel } from '@citymodel/base';
import type { StatusDocument, StatusPackage } from 'citymodel-server/shared';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../core/api.ts';
import { config } from '../core/config.ts';
import type { Key } from '../core/i18n.ts';
import { useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { PackageName } from '../ui/package-name.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { adminAddress, Pager, Wide } from './table-parts.tsx';

/** Packages of a page. */
const PACKAGES = 50;

interface PackagesProps {
  total: number;
  page: number;
  onlyIssues: boolean;
  onOnlyIssues(only: boolean): void;
  onPage(page: number): void;
}

export function StatusPackages({ total, page, onlyIssues, onOnlyIssues, onPage }: PackagesProps) {
  const { t, language, bytes, number, time } = useWords();
  const [open, setOpen] = useState<string | null>(null);
  const path = `/status.json?page=${page}&limit=${PACKAGES}&jobs_limit=1${onlyIssues ? '&with_issues=true' : ''}`;
  // Asked for again when a package has come or gone.
  const loaded = useLoaded(`${path} ${total}`, (signal) => api<StatusDocument>(path, { signal }));
  const rows = loaded.value?.packages ?? [];
  return (
    <section>
      <div class="heading">
        <h2>{t('packages')}</h2>
        <label class="check">
          <input type="checkbox" checked={onlyIssues} onChange={() => onOnlyIssues(!onlyIssues)} />
          {t('onlyIssues')}
        </label>
      </div>
      {total === 0 && <HowToIngest />}
      {loaded.error !== null && <Failure error={loaded.error} retry={loaded.retry} />}
      {loaded.loading && loaded.value === null && <Loading />}
      {onlyIssues && loaded.value !== null && rows.length === 0 && <p>{t('noIssues')}</p>}
      {rows.length > 0 && (
        <Wide label={t('packages')}>
          <thead>
            <tr>
              <th scope="col">{t('packages')}</th>
              <th scope="col">{t('kind')}</th>
              <th scope="col">{t('state')}</th>
              <th scope="col" class="numeric">
                {t('files')}
              </th>
              <th scope="col" class="numeric">
                {t('features')}
              </th>
              <th scope="col" class="numeric">
                {t('archive')}
              </th>
              <th scope="col" class="numeric">
                {t('errors')}
              </th>
              <th scope="col" class="numeric">
                {t('warnings')}
              </th>
              <th scope="col">{t('ingested')}</th>
              <th scope="col">
                <span class="visually-hidden">{t('issues')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Fragment key={row.id}>
                <tr>
                  <th scope="row">
                    <code>
                      <PackageName name={row.name} />
                    </code>
                    <span class="quiet"> {row.place}</span>
                  </th>
                  <td>{packageKindLabel(row.kind, language)}</td>
                  <td class="state">{t(`package_${row.state}` as Key) ?? row.state}</td>
                  <td class="numeric">{number(row.files)}</td>
                  <td class="numeric">{row.kind === 'citygml' ? number(row.features) : '–'}</td>
                  <td class="numeric">{bytes(row.archiveBytes)}</td>
                  <td class={`numeric ${row.issues.error > 0 ? 'bad-text' : ''}`}>
                    {number(row.issues.error)}
                  </td>
                  <td class={`numeric ${row.issues.warning > 0 ? 'warn-text' : ''}`}>
                    {number(row.issues.warning)}
                  </td>
                  <td>{time(row.ingestedAt)}</td>
                  <td>
                    <button
                      type="button"
                      class="button small"
                      aria-expanded={open === row.id}
                      aria-label={`${t(open === row.id ? 'close' : 'issues')}: ${row.name}`}
                      onClick={() => setOpen(open === row.id ? null : row.id)}
                    >
                      {t(open === row.id ? 'close' : 'issues')}
                    </button>
                  </td>
                </tr>
                {open === row.id && (
                  <tr class="details">
                    <td colSpan={10}>
                      <Issues row={row} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </Wide>
      )}
      <Pager label={t('packages')} page={page} pages={loaded.value?.pages ?? 1} onPage={onPage} />
    </section>
  );
}

/** What to do where there is no package. */
function HowToIngest() {
  const { t, language, fill } = useWords();
  const { command, settings } = config.ingest;
  return (
    <div class="notice">
      <p>{t('noPackages')}</p>
      {config.admin && (
        <p>
          <a href={adminAddress(language)}>{t('uploadHere')}</a>
        </p>
      )}
      <p>
        {t(config.admin ? 'ingestOr' : 'ingestHere')} <code>{command} path/to/package.zip</code>
      </p>
      {settings.length > 0 && (
        <p class="quiet">{fill('ingestSettings', { settings: settings.join(', ') })}</p>
      )}
    </div>
  );
}

function Issues({ row }: { row: StatusPackage }) {
  const { t } = useWords();
  const found = useLoaded(row.id, (signal) =>
    api<{ issues: Issue[] }>(`/status.json?package=${encodeURIComponent(row.id)}`, { signal }),
  );
  if (found.error !== null) return <Failure error={found.error} retry={found.retry} />;
  if (found.value === null) return <Loading />;
  return (
    <div class="issues">
      {row.guessed.length > 0 && (
        <p class="quiet">
          {t('guessed')}: {row.guessed.join(', ')}
        </p>
      )}
      {found.value.issues.length === 0 && <p>{t('noIssues')}</p>}
      <ul>
        {found.value.issues.map((issue, i) => (
          <li key={i} lang="en">
            <span class={`severity ${issue.severity}`}>{issue.severity}</span> <code>{issue.code}</code>{' '}
            {issue.member !== null && <code class="quiet">{issue.member}</code>} {issue.message}
          </li>
        ))}
      </ul>
    </div>
  );
}
