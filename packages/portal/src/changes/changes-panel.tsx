/** What two editions of a municipality differ in: a legend that filters, the map, and a list. */
import { useEffect, useState } from 'preact/hooks';
import { unite } from '../core/area.ts';
import { config } from '../core/config.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useSummary } from '../core/use-summary.ts';
import { changesShown, wanted } from '../map/map-link.ts';
import { CityPageLink } from '../ui/city-page-link.tsx';
import { Address, AreaName, Failure, Loading } from '../ui/parts.tsx';
import { BecameLegend } from './became-legend.tsx';
import { ChangeList } from './change-list.tsx';
import {
  type Became,
  becameOf,
  type Compared,
  type Comparison,
  changesData,
  changesPath,
  comparisonOf,
  textOfComparison,
  toggled,
} from './comparison.ts';
import { Swipe } from './swipe-map.tsx';
import { useChanges } from './use-changes.ts';
import { wordIn } from './words.ts';
import './changes.css';

export function ChangesPanel() {
  const { language } = useWords();
  const comparison = comparisonOf(usePart((s) => s.compared));
  const word = wordIn(language);
  if (comparison === null) return <p class="notice">{word('nothing')}</p>;
  return <ChangesOf key={comparison.area} comparison={comparison} />;
}

function ChangesOf({ comparison }: { comparison: Comparison }) {
  const { t, language, areaOf } = useWords();
  const word = wordIn(language);
  const { value: summary } = useSummary();
  const city = summary?.cities.find(({ code }) => code === comparison.area);
  const loaded = useChanges(comparison);
  const compared = loaded.value;
  return (
    <section class="picked changes">
      <h2>{t('changes')}</h2>
      <p class="quiet">
        <AreaName name={areaOf(comparison.area, city?.name ?? comparison.area)} />
      </p>
      <Choices
        comparison={comparison}
        compared={compared}
        years={city?.years ?? []}
        types={city?.types ?? []}
      />
      {loaded.error !== null && <Failure error={loaded.error} retry={loaded.retry} />}
      {loaded.loading && compared === null && <Loading />}
      {compared?.state === 'comparing' && (
        <p class="notice" role="status">
          {word('comparing')}
        </p>
      )}
      {compared?.summary != null && <Shown comparison={comparison} compared={compared} />}
    </section>
  );
}

interface ChoicesProps {
  comparison: Comparison;
  compared: Compared | null;
  years: readonly number[];
  types: readonly string[];
}

function Choices({ comparison, compared, years, types }: ChoicesProps) {
  const { language, type: nameOf, year: nameOfYear } = useWords();
  const word = wordIn(language);
  const choose = (change: Partial<Comparison>) =>
    update({ compared: textOfComparison({ ...comparison, ...change }) }, { push: true });
  const from = comparison.from ?? String(compared?.from.year ?? '');
  const to = comparison.to ?? String(compared?.to.year ?? '');
  const yearsWith = (value: string) => [...new Set([...years.map(String), ...(value === '' ? [] : [value])])];
  return (
    <div class="choices">
      <label class="field">
        <span>{word('type')}</span>
        <select
          value={comparison.type}
          onChange={({ currentTarget }) => choose({ type: currentTarget.value, from: null, to: null })}
        >
          {[...new Set([comparison.type, ...types])].map((code) => (
            <option key={code} value={code}>
              {nameOf(code)}
            </option>
          ))}
        </select>
      </label>
      {(
        [
          ['from', from, (year: string) => choose({ from: year, to })],
          ['to', to, (year: string) => choose({ from, to: year })],
        ] as const
      ).map(([which, value, onChoose]) => (
        <label key={which} class="field">
          <span>{word(which)}</span>
          <select
            value={value}
            disabled={from === '' || to === ''}
            onChange={({ currentTarget }) => onChoose(currentTarget.value)}
          >
            {yearsWith(value).map((one) => (
              <option key={one} value={one}>
                {nameOfYear(one)}
              </option>
            ))}
          </select>
        </label>
      ))}
    </div>
  );
}

/** Of all that differ, those that the legend leaves. */
function Shown({ comparison, compared }: { comparison: Comparison; compared: Compared }) {
  const { t, number, language } = useWords();
  const word = wordIn(language);
  const [hidden, setHidden] = useState<ReadonlySet<Became>>(new Set());
  const { differences, summary, from, to } = compared;
  const shown = differences.filter((one) => !hidden.has(becameOf(one)));
  const [isSwiped, setSwiped] = useState(false);
  useEffect(() => {
    // Beside the older edition, what is gone is shown by that alone.
    changesShown.set(changesData(isSwiped ? shown.filter((one) => becameOf(one) !== 'gone') : shown));
  }, [differences, hidden, isSwiped]);
  useEffect(() => () => changesShown.set(null), []);
  useEffect(() => {
    const boxes = differences.flatMap(({ bounds }) => {
      if (bounds === null) return [];
      const [west, south, east, north] = bounds as [number, number, number, number];
      return [{ west, south, east, north }];
    });
    if (boxes.length > 0) wanted.set(boxes.reduce(unite));
  }, [differences]);
  const path = changesPath({ ...comparison, from: String(from.year), to: String(to.year) });
  return (
    <>
      <BecameLegend compared={compared} hidden={hidden} onToggle={(one) => setHidden(toggled(hidden, one))} />
      <p class="quiet">
        {word('unchanged')}: {number(summary!.unchanged)}
      </p>
      {compared.isCut && <p class="notice">{word('cut', { count: number(differences.length) })}</p>}
      {differences.length === 0 && <p class="notice">{word('same')}</p>}
      <label class="check">
        <input
          type="checkbox"
          checked={isSwiped}
          onChange={({ currentTarget }) => setSwiped(currentTarget.checked)}
        />
        {word('swipe')}
      </label>
      {isSwiped && (
        <Swipe
          differences={shown.filter((one) => becameOf(one) !== 'new')}
          years={{ from: from.year, to: to.year }}
        />
      )}
      <nav class="actions" aria-label={t('actions')}>
        {(['CSV', 'GeoJSON'] as const).map((form) => (
          <a key={form} class="button" href={`${config.base}${path}&format=${form.toLowerCase()}`} download>
            {form}
          </a>
        ))}
        <CityPageLink code={comparison.area} />
      </nav>
      <ChangeList differences={shown} comparison={comparison} years={{ from: from.year, to: to.year }} />
      <Address url={config.publicUrl + path} label={word('request')} />
    </>
  );
}
