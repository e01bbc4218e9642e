/** What the page begins with: what this is, in numbers of now, questions it answers, and the country by prefecture. */

import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { unite } from '../core/area.ts';
import type { Words } from '../core/i18n.ts';
import { licenceClaim } from '../core/licence.ts';
import type { Shown } from '../core/state.ts';
import { update, useLaterWords, usePart, useWords } from '../core/store.ts';
import {
  areaName,
  cityBounds,
  hasShown,
  type PrefectureRow,
  prefecturesOf,
  type Summary,
} from '../core/summary.ts';
import { useTheme } from '../core/theme.ts';
import { useLater } from '../core/use-later.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { lazy } from '../ui/lazy.tsx';
import { StateLink } from '../ui/link.tsx';
import { Cities } from './cities.tsx';
import { lodNames } from './classes.ts';
import { wanted } from './map-link.ts';
import { PALETTES } from './palette.ts';

const ChipAnswer = lazy(() => import('./chip-answer-list.tsx').then((module) => module.ChipAnswer));

interface FrontProps {
  summary: Summary;
  /** True where something was closed that had the focus. */
  takesFocus: boolean;
}

export function Front({ summary, takesFocus }: FrontProps) {
  const { t, number, bytes, fill, language } = useWords();
  const shown = usePart((s) => s.shown);
  const pref = usePart((s) => s.pref);
  const { totals } = summary;
  const newest = totals.newest_year ?? 0;
  const rows = useMemo(
    () =>
      prefecturesOf(
        { ...summary, cities: summary.cities.filter((city) => hasShown(city, shown, newest)) },
        shown,
      ).filter(({ cities }) => cities.length > 0),
    [summary, shown, newest],
  );
  // Take another language by themselves, in a later frame.
  const doors = useMemo(() => <Doors summary={summary} />, [summary]);
  // Each list of municipalities or prefectures takes the place of what was clicked, and its focus.
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(takesFocus ? undefined : pref);
  useLayoutEffect(() => {
    if (before.current !== pref) heading.current?.focus({ preventScroll: true });
    before.current = pref;
  }, [pref]);
  if (summary.cities.length === 0) {
    return (
      <section class="empty">
        <h2>{t('emptyTitle')}</h2>
        <p>{t('emptyText')}</p>
      </section>
    );
  }
  const open = rows.find(({ code }) => code === pref);
  return (
    <>
      {open === undefined && doors}
      {shown !== null && <ChipAnswer />}
      {open !== undefined ? (
        <section>
          <div class="heading">
            <h2 tabIndex={-1} ref={heading}>
              {areaName(open, language)}
            </h2>
            <button type="button" class="button small" onClick={() => update({ pref: null }, { push: true })}>
              {t('allPrefectures')}
            </button>
          </div>
          <Cities cities={open.cities} />
        </section>
      ) : (
        <section>
          <div class="heading front-heading">
            <h2 tabIndex={-1} ref={heading}>
              {t('byPrefecture')}
            </h2>
            <span class="quiet">
              {fill('prefecturesNote', { cities: number(totals.cities), datasets: number(totals.datasets) })}
            </span>
          </div>
          <Prefectures rows={rows} />
        </section>
      )}
      <p class="quiet small-print">
        {fill('sizeNote', { bytes: bytes(totals.bytes) })} <LicenceNote ofAll={totals.licence_of_all} />
      </p>
    </>
  );
}

/**
 * One sentence with the numbers of now, above the search; its room until they are known, so that the search stays where
 * it is.
 */
export function Headline({ summary }: { summary: Summary | null }) {
  const { t, number, short, fill } = useWords();
  if (summary === null) {
    return (
      <div class="headline room" aria-hidden="true">
        <h2>…</h2>
        <p>
          …<br />…
        </p>
      </div>
    );
  }
  const { totals } = summary;
  const { licence, isOpen } = licenceClaim(totals.licence_of_all);
  if (totals.cities === 0) return null;
  return (
    <div class="headline">
      <h2>{fill(totals.cities === 1 ? 'headlineOne' : 'headline', { cities: number(totals.cities) })}</h2>
      <p class="quiet">
        {totals.features > 0
          ? fill('headlineText', { features: short(totals.features) })
          : t('headlineTiles')}
        {licence !== null && isOpen && fill('headlineLicence', { licence })}
      </p>
    </div>
  );
}

/** Rows that a panel shows before it is scrolled. */
const ROWS_IN_SIGHT = 14;

/** The licence that all data has, else where that of each dataset stands. */
function LicenceNote({ ofAll }: { ofAll: string | null }) {
  const { t } = useWords();
  const { licence } = licenceClaim(ofAll);
  if (licence !== null) return `${t('licence')}: ${licence}`;
  return <StateLink to={{ view: 'datasets', row: null }}>{t('licenceOfEach')}</StateLink>;
}

function Prefectures({ rows }: { rows: readonly PrefectureRow[] }) {
  const shown = usePart((s) => s.shown);
  const words = useWords();
  const { lods } = PALETTES[useTheme()];
  const later = useLater(rows);
  const laterWords = useLaterWords();
  const most = Math.max(1, ...rows.map(({ cities }) => cities.length));
  const rest = useMemo(
    () =>
      later
        .slice(ROWS_IN_SIGHT)
        .map((row) => (
          <Prefecture key={row.code} row={row} most={most} words={laterWords} colours={lods} shown={shown} />
        )),
    [later, laterWords, most, lods, shown],
  );
  return (
    <ul class="list prefectures">
      {rows.slice(0, ROWS_IN_SIGHT).map((row) => (
        <Prefecture key={row.code} row={row} most={most} words={words} colours={lods} shown={shown} />
      ))}
      {rest}
    </ul>
  );
}

function Prefecture({
  row,
  most,
  words: { t, number, language },
  colours,
  shown,
}: {
  row: PrefectureRow;
  /** Municipalities of the prefecture that has most. */
  most: number;
  words: Words;
  colours: readonly string[];
  /** The chip whose LODs are counted. */
  shown: Shown | null;
}) {
  return (
    <li>
      <button type="button" class="row" onClick={() => openPrefecture(row)}>
        <span class="pref-name">{areaName(row, language)}</span>
        <Bar
          title={row.lods
            .map((count, i) => (count === 0 ? null : `${lodNames(shown, t)[i]} ${number(count)}`))
            .filter((part) => part !== null)
            .join(', ')}
          shares={row.lods.map((count) => count / most)}
          colours={colours}
        />
        <span class="quiet count">{number(row.cities.length)}</span>
      </button>
    </li>
  );
}

/** Parts of a bar as one element, because there are a bar for each prefecture and chips that change them all. */
function Bar({
  title,
  shares,
  colours,
}: {
  title: string;
  /** Of the longest bar. */
  shares: readonly number[];
  colours: readonly string[];
}) {
  let end = 0;
  const parts = shares.map((share, i) => {
    const from = end;
    end += share * 100;
    return `${colours[i]} ${from.toFixed(2)}% ${end.toFixed(2)}%`;
  });
  const backgroundImage = `linear-gradient(to right, ${parts.join(', ')}, transparent 0)`;
  return <span class="shares" role="img" aria-label={title} title={title} style={{ backgroundImage }} />;
}

function openPrefecture({ code, cities }: PrefectureRow): void {
  const boxes = cities.map(cityBounds).filter((box) => box !== null);
  if (boxes.length > 0) wanted.set(boxes.reduce(unite));
  update({ pref: code }, { push: true });
}

/** Questions that the data answers, by code of their own; room for them until it has come. */
function Doors({ summary }: { summary: Summary }) {
  const { value, error } = useLoaded('doors', () => import('../front/door-cards.tsx'));
  if (value !== null) return <value.DoorCards summary={summary} />;
  return error === null ? <div class="doors room" /> : null;
}
