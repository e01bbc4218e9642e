/** The basket: areas as cards, what of them, and the pack. Everything is counted on the server. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, api, countsPath, filesPath } from '../core/api.ts';
import { type Area, areaBounds, areaCondition, areaSize, formatArea, parseArea } from '../core/area.ts';
import { areaFromCondition } from '../core/area-text.ts';
import { config } from '../core/config.ts';
import { loadSummary } from '../core/data.ts';
import { placeOfAreas } from '../core/feature-query.ts';
import { type FileCounts, type FileList, type FoundFile, filesInArea, totalOf } from '../core/files.ts';
import type { Words } from '../core/i18n.ts';
import { boundsOfPlaces, namedPlaces, sizeOfPlaces } from '../core/named-place.ts';
import { signal, useSignal } from '../core/signal.ts';
import { MOST_AREAS } from '../core/state.ts';
import { current, update, usePart, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { countCondition, useConditionName } from '../map/condition.ts';
import { dataBounds } from '../map/condition-place.ts';
import { type DrawMode, drawMode, drawn, editing, mapView, placeBoxes, wanted } from '../map/map-link.ts';
import { Missing } from '../map/missing.tsx';
import { Search } from '../map/search.tsx';
import { FeaturesAsData } from '../ui/features-as-data.tsx';
import { FileRows } from '../ui/file-list.tsx';
import { AreaName, Failure, Loading } from '../ui/parts.tsx';
import { type AreaCounts, chosenSum, featuresOfAreas, limitUse, typesOf } from './counts.ts';
import { packName, placeName } from './names.ts';
import { Pack } from './pack.tsx';

const MODES = [
  ['box', 'drawBox'],
  ['polygon', 'drawPolygon'],
  ['meshes', 'drawMeshes'],
] as const;

/** Files that are listed to find those that meet a polygon. */
const MOST_TO_CUT = 3_000;

export function BasketPanel() {
  const { t } = useWords();
  const texts = usePart((s) => s.areas.join('~'));
  const allYears = usePart((s) => s.allYears);
  const areas = texts.split('~').flatMap((text) => {
    const area = parseArea(text);
    return area === null ? [] : [{ text, area }];
  });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => () => drawMode.set(null), []);
  const counts = useLoaded(texts === '' ? null : `${texts} ${allYears}`, (signal) =>
    Promise.all(areas.map(({ text, area }) => countArea(text, area, allYears, signal))),
  );
  const known = counts.value !== null && counts.value.length === areas.length ? counts.value : null;
  return (
    <>
      <p class="quiet">{t('basketIntro')}</p>
      <section>
        <h2 tabIndex={-1} ref={heading}>
          <span class="step">1</span> {t('step1')}
        </h2>
        <AreaTools isFull={areas.length >= MOST_AREAS} />
        <ul class="cards">
          {areas.map(({ text, area }, i) => (
            <AreaCard key={text} text={text} area={area} counts={known?.[i] ?? null} />
          ))}
        </ul>
        {areas.length > 1 && (
          <button
            type="button"
            class="button small"
            onClick={() => {
              heading.current!.focus();
              update({ areas: [], pack: null }, { push: true });
            }}
          >
            {t('clearArea')}
          </button>
        )}
      </section>
      <section>
        <h2>
          <span class="step">2</span> {t('step2')}
        </h2>
        {areas.length === 0 && <p class="quiet">{t('areaNone')}</p>}
        {counts.error !== null && <Failure error={counts.error} retry={counts.retry} />}
        {counts.loading && known === null && areas.length > 0 && <Loading />}
        {known !== null && <Content counts={known} busy={counts.loading} />}
      </section>
    </>
  );
}

/** What an area has. Of a polygon a short list of files is fetched, to cut it out of its box. */
async function countArea(
  text: string,
  area: Area,
  everyYear: boolean,
  signal: AbortSignal,
): Promise<AreaCounts> {
  const condition = areaCondition(area);
  const counts = await api<FileCounts>(countsPath(condition, { everyYear }), { signal });
  const base = { text, area, condition, counts, files: null };
  const total = totalOf(counts);
  notePlaces(text, counts);
  if (area.kind !== 'polygon' || total.files === 0 || total.files > MOST_TO_CUT) return base;
  const list = await filesOfArea(condition, signal);
  return { ...base, files: filesInArea(list, { area, allYears: everyYear }) };
}

/** Tells the map where a named place is. */
function notePlaces(text: string, counts: FileCounts): void {
  const places = namedPlaces(counts);
  if (places === null || places.length === 0) return;
  placeBoxes.set(
    new Map(placeBoxes.get()).set(
      text,
      places.map(({ bounds }) => bounds),
    ),
  );
}

/** Nothing found is an empty list here, not a failure. */
async function filesOfArea(condition: string, signal?: AbortSignal): Promise<FileList> {
  try {
    return await api<FileList>(filesPath(condition, { everyYear: true }), { signal });
  } catch (error) {
    if (error instanceof ApiFailure && error.kind === 'missing') return { cities: [] };
    throw error;
  }
}

function AreaTools({ isFull }: { isFull: boolean }) {
  const { t, fill, number } = useWords();
  const mode = useSignal(drawMode);
  const view = useSignal(mapView);
  const polygon = useSignal(drawn);
  const [missed, setMissed] = useState<string | null>(null);
  const [failure, setFailure] = useState<{ condition: string; error: unknown } | null>(null);
  const add = (text: string) => {
    const { areas } = current();
    if (areas.includes(text) || isFull) return;
    update({ areas: [...areas, text], pack: null }, { push: true });
    drawMode.set(null);
  };
  // A person who searches wants files: where there are none, what is near is offered instead.
  const choose = async (condition: string) => {
    setMissed(null);
    setFailure(null);
    const text = areaFromCondition(condition);
    const area = text === null ? null : parseArea(text);
    if (area === null) return setMissed(condition);
    try {
      const [counts, summary] = await Promise.all([countCondition(areaCondition(area)), loadSummary()]);
      if (totalOf(counts).files === 0) return setMissed(condition);
      add(text!);
      const box = areaBounds(area) ?? boundsOfPlaces(namedPlaces(counts) ?? []) ?? dataBounds(text!, summary);
      if (box !== null) wanted.set(box);
    } catch (error) {
      setFailure({ condition, error });
    }
  };
  if (isFull) return <p class="notice">{fill('areasFull', { count: number(MOST_AREAS) })}</p>;
  return (
    <>
      <Search label={t('areaSearch')} placeholder={t('areaSearchHint')} onChoose={choose} />
      {failure !== null && <Failure error={failure.error} retry={() => choose(failure.condition)} />}
      {missed !== null && <Missing key={missed} condition={missed} onChoose={choose} />}
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
          onClick={() => view && add(formatArea({ kind: 'box', bounds: view.bounds }))}
        >
          {t('useView')}
        </button>
      </div>
      <p class="quiet help" role="status">
        {mode === 'box' && t('drawBoxHelp')}
        {mode === 'polygon' && t('drawPolygonHelp')}
        {mode === 'meshes' && t('drawMeshesHelp')}
      </p>
      {mode === 'polygon' && polygon !== null && (
        <div class="actions">
          <button
            type="button"
            class="button primary"
            disabled={polygon.corners < 3}
            onClick={() => polygon.finish()}
          >
            {t('drawDone')}
          </button>
          <button type="button" class="button" onClick={() => polygon.undo()}>
            {t('drawUndo')}
          </button>
        </div>
      )}
    </>
  );
}

function AreaCard({ text, area, counts }: { text: string; area: Area; counts: AreaCounts | null }) {
  const words = useWords();
  const { t, number, bytes } = words;
  const name = useAreaName(area);
  const types = usePart((s) => s.types?.join(',') ?? null);
  const sum = counts === null ? null : chosenSum([counts], types?.split(',') ?? null);
  return (
    <li class="card" data-area={text}>
      <div>
        <strong>
          <AreaName name={name} />
        </strong>
        <p class="quiet">
          {howLarge(area, counts, words)}
          {sum === null
            ? t('loading')
            : sum.files === 0
              ? t('areaEmpty')
              : `${number(sum.files)} ${t('filesUnit')} · ${t('about')} ${bytes(sum.zip)}`}
        </p>
      </div>
      {(area.kind === 'box' || area.kind === 'polygon') && (
        <button
          type="button"
          class="button small"
          aria-label={`${t('changeArea')}: ${name ?? text}`}
          onClick={(event) => {
            // A click without a pointer came from a key.
            editing.set({ text, isNew: false, byKeys: event.detail === 0 });
            wanted.set(areaBounds(area));
          }}
        >
          {t('changeArea')}
        </button>
      )}
      <button
        type="button"
        class="button small"
        aria-label={`${t('removeArea')}: ${name ?? text}`}
        onClick={(event) => {
          neighbourOf(event.currentTarget)?.focus();
          update({ areas: current().areas.filter((area) => area !== text), pack: null }, { push: true });
        }}
      >
        {t('removeArea')}
      </button>
    </li>
  );
}

/**
 * What has the focus once the card of a button is gone: the same button of the next card or of the one before, else the
 * heading.
 */
function neighbourOf(button: HTMLElement): HTMLElement | null {
  const card = button.closest('.card')!;
  const next = card.nextElementSibling ?? card.previousElementSibling;
  return next === null
    ? card.closest('section')!.querySelector('h2')
    : next.querySelector<HTMLElement>('button:last-of-type');
}

/** The size of an area with a separator after it; of one that has no outline, of the meshes that have its files. */
function howLarge(area: Area, counted: AreaCounts | null, { fill, number }: Words): string {
  const size = areaSize(area) ?? sizeOfPlaces(namedPlacesOf(counted ?? undefined));
  const km2 = (size: number) => number(Number(size.toPrecision(3)));
  if (size !== null) return `${size < 0.01 ? `${number(Math.round(size * 1e6))} m²` : `${km2(size)} km²`} · `;
  if (counted === null || counted.counts.meshes === 0) return '';
  const { meshes, meshes_km2 } = counted.counts;
  const values = { count: number(meshes), size: km2(meshes_km2) };
  return `${fill(meshes === 1 ? 'meshWithData' : 'meshesWithData', values)} · `;
}

/** A municipality or place by its name, anything else by what it is. */
function useAreaName(area: Area): string | null {
  const { t, number } = useWords();
  const name = useConditionName(formatArea(area));
  switch (area.kind) {
    case 'city':
    case 'place':
      return name;
    case 'box':
      return t('drawBox');
    case 'polygon':
      return `${t('drawPolygon')} (${number(area.ring.length)})`;
    case 'meshes':
      return `${t('mesh')} ${area.codes.slice(0, 3).join(', ')}${area.codes.length > 3 ? ' …' : ''}`;
  }
}

/** Types to choose, with what they hold; then the pack. */
function Content({ counts, busy }: { counts: readonly AreaCounts[]; busy: boolean }) {
  const words = useWords();
  const { t, number, bytes, fill } = words;
  const chosen = usePart((s) => s.types?.join(',') ?? null)?.split(',') ?? null;
  const allYears = usePart((s) => s.allYears);
  const papers = usePart((s) => s.papers);
  const types = typesOf(counts);
  const isChosen = (type: string) => chosen === null || chosen.includes(type);
  const sum = chosenSum(counts, chosen);
  const summary = useLoaded('summary', loadSummary).value;
  const place = placeOfAreas(
    counts.map(({ area }) => area),
    (condition) => {
      const found = namedPlacesOf(counts.find(({ text }) => text === condition));
      if (found.length > 0) return found.map(({ bounds }) => bounds);
      const around = summary && dataBounds(condition, summary);
      return around === null ? [] : [around];
    },
  );
  if (types.size === 0) return <p class="notice">{t('areaEmpty')}</p>;
  // A filter that was made for another area and leaves nothing here is said, and can be dropped.
  const leavesNothing = sum.files === 0 && chosen !== null && chosen[0] !== '-';
  const toggle = (type: string) => {
    const now = [...types.keys()].filter((key) => (key === type ? !isChosen(key) : isChosen(key)));
    // Nothing chosen is written as a type that there is not, for an empty list means all.
    update({ types: now.length === types.size ? null : now.length === 0 ? ['-'] : now, pack: null });
  };
  return (
    <div aria-busy={busy}>
      {leavesNothing && (
        <div class="notice">
          <p>{t('typesElsewhere')}</p>
          <button type="button" class="button" onClick={() => update({ types: null, pack: null })}>
            {t('allTypes')}
          </button>
        </div>
      )}
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{t('type')}</th>
            <th scope="col">{t('features')}</th>
            <th scope="col">{t('files')}</th>
            <th scope="col">{t('zipSize')}</th>
          </tr>
        </thead>
        <tbody>
          {[...types].map(([type, part]) => (
            <tr key={type} class={isChosen(type) ? undefined : 'left-out'}>
              <th scope="row">
                <label>
                  <input type="checkbox" checked={isChosen(type)} onChange={() => toggle(type)} />
                  {words.type(type)}
                </label>
              </th>
              <td>{number(part.features)}</td>
              <td>{number(part.files)}</td>
              <td>{bytes(part.zip)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('filesChosen')}</th>
            <td>{number(sum.features)}</td>
            <td>{number(sum.files)}</td>
            <td>{bytes(sum.zip)}</td>
          </tr>
        </tfoot>
      </table>
      <p class="quiet small-note">{fill('zipSizeNote', { bytes: bytes(sum.bytes) })}</p>
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
      <FilesOfBasket counts={counts} chosen={chosen} total={sum.files} />
      <h2 class="step-heading">
        <span class="step">3</span> {t('step3')}
      </h2>
      <Limits files={sum.files} zip={sum.zip} />
      <Pack
        isEmpty={sum.files === 0}
        isTooLarge={sum.files > config.packMaxFiles || sum.zip > config.packMaxBytes}
        zip={sum.zip}
        load={(signal) => filesOfBasket(counts, chosen, signal)}
        name={packName(counts, chosen)}
      />
      {place !== null && (
        <FeaturesAsData
          place={place}
          types={new Map([...featuresOfAreas(counts)].filter(([type]) => types.has(type) && isChosen(type)))}
          isPart={counts.some(
            (counts) =>
              ['box', 'polygon'].includes(counts.area.kind) ||
              (counts.area.kind === 'place' && namedPlacesOf(counts).every(({ isArea }) => !isArea)),
          )}
          everyYear={allYears}
          isFrame={counts.some(
            (counts) => counts.area.kind === 'city' || namedPlacesOf(counts).some(({ isArea }) => isArea),
          )}
          name={placeName(counts)}
        />
      )}
    </div>
  );
}

function namedPlacesOf(counted: AreaCounts | undefined) {
  return (counted && namedPlaces(counted.counts)) ?? [];
}

/** How near the choice is to the limits of one pack, and what to do beyond them. */
function Limits({ files, zip }: { files: number; zip: number }) {
  const { t, number, bytes, fill } = useWords();
  const { share, state } = limitUse({ files, zip }, { files: config.packMaxFiles, zip: config.packMaxBytes });
  return (
    <div class={`limits ${state}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: Chromium fills a coloured meter to half its height */}
      <div
        class="used"
        role="meter"
        aria-label={t('limits')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(100 * Math.min(1, share))}
      >
        <span style={{ width: `${100 * Math.min(1, share)}%` }} />
      </div>
      <p class="quiet">
        {fill('limitsText', {
          files: number(files),
          mostFiles: number(config.packMaxFiles),
          bytes: bytes(zip),
          mostBytes: bytes(config.packMaxBytes),
        })}
      </p>
      {state === 'beyond' && (
        <p class="notice bad" role="alert">
          {t('limitsOver')}
        </p>
      )}
    </div>
  );
}

/** The list of files, asked for when it is opened. */
function FilesOfBasket({
  counts,
  chosen,
  total,
}: {
  counts: readonly AreaCounts[];
  chosen: readonly string[] | null;
  total: number;
}) {
  const { t, number } = useWords();
  const open = useSignal(listOpen);
  const allYears = usePart((s) => s.allYears);
  const key = open && total > 0 && total <= config.packMaxFiles;
  const list = useLoaded(
    key ? JSON.stringify([counts.map(({ text }) => text), chosen, allYears]) : null,
    (signal) => filesOfBasket(counts, chosen, signal),
  );
  return (
    <details open={open} onToggle={(event) => listOpen.set(event.currentTarget.open)}>
      <summary>
        {t('fileList')} ({number(total)})
      </summary>
      {list.error !== null && <Failure error={list.error} retry={list.retry} />}
      {open && list.loading && <Loading />}
      {open && total > config.packMaxFiles && <p class="quiet">{t('limitsOver')}</p>}
      {open && list.value !== null && <FileRows files={list.value} />}
    </details>
  );
}

const listOpen = signal(false);

/** The chosen files of all areas, each once. */
async function filesOfBasket(
  counts: readonly AreaCounts[],
  chosen: readonly string[] | null,
  abort: AbortSignal,
): Promise<FoundFile[]> {
  const { allYears } = current();
  const files = new Map<string, FoundFile>();
  for (const { area, condition, files: known } of counts) {
    const list = known ?? filesInArea(await filesOfArea(condition, abort), { area, allYears });
    for (const file of list) {
      if (chosen === null || chosen.includes(file.type)) files.set(file.url, file);
    }
  }
  return [...files.values()];
}
