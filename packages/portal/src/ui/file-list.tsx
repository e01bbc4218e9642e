/** Files by name: asked for when the list is opened, and drawn a hundred at a time. */
import { useState } from 'preact/hooks';
import { api, filesPath } from '../core/api.ts';
import { type FileList, type FoundFile, filesOf } from '../core/files.ts';
import { useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { FileAsData } from './features-as-data.tsx';
import { Copy, Failure, Loading } from './parts.tsx';

const PAGE = 100;

/** The files of a condition. */
export function FileListDetails({ condition }: { condition: string }) {
  const { t } = useWords();
  const [open, setOpen] = useState(false);
  const list = useLoaded(open ? condition : null, (signal) =>
    api<FileList>(filesPath(condition), { signal }),
  );
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('fileList')}</summary>
      {list.error !== null && <Failure error={list.error} retry={list.retry} />}
      {open && list.loading && <Loading />}
      {open && list.value !== null && <FileRows files={filesOf(list.value)} />}
    </details>
  );
}

export function FileRows({ files }: { files: readonly FoundFile[] }) {
  const { t, number, bytes } = useWords();
  const [shown, setShown] = useState(PAGE);
  return (
    <>
      <ul class="files">
        {files.slice(0, shown).map((file) => (
          <li key={file.url}>
            <a href={file.url}>{file.url.slice(file.url.indexOf('/udx/') + 5)}</a>
            <span class="quiet">{bytes(file.fileSize)}</span>
            <Copy text={file.url} label={file.url.slice(file.url.lastIndexOf('/') + 1)} />
            <FileAsData
              url={file.url}
              type={file.type}
              name={file.url.slice(file.url.lastIndexOf('/') + 1).replace(/\.gml$/, '')}
            />
          </li>
        ))}
      </ul>
      {files.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + PAGE)}>
          {t('more')} ({number(files.length - shown)})
        </button>
      )}
    </>
  );
}
