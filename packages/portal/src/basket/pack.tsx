/**
 * The pack of the files that are chosen.
 *
 *   none ── make ──▶ accepted ──▶ processing ──▶ succeeded ──▶ download
 *     ▲                                │
 *     └──────── gone, failed ◀─────────┘        another choice leads back to none
 */
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure, api } from '../core/api.ts';
import { config } from '../core/config.ts';
import { type FoundFile, packUrls } from '../core/files.ts';
import type { PackAccepted, PackStatus } from '../core/interface-types.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { Failure } from '../ui/parts.tsx';
import { shareOf } from './pack-share.ts';

/** Seconds that the service may wait with its answer for another state … */
const WAIT = 5;
/** … and milliseconds after which it is asked for progress in any case. */
const ASK_AGAIN = 400;

interface PackProps {
  isEmpty: boolean;
  isTooLarge: boolean;
  /** Estimated bytes of the zip. */
  zip: number;
  /** The files to pack, listed when the pack is asked for. */
  load(signal: AbortSignal): Promise<FoundFile[]>;
  /** What the zip is called, without its ending. */
  name: string;
}

export function Pack({ isEmpty, isTooLarge, zip, load, name }: PackProps) {
  const { t, bytes } = useWords();
  const id = usePart((s) => s.pack);
  const papers = usePart((s) => s.papers);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const make = async () => {
    setAsking(true);
    setError(null);
    try {
      const files = await load(new AbortController().signal);
      const pack = await api<PackAccepted>('/citygml/pack', { body: { urls: packUrls(files, papers) } });
      update({ pack: pack.id });
    } catch (failure) {
      setError(failure);
    } finally {
      setAsking(false);
    }
  };
  return (
    <div class="pack">
      {id === null && (
        <button
          type="button"
          class="button primary wide-button"
          disabled={isEmpty || isTooLarge || asking}
          onClick={make}
        >
          {asking ? t('packAsking') : `${t('makePack')}${isEmpty ? '' : ` (${t('about')} ${bytes(zip)})`}`}
        </button>
      )}
      {isEmpty && <p class="quiet">{t('packNothing')}</p>}
      {error !== null && <Failure error={error} retry={make} />}
      {id !== null && <Progress key={id} id={id} name={name} onGone={() => update({ pack: null })} />}
    </div>
  );
}

function Progress({ id, name, onGone }: { id: string; name: string; onGone: () => void }) {
  const { t, bytes, number, time } = useWords();
  const [pack, setPack] = useState<PackStatus | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [tries, setTries] = useState(0);

  // Asked again when the reader says so
  useEffect(() => {
    const abort = new AbortController();
    setError(null);
    watch(id, setPack, abort.signal).catch((failure) => {
      if (!abort.signal.aborted) setError(failure);
    });
    return () => abort.abort();
  }, [id, tries]);

  if (error instanceof ApiFailure && error.kind === 'missing') {
    return (
      <div class="notice" role="alert">
        <p>{t('packGone')}</p>
        <button type="button" class="button" onClick={onGone}>
          {t('retry')}
        </button>
      </div>
    );
  }
  if (error !== null) return <Failure error={error} retry={() => setTries(tries + 1)} />;
  const status = pack?.status ?? 'accepted';
  return (
    <div class="progress">
      <progress max={1} value={shareOf(status, pack)} aria-label={t('packProgress')} />
      <p role="status" data-status={status}>
        {status === 'accepted' && t('packAccepted')}
        {status === 'processing' && `${t('packProcessing')} ${number(Math.floor(pack!.progress * 100))} %`}
        {status === 'succeeded' && t('packSucceeded')}
        {status === 'failed' && `${t('packFailed')}${pack?.reason ?? ''}`}
      </p>
      {status === 'failed' && (
        <button type="button" class="button" onClick={onGone}>
          {t('retry')}
        </button>
      )}
      {status === 'succeeded' && (
        <>
          <a
            class="button primary wide-button"
            href={`${config.base}/citygml/pack/${id}.zip?name=${name}`}
            download={`${name}.zip`}
          >
            {t('packDownload')}
            {pack?.size !== undefined && ` ${bytes(pack.size)}`}
          </a>
          <p class="quiet">
            <code>{name}.zip</code>
          </p>
          <p class="quiet">
            {pack?.files !== undefined && `${number(pack.files)} ${t('files')}`}
            {pack?.expiresAt !== undefined && ` · ${t('packExpires')} ${time(pack.expiresAt)}`}
          </p>
          {(pack?.missing?.length ?? 0) > 0 && (
            <details>
              <summary>
                {t('packMissing')} ({number(pack!.missingCount ?? pack!.missing!.length)})
              </summary>
              <ul class="files">
                {pack!.missing!.map((path) => (
                  <li key={path}>
                    <code>{path}</code>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  );
}

/** Asks until the pack is finished. The service answers at once when the state changes, so waiting costs nothing. */
async function watch(id: string, tell: (status: PackStatus) => void, signal: AbortSignal): Promise<void> {
  let waited = false;
  while (!signal.aborted) {
    const status: PackStatus = await api(`/citygml/pack/${id}/status${waited ? `?wait=${WAIT}` : ''}`, {
      signal,
    });
    tell(status);
    if (status.status === 'succeeded' || status.status === 'failed') return;
    // Work that is going on is asked for its progress; only a queue is worth waiting in.
    waited = status.status === 'accepted';
    if (!waited) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN));
  }
}
