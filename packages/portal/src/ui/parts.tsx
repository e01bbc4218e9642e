/** Small pieces that every view is made of. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiFailure } from '../core/api.ts';
import type { Key } from '../core/i18n.ts';
import { translated } from '../core/reasons.ts';
import { useWords } from '../core/store.ts';

const FAILURES = {
  offline: 'failOffline',
  absent: 'failAbsent',
  busy: 'failBusy',
  missing: 'failMissing',
  refused: 'failRefused',
} as const satisfies Record<ApiFailure['kind'], Key>;

/** A failure in words that a person can act on, with the service's own sentence, and a way to try again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t, language } = useWords();
  const known = error instanceof ApiFailure;
  const own = known && language === 'ja' ? translated(error.reason) : null;
  return (
    <div class="notice bad" role="alert">
      <p>{t(known ? FAILURES[error.kind] : 'failPage')}</p>
      {known && error.reason !== '' && error.kind !== 'offline' && error.kind !== 'absent' && (
        <p class="quiet" lang={own === null ? 'en' : undefined}>
          {own ?? error.reason}
        </p>
      )}
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          {t('retry')}
        </button>
      )}
    </div>
  );
}

export function Loading({ text }: { text?: string }) {
  const { t } = useWords();
  return (
    <p class="loading" role="status">
      {text ?? t('loading')}
    </p>
  );
}

/** Puts a text into the clipboard; false where the browser refuses. Addresses without TLS have the old way alone. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const copied = (event: ClipboardEvent) => {
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
    };
    document.addEventListener('copy', copied);
    const done = document.execCommand('copy');
    document.removeEventListener('copy', copied);
    return done;
  }
}

/** A button that copies a text, or what the function gives when it is pressed, and says so. */
export function Copy({ text, label }: { text: string | (() => string); label?: string }) {
  const { t } = useWords();
  const [done, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(typeof text === 'string' ? text : text()))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1_600);
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={label && `${t('copy')}: ${label}`}>
      <span aria-live="polite">{t(done ? 'copied' : 'copy')}</span>
    </button>
  );
}

/** An address in one line, cut where there is no room, to open and to copy. */
export function Address({ url, label }: { url: string; label: string }) {
  return (
    <div class="address">
      <span class="label">{label}</span>
      <code title={url}>{url}</code>
      <Copy text={url} label={label} />
    </div>
  );
}

/** Name and value under each other in columns. */
export function Facts({ rows }: { rows: Array<[string, ComponentChildren] | null> }) {
  return (
    <dl class="facts">
      {rows.map(
        (row) =>
          row !== null && (
            <div key={row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A choice among a few, as one control. */
export function Segments<T extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: T;
  options: Array<[T, string]>;
  onChoose: (value: T) => void;
}) {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([key, text]) => (
        <label key={key}>
          <input type="radio" name={label} checked={value === key} onChange={() => onChoose(key)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The name of an area or a dataset; room for it until it is known. */
export function AreaName({ name }: { name: string | null }) {
  return name === null ? (
    <span class="name-room" aria-hidden="true">
      …
    </span>
  ) : (
    name
  );
}

export function LodMark({ lod }: { lod: number | string }) {
  return <span class="lod">LOD {lod}</span>;
}
