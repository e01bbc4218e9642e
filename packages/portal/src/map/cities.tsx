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

interface CityRowProps {
  city: SummaryCity;
  withPref?: boolean;
  /** What a click does; without it, it picks the municipality. */
  onChoose?: (code: string) => void;
}

export function CityRow({ city, withPref = false, onChoose }: CityRowProps) {
  const { language, types, year } = useWords();
  const content = (
    <>
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
          {types(city.types.length)}
          {city.years.length > 0 && ` · ${year(city.years[0]!)}`}
        </span>
      </span>
    </>
  );
  return (
    <li>
      {onChoose === undefined ? (
        <StateLink to={{ pick: city.code, view: 'map' }} class="row">
          {content}
        </StateLink>
      ) : (
        <button type="button" class="row" onClick={() => onChoose(city.code)}>
          {content}
        </button>
      )}
    </li>
  );
}
