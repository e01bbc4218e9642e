/** A field that finds a municipality among those with 3D models (the combobox of the ARIA practices). */

import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { loadDatasets } from '../core/data.ts';
import { MODELS } from '../core/output-kinds.ts';
import { useWords } from '../core/store.ts';
import { areaName, type SummaryCity } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Chevron } from './chevron.tsx';
import { findCities } from './choice.ts';
import { useThree } from './words.ts';

/** Names that are listed at once. */
const MOST = 12;

interface CityFieldProps {
  cities: readonly SummaryCity[];
  /** Name that stands in the field while nobody types. */
  chosen: string;
  onChoose: (city: SummaryCity) => void;
}

export function CityField({ cities, chosen, onChoose }: CityFieldProps) {
  const { language, prefecture, year } = useWords();
  const three = useThree();
  const id = useId();
  /** Null while nobody types. */
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const named = typed === null ? [] : findCities(cities, typed).slice(0, MOST);
  // Wards are known to the service alone.
  const unknown = typed !== null && typed.trim() !== '' && named.length === 0 ? typed.trim() : null;
  const asked = useLoaded(unknown, (signal) => citiesOf(unknown!, signal), { keep: false });
  const found = unknown === null ? named : cities.filter(({ code }) => asked.value?.has(code)).slice(0, MOST);
  // A name that comes while the field has the focus is replaced by what is typed, as the one before it was.
  useLayoutEffect(() => {
    if (typed === null && document.activeElement === input.current) input.current?.select();
  }, [chosen]);
  const choose = (city: SummaryCity | undefined) => {
    setTyped(null);
    if (city !== undefined) onChoose(city);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (typed === null) setTyped('');
      else setAt((at + step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter' && typed !== null) {
      event.preventDefault();
      choose(found[at]);
    } else if (event.key === 'Escape') {
      setTyped(null);
    }
  };
  return (
    <div class="city-field">
      <label class="visually-hidden" for={id}>
        {three('chooseCity')}
      </label>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        aria-expanded={typed !== null}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={three('chooseCityHint')}
        value={typed ?? chosen}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => setTyped(typed ?? '')}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setTyped(null)}
      />
      <Chevron />
      <div id={`${id}-list`} role="listbox" aria-label={three('chooseCity')} hidden={found.length === 0}>
        {found.map((city, i) => (
          <div
            key={city.code}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            // Before the field loses the focus, which closes the list.
            onPointerDown={(event) => {
              event.preventDefault();
              choose(city);
            }}
          >
            <span>{areaName(city, language)}</span>
            <span class="quiet">
              {prefecture(city.code)} · {year(city.years[0]!)}
            </span>
          </div>
        ))}
      </div>
      {typed !== null && found.length === 0 && !asked.loading && (
        <p class="quiet" role="status">
          {three('cityNone')}
        </p>
      )}
    </div>
  );
}

/** Codes of the municipalities whose 3D models have every word in their names or those of their wards. */
async function citiesOf(text: string, signal: AbortSignal): Promise<Set<string>> {
  const { facets } = await loadDatasets({ text, format: MODELS }, { limit: 0 }, signal);
  return new Set(facets.city_code!.map(([code]) => code));
}
