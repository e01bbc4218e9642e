import { useState } from 'preact/hooks';
import type { City } from '../core/catalogue.ts';
import { useWords } from '../core/store.ts';
import { StateLink } from '../ui/link.tsx';
import { LodMark } from '../ui/parts.tsx';

const FIRST = 40;

/** Municipalities by prefecture, each a way to its files. */
export function Cities({ cities }: { cities: readonly City[] }) {
  const { t, number } = useWords();
  const [shown, setShown] = useState(FIRST);
  if (cities.length === 0) return <p class="notice">{t('noPackages')}</p>;
  return (
    <>
      <ul class="list">
        {cities.slice(0, shown).map((city) => (
          <li key={city.code}>
            <StateLink to={{ pick: city.code }} class="row">
              <span class="row-name">
                {city.name}
                <span class="quiet"> {city.pref}</span>
              </span>
              <span class="row-note">
                {city.maxLod !== null && <LodMark lod={city.maxLod} />}
                <span class="quiet">
                  {number(city.types.size)} {t(city.types.size === 1 ? 'type' : 'types')} ·{' '}
                  {Math.max(...city.years)}
                </span>
              </span>
            </StateLink>
          </li>
        ))}
      </ul>
      {cities.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + 200)}>
          {t('more')} ({number(cities.length - shown)})
        </button>
      )}
    </>
  );
}
