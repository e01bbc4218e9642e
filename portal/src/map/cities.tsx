import { useWords } from '../core/store.ts';
import { areaName, type SummaryCity } from '../core/summary.ts';
import { StateLink } from '../ui/link.tsx';
import { LodMark } from '../ui/parts.tsx';

/** Municipalities, each a way to its files. */
export function Cities({ cities }: { cities: readonly SummaryCity[] }) {
  return (
    <ul class="list">
      {cities.map((city) => (
        <CityRow key={city.code} city={city} />
      ))}
    </ul>
  );
}

export function CityRow({ city, withPref = false }: { city: SummaryCity; withPref?: boolean }) {
  const { t, number, language } = useWords();
  return (
    <li>
      <StateLink to={{ pick: city.code, view: 'map' }} class="row">
        <span class="row-name">
          {areaName(city, language)}
          {language === 'en' && (
            <span class="quiet" lang="ja">
              {' '}
              {city.name}
            </span>
          )}
          {withPref && language === 'ja' && <span class="quiet"> {city.pref}</span>}
        </span>
        <span class="row-note">
          {city.max_lod !== null && city.max_lod > 0 && <LodMark lod={city.max_lod} />}
          <span class="quiet">
            {number(city.types.length)} {t(city.types.length === 1 ? 'typeUnit' : 'typesUnit')} ·{' '}
            {city.years[0]}
          </span>
        </span>
      </StateLink>
    </li>
  );
}
