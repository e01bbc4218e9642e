/** The answer to a chip as sentence, list and CSV; the first view does without it. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Shown } from '../core/state.ts';
import { usePart, useWords } from '../core/store.ts';
import type { Summary } from '../core/summary.ts';
import { useSummary } from '../core/use-summary.ts';
import { answersOf, citiesCsv, type LodAnswer } from './chip-answer.ts';
import { CityRow } from './cities.tsx';

/** Municipalities that are listed before somebody asks for all. */
const ROWS = 20;

const SENTENCES: Record<'ja' | 'en', Record<Exclude<Shown, 'year'>, string>> = {
  en: {
    '3d': '{count} municipalities have LOD {lod} buildings',
    textured: '{count} municipalities have textured buildings of LOD {lod}',
    flood: '{count} municipalities have LOD {lod} flood areas',
    road: '{count} municipalities have LOD {lod} roads',
  },
  ja: {
    '3d': 'LOD{lod}の建物がある市区町村：{count}',
    textured: 'LOD{lod}のテクスチャ付き建物がある市区町村：{count}',
    flood: 'LOD{lod}の浸水想定区域がある市区町村：{count}',
    road: 'LOD{lod}の道路がある市区町村：{count}',
  },
};
const MORE = { en: 'All {count}', ja: '全{count}件' };

export function ChipAnswer() {
  const shown = usePart((s) => s.shown);
  const summary = useSummary().value;
  if (shown === null || shown === 'year' || summary === null) return null;
  return <Answers key={shown} shown={shown} summary={summary} />;
}

function Answers({ shown, summary }: { shown: Exclude<Shown, 'year'>; summary: Summary }) {
  const answers = useMemo(() => answersOf(summary.cities, shown, 0), [summary, shown]);
  return (
    <section class="answers">
      {answers.map((answer) => (
        <Answer key={answer.lod} answer={answer} shown={shown} />
      ))}
    </section>
  );
}

function Answer({ answer: { lod, cities }, shown }: { answer: LodAnswer; shown: Exclude<Shown, 'year'> }) {
  const { language, number, t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const sentence = SENTENCES[language][shown]
    .replace('{count}', number(cities.length))
    .replace('{lod}', String(lod))
    .replace('municipalities have', cities.length === 1 ? 'municipality has' : 'municipalities have');
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{sentence}</summary>
      {isOpen && (
        <>
          <Csv cities={cities} shown={shown} lod={lod} />
          <ul class="list" aria-label={t('municipality')}>
            {(isWhole ? cities : cities.slice(0, ROWS)).map((city) => (
              <CityRow key={city.code} city={city} withPref />
            ))}
          </ul>
          {!isWhole && cities.length > ROWS && (
            <button type="button" class="button small" onClick={() => setWhole(true)}>
              {MORE[language].replace('{count}', number(cities.length))}
            </button>
          )}
        </>
      )}
    </details>
  );
}

function Csv({ cities, shown, lod }: { cities: LodAnswer['cities']; shown: Shown; lod: number }) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const file = URL.createObjectURL(new Blob([citiesCsv(cities, shown)], { type: 'text/csv' }));
    setUrl(file);
    return () => URL.revokeObjectURL(file);
  }, [cities, shown]);
  return (
    <a class="button small" href={url} download={`${shown}_lod${lod}.csv`}>
      CSV
    </a>
  );
}
