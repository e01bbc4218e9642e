/** Packages with their issues, and their removal, which has to be confirmed by the name. */

import type { Issue } from '@citymodel/base';
import type { StatusDocument, StatusPackage } from 'citymodel-server/shared';
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { PackageName } from '../ui/package-name.tsx';
import { AdminFailure, admin } from './admin-api.ts';
import { Issues, IssueTotals } from './issues.tsx';
import { Pages } from './pages.tsx';
import { usePolled } from './use-polled.ts';
import { Wide } from './wide.tsx';
import { useAdminWords } from './words.ts';

const LOOK_MS = 5_000;
const PAGE_SIZE = 50;

export function PackagesPanel({ onAsked, onRefused }: { onAsked: () => void; onRefused: () => void }) {
  const { t, bytes, time } = useAdminWords();
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [leaving, setLeaving] = useState<StatusPackage | null>(null);
  const path = `/status.json?limit=${PAGE_SIZE}&page=${page}`;
  const { value, look } = usePolled<StatusDocument>(path, LOOK_MS, onRefused);
  const ask = async ({ id }: StatusPackage, what: 'convert' | 'bring-back') => {
    setFailure(null);
    try {
      await admin(`/admin/packages/${id}/${what}`, 'POST');
      if (what === 'convert') onAsked();
      else look();
    } catch (error) {
      setFailure(error instanceof AdminFailure ? error.message : String(error));
    }
  };
  return (
    <section>
      <h2 id="packages-title">{t('packages')}</h2>
      <p role="alert" class="bad-text">
        {failure}
      </p>
      {value === null ? (
        <p class="loading">{t('loading')}</p>
      ) : value.packages.length === 0 ? (
        <p class="quiet">{t('noPackages')}</p>
      ) : (
        <Wide labelledBy="packages-title">
          <thead>
            <tr>
              <th scope="col">{t('what')}</th>
              <th scope="col">{t('place')}</th>
              <th scope="col">{t('year')}</th>
              <th scope="col">{t('archive')}</th>
              <th scope="col">{t('issues')}</th>
              <th scope="col">{t('ingested')}</th>
              <th scope="col">{t('actions')}</th>
            </tr>
          </thead>
          <tbody>
            {value.packages.map((row) => (
              <Fragment key={row.id}>
                <tr data-state={row.state}>
                  <th scope="row">
                    <PackageName name={row.name} />
                  </th>
                  <td class="place">{row.place}</td>
                  <td>{row.year}</td>
                  <td>{bytes(row.archiveBytes)}</td>
                  <td>
                    <button
                      type="button"
                      class="button small"
                      aria-expanded={open === row.id}
                      onClick={() => setOpen(open === row.id ? null : row.id)}
                    >
                      <IssueTotals counts={row.issues} />
                    </button>
                  </td>
                  <td>{time(row.ingestedAt)}</td>
                  <td>
                    {row.state === 'live' ? (
                      <span class="buttons">
                        {row.kind === 'citygml' && (
                          <button type="button" class="button small" onClick={() => void ask(row, 'convert')}>
                            {t('convert')}
                          </button>
                        )}
                        <button type="button" class="button small" onClick={() => setLeaving(row)}>
                          {t('remove')}
                        </button>
                      </span>
                    ) : (
                      <span class="buttons">
                        <span>{t(row.state)}</span>
                        <button
                          type="button"
                          class="button small"
                          title={t('bringBackText')}
                          onClick={() => void ask(row, 'bring-back')}
                        >
                          {t('bringBack')}
                        </button>
                      </span>
                    )}
                  </td>
                </tr>
                {open === row.id && (
                  <tr>
                    <td colSpan={7}>
                      <Issues
                        path={`/status.json?package=${row.id}`}
                        read={({ issues }: { issues: Issue[] }) => ({ issues })}
                      />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </Wide>
      )}
      {value !== null && <Pages page={page} pages={value.pages} onPage={setPage} />}
      {leaving !== null && (
        <RemoveDialog
          row={leaving}
          onEnd={() => {
            setLeaving(null);
            look();
          }}
        />
      )}
    </section>
  );
}

function RemoveDialog({ row, onEnd }: { row: StatusPackage; onEnd: () => void }) {
  const { t } = useAdminWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const remove = async (event: Event) => {
    event.preventDefault();
    try {
      await admin(`/admin/packages/${row.id}?name=${encodeURIComponent(name)}`, 'DELETE');
      dialog.current?.close();
    } catch (error) {
      setFailure(error instanceof AdminFailure ? error.message : String(error));
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="remove-title" onClose={onEnd}>
      <form onSubmit={remove}>
        <h2 id="remove-title">{t('removeTitle')}</h2>
        <p>
          <strong>{row.name}</strong>
        </p>
        <label for="remove-name">{t('removeText')}</label>
        <input
          id="remove-name"
          type="text"
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <p role="alert" class="bad-text">
          {failure}
        </p>
        <div class="actions">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {t('back')}
          </button>
          <button type="submit" class="button danger" disabled={name !== row.name}>
            {t('remove')}
          </button>
        </div>
      </form>
    </dialog>
  );
}
