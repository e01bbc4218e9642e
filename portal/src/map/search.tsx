/** Search by name, code, mesh or spatial ID: municipalities as one types, everything else when asked. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { City } from '../core/catalogue.ts';
import { type Place, understand } from '../core/place.ts';
import { update, usePart, useWords } from '../core/store.ts';

const MOST = 8;

interface Option {
  condition: string;
  label: string;
  note: string;
}

export function Search({ cities }: { cities: readonly City[] }) {
  const { t } = useWords();
  const pick = usePart((s) => s.pick);
  const [text, setText] = useState('');
  const [active, setActive] = useState(-1);
  const [open, setOpen] = useState(false);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (pick?.startsWith('g:')) setText(pick.slice(2));
  }, [pick]);

  const place = understand(text);
  const options = open && place !== null ? optionsFor(place, cities, (kind) => t(`kind_${kind}`)) : [];
  const choose = (option: Option | undefined) => {
    if (option === undefined) return;
    update({ pick: option.condition, view: 'map' }, { push: true });
    setOpen(false);
    setActive(-1);
  };
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          choose(options[Math.max(active, 0)] ?? (place ? optionFor(place, '') : undefined));
        }}
      >
        <input
          ref={input}
          type="search"
          // biome-ignore lint/a11y/noRedundantRoles: a search field alone has the role searchbox
          role="combobox"
          aria-label={t('search')}
          aria-describedby={`${id}help`}
          aria-expanded={options.length > 0}
          aria-controls={`${id}list`}
          aria-autocomplete="list"
          list={undefined}
          aria-activedescendant={active >= 0 ? `${id}${active}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={t('searchPlace')}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setOpen(true);
            setActive(-1);
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
            if (step !== 0 && options.length > 0) {
              event.preventDefault();
              setActive((active + step + options.length) % options.length);
            } else if (event.key === 'Escape') setOpen(false);
          }}
        />
        <button type="submit" class="button" aria-label={t('search')}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <circle cx="7" cy="7" r="4.5" />
            <path d="M10.5 10.5 14 14" />
          </svg>
        </button>
      </form>
      <p id={`${id}help`} class="visually-hidden">
        {t('searchHelp')}
      </p>
      <div id={`${id}list`} role="listbox" aria-label={t('searchPlaces')} hidden={options.length === 0}>
        {options.map((option, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the keys are the field's, as the combobox pattern has it
          <div
            key={option.condition}
            id={`${id}${i}`}
            role="option"
            aria-selected={i === active}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(option);
            }}
          >
            <span>{option.label}</span>
            <span class="quiet">{option.note}</span>
          </div>
        ))}
      </div>
    </search>
  );
}

/** Municipalities whose name or code begins with, else holds, the text; then what the text itself means. */
function optionsFor(
  place: Place,
  cities: readonly City[],
  kindName: (kind: Place['kind']) => string,
): Option[] {
  const text = place.text.toLowerCase();
  const rank = (city: City): number => {
    if (city.code.startsWith(text) || city.name.startsWith(text)) return 0;
    return city.name.includes(text) || `${city.pref}${city.name}`.includes(text) ? 1 : 2;
  };
  const known = cities
    .map((city) => ({ city, rank: rank(city) }))
    .filter((match) => match.rank < 2)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ city }) => ({ condition: city.code, label: city.name, note: `${city.pref} ${city.code}` }));
  const own = optionFor(place, kindName(place.kind));
  return known.some(({ condition }) => condition === own.condition) ? known : [...known, own];
}

function optionFor(place: Place, note: string): Option {
  return { condition: place.condition, label: place.text, note };
}
