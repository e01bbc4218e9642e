/** The basket: an area, what of it, and the pack. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiFailure, api, filesPath } from '../core/api.ts';
import { areaCondition, formatArea, parseArea } from '../core/area.ts';
import { type FileList, filesInArea, groupBy, packUrls, sumOf } from '../core/files.ts';
import { useSignal } from '../core/signal.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { type DrawMode, drawMode, mapView } from '../map/map-link.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import { areaFromText } from './area-text.ts';
import { Pack } from './pack.tsx';

const MODES = [
  ['box', 'drawBox'],
  ['polygon', 'drawPolygon'],
  ['meshes', 'drawMeshes'],
] as const;

export function BasketPanel() {
  const { t } = useWords();
  const areaText = usePart((s) => s.area);
  const area = useMemo(() => (areaText === null ? null : parseArea(areaText)), [areaText]);
  const condition = area === null ? null : areaCondition(area);
  useEffect(() => () => drawMode.set(null), []);
  const list = useLoaded(condition, (signal) => filesFor(condition!, signal));
  return (
    <>
      <p class="quiet">{t('basketIntro')}</p>
      <section>
        <h2>
          <span class="step">1</span> {t('step1')}
        </h2>
        <AreaTools areaText={areaText} />
      </section>
      <section>
        <h2>
          <span class="step">2</span> {t('step2')}
        </h2>
        {area === null && <p class="quiet">{t('areaNone')}</p>}
        {list.error !== null && <Failure error={list.error} retry={list.retry} />}
        {list.loading && list.value === null && <Loading />}
        {area !== null && list.value !== null && <Content list={list.value} areaText={areaText!} />}
      </section>
    </>
  );
}

/** Nothing found is an empty list here, not a failure. */
async function filesFor(condition: string, signal: AbortSignal): Promise<FileList> {
  try {
    return await api<FileList>(filesPath(condition, { everyYear: true }), { signal });
  } catch (error) {
    if (error instanceof ApiFailure && error.kind === 'missing') return { cities: [] };
    throw error;
  }
}

function AreaTools({ areaText }: { areaText: string | null }) {
  const { t } = useWords();
  const mode = useSignal(drawMode);
  const view = useSignal(mapView);
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const setArea = (area: string | null) => update({ area, pack: null }, { push: true });
  return (
    <>
      <div class="actions">
        {MODES.map(([key, label]) => (
          <button
            key={key}
            type="button"
            class="button"
            aria-pressed={mode === key}
            disabled={view === null}
            onClick={() => drawMode.set(mode === key ? null : (key as DrawMode))}
          >
            {t(label)}
          </button>
        ))}
        <button
          type="button"
          class="button"
          disabled={view === null}
          onClick={() => view && setArea(formatArea({ kind: 'box', bounds: view.bounds }))}
        >
          {t('useView')}
        </button>
      </div>
      <p class="quiet help" role="status">
        {mode === 'box' && t('drawBoxHelp')}
        {mode === 'polygon' && t('drawPolygonHelp')}
        {mode === 'meshes' && t('drawMeshesHelp')}
      </p>
      <form
        class="field inline"
        onSubmit={(event) => {
          event.preventDefault();
          const area = areaFromText(typed);
          setWrong(area === null);
          if (area !== null) setArea(area);
        }}
      >
        <label>
          <span>{t('areaText')}</span>
          <input
            type="text"
            placeholder={t('areaTextHelp')}
            aria-invalid={wrong}
            spellcheck={false}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setWrong(false);
            }}
          />
        </label>
        <button type="submit" class="button">
          OK
        </button>
      </form>
      {wrong && (
        <p class="notice bad" role="alert">
          {t('areaTextWrong')}
        </p>
      )}
      {areaText !== null && (
        <p class="area-now">
          <code>{areaText.length > 60 ? `${areaText.slice(0, 60)}…` : areaText}</code>
          <button type="button" class="button small" onClick={() => setArea(null)}>
            {t('clearArea')}
          </button>
        </p>
      )}
    </>
  );
}

/** Types to choose, with what they hold; then the pack. */
function Content({ list, areaText }: { list: FileList; areaText: string }) {
  const words = useWords();
  const { t, number, bytes } = words;
  const chosen = usePart((s) => s.types?.join(',') ?? null)?.split(',') ?? null;
  const allYears = usePart((s) => s.allYears);
  const papers = usePart((s) => s.papers);
  const files = filesInArea(list, { area: parseArea(areaText)!, allYears });
  const types = groupBy(files, (file) => file.type);
  const isChosen = (type: string) => chosen === null || chosen.includes(type);
  const taken = files.filter((file) => isChosen(file.type));
  const sum = sumOf(taken);
  if (files.length === 0) return <p class="notice">{t('areaEmpty')}</p>;
  const toggle = (type: string) => {
    const now = [...types.keys()].filter((key) => (key === type ? !isChosen(key) : isChosen(key)));
    // Nothing chosen is written as a type that there is not, for an empty list means all.
    update({ types: now.length === types.size ? null : now.length === 0 ? ['-'] : now, pack: null });
  };
  return (
    <>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{t('type')}</th>
            <th scope="col">{t('features')}</th>
            <th scope="col">{t('files')}</th>
            <th scope="col">{t('size')}</th>
          </tr>
        </thead>
        <tbody>
          {[...types].map(([type, ofType]) => {
            const part = sumOf(ofType);
            return (
              <tr key={type} class={isChosen(type) ? undefined : 'left-out'}>
                <th scope="row">
                  <label>
                    <input type="checkbox" checked={isChosen(type)} onChange={() => toggle(type)} />
                    {words.type(type)} <code class="quiet">{type}</code>
                  </label>
                </th>
                <td>{number(part.features)}</td>
                <td>{number(part.files)}</td>
                <td>{bytes(part.bytes)}</td>
              </tr>
            );
          })}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('filesChosen')}</th>
            <td>{number(sum.features)}</td>
            <td>{number(sum.files)}</td>
            <td>{bytes(sum.bytes)}</td>
          </tr>
        </tfoot>
      </table>
      <p class="quiet small-note">
        {t('size')}: {t('uncompressed')}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={allYears}
          onChange={() => update({ allYears: !allYears, pack: null })}
        />
        {t('allYears')}
      </label>
      <label class="check">
        <input type="checkbox" checked={papers} onChange={() => update({ papers: !papers, pack: null })} />
        {t('papers')}
      </label>
      <details>
        <summary>
          {t('fileList')} ({number(taken.length)})
        </summary>
        <ul class="files">
          {taken.map((file) => (
            <li key={file.url}>
              <a href={file.url}>{file.url.slice(file.url.indexOf('/udx/') + 5)}</a>
              <span class="quiet">
                {file.city.cityName} {file.city.year}
              </span>
              <span class="quiet">{bytes(file.fileSize)}</span>
            </li>
          ))}
        </ul>
      </details>
      <Pack urls={packUrls(taken, papers)} />
    </>
  );
}
