/** The basket: areas as cards, what of them, and the pack. Everything is counted on the server. */
import { useEffect, useRef } from 'preact/hooks';
import { api, countsPath } from '../core/api.ts';
import { type Area, areaCondition, parseArea } from '../core/area.ts';
import { type FileCounts, filesInArea, totalOf } from '../core/files.ts';
import { namedPlaces } from '../core/named-place.ts';
import { MOST_AREAS } from '../core/state.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { drawMode, placeBoxes } from '../map/map-link.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import { AreaCard } from './area-card.tsx';
import { filesOfArea } from './area-files.ts';
import { AreaTools } from './area-tools.tsx';
import { BasketContent } from './basket-content.tsx';
import type { AreaCounts } from './counts.ts';

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
        {known !== null && <BasketContent counts={known} busy={counts.loading} />}
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
