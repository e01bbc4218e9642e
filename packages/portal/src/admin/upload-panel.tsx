/** Uploads of packages: those of this page with their progress, and those that broke earlier. */

import type { AdminUpload } from 'citymodel-server/shared';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Upload } from 'tus-js-client';
import { config } from '../core/config.ts';
import { AdminFailure, admin, authorization } from './admin-api.ts';
import { usePolled } from './use-polled.ts';
import { useAdminWords } from './words.ts';

/**
 * Bytes of one request: a slow line brings them before the server's REQUEST_TIMEOUT_S, or most of them, which are kept.
 */
const PART_BYTES = 8_000_000;
/** Pauses before a broken part is sent again, ms. */
const RETRIES = [500, 1_000, 3_000, 5_000, 10_000, 20_000, 60_000];
const LOOK_MS = 5_000;

/** An upload of this page. */
interface Sending {
  file: File;
  upload: Upload;
  sent: number;
  state: 'sending' | 'paused' | 'done' | 'failed';
  failure: string | null;
}

interface Listed {
  uploads: AdminUpload[];
  maxBytes: number;
}

export function UploadPanel({ onAsked, onRefused }: { onAsked: () => void; onRefused: () => void }) {
  const { t, bytes } = useAdminWords();
  const [sendings, setSendings] = useState<readonly Sending[]>([]);
  const { value: listed, look } = usePolled<Listed>('/admin/uploads', LOOK_MS, onRefused);
  const input = useRef<HTMLInputElement>(null);
  const change = useCallback((upload: Upload, changes: Partial<Sending>) => {
    setSendings((all) => all.map((one) => (one.upload === upload ? { ...one, ...changes } : one)));
  }, []);
  useEffect(() => {
    const isSending = sendings.some(({ state }) => state === 'sending');
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    if (isSending) addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [sendings]);

  const begin = async (file: File) => {
    if (listed !== null && file.size > listed.maxBytes) {
      const failure = `${t('tooLarge')} ${bytes(listed.maxBytes)}`;
      const upload = new Upload(file, {});
      setSendings((all) => [...all, { file, upload, sent: 0, state: 'failed', failure }]);
      return;
    }
    const upload: Upload = new Upload(file, {
      endpoint: `${config.base}/admin/uploads`,
      chunkSize: PART_BYTES,
      retryDelays: RETRIES,
      metadata: { filename: file.name },
      removeFingerprintOnSuccess: true,
      onBeforeRequest: (request) => {
        for (const [name, value] of Object.entries(authorization())) request.setHeader(name, value);
      },
      onProgress: (sent) => change(upload, { sent }),
      onError: (error) => change(upload, { state: 'failed', failure: reasonOf(error) }),
      onSuccess: () => void finish(upload, file),
    });
    setSendings((all) => [...all, { file, upload, sent: 0, state: 'sending', failure: null }]);
    const [earlier] = await upload.findPreviousUploads();
    if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
    upload.start();
  };

  const finish = async (upload: Upload, file: File) => {
    try {
      await check(upload.url!.split('/').at(-1)!);
      change(upload, { state: 'done', sent: file.size });
      onAsked();
      look();
    } catch (error) {
      change(upload, {
        state: 'failed',
        failure: error instanceof AdminFailure ? error.message : String(error),
      });
    }
  };

  const discard = async (id: string) => {
    await admin(`/admin/uploads/${id}`, 'DELETE').catch(() => {});
    look();
  };
  const checkListed = async (id: string) => {
    await check(id).catch(() => {});
    onAsked();
    look();
  };
  const own = new Set(sendings.map(({ upload }) => upload.url?.split('/').at(-1)));
  const broken = (listed?.uploads ?? []).filter(({ id }) => !own.has(id));
  return (
    <section>
      <h2>{t('uploads')}</h2>
      <p class="quiet">{t('uploadsHelp')}</p>
      <input
        ref={input}
        id="files"
        class="visually-hidden"
        type="file"
        multiple
        accept=".zip,.pmtiles"
        onChange={(event) => {
          for (const file of event.currentTarget.files ?? []) void begin(file);
          event.currentTarget.value = '';
        }}
      />
      <label for="files" class="button primary">
        {t('choose')}
      </label>
      <ul class="uploads">
        {sendings.map(({ file, upload, sent, state, failure }) => (
          <li key={file.name + file.lastModified} data-state={state}>
            <span class="upload-name">{file.name}</span>
            <progress max={Math.max(1, file.size)} value={sent} aria-label={file.name} />
            <span class="quiet">
              {bytes(sent)} / {bytes(file.size)}
            </span>
            {state === 'sending' && (
              <button
                type="button"
                class="button small"
                onClick={() => void upload.abort().then(() => change(upload, { state: 'paused' }))}
              >
                {t('pause')}
              </button>
            )}
            {(state === 'paused' || (state === 'failed' && upload.url !== null)) && (
              <button
                type="button"
                class="button small"
                onClick={() => {
                  change(upload, { state: 'sending', failure: null });
                  upload.start();
                }}
              >
                {t('goOn')}
              </button>
            )}
            <span role="status">
              {state === 'done' && <span class="good-text">{t('uploadDone')}</span>}
              {failure !== null && <span class="bad-text">{failure}</span>}
            </span>
          </li>
        ))}
        {broken.map(({ id, name, size, received }) => (
          <li key={id} data-state="broken">
            <span class="upload-name">{name}</span>
            <progress max={Math.max(1, size)} value={received} aria-label={name} />
            <span class="quiet">
              {bytes(received)} / {bytes(size)}
            </span>
            {received === size ? (
              <button type="button" class="button small" onClick={() => void checkListed(id)}>
                {t('goOn')}
              </button>
            ) : (
              <span class="quiet">{t('chooseAgain')}</span>
            )}
            <button type="button" class="button small" onClick={() => void discard(id)}>
              {t('discard')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Asks for the dry run of a whole upload. */
function check(id: string): Promise<unknown> {
  return admin(`/admin/uploads/${id}/check`, 'POST');
}

/** The sentence of the service in a failure of the library, else the failure itself. */
function reasonOf(error: Error & { originalResponse?: { getBody(): string } | null }): string {
  try {
    return JSON.parse(error.originalResponse?.getBody() ?? '').reason;
  } catch {
    return error.message;
  }
}
