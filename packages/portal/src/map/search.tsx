/** Search by name in every script, by code, mesh or spatial ID. The same field chooses areas for the basket. */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { loadPlaces } from '../core/data.ts';
import type { Match, Places } from '../core/gazetteer.ts';
import { type Place, understand } from '../core/place.ts';
import { current, useWords } from '../core/store.ts';
import { areaName, type SummaryCity } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { cityPageAddress } from '../ui/city-page-link.tsx';

const MOST = 8;
/** Names that a text with typing errors may mean. */
const MOST_SIMILAR = 3;

interface Option {
  condition: string;
  label: string;
  note: string;
  /** False for an area without data. */
  has: boolean;
  /** Code of the area whose page it opens, in place of a condition. */
  page?: string;
}

interface SearchProps {
  label: string;
  placeholder?: string;
  /** Whether the page of an area is suggested, too. */
  withPages?: boolean;
  onChoose(condition: string): void;
}

export function Search({ label, placeholder, withPages = false, onChoose }: SearchProps) {
  const words = useWords();
  const { t } = words;
  const [text, setText] = useState('');
  const [active, setActive] = useState(-1);
  const [open, setOpen] = useState(false);
  const [touched, setTouched] = useState(false);
  const places = useLoaded(touched ? 'places' : null, loadPlaces).value;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const options = useMemo(() => {
    const place = open ? understand(text) : null;
    if (place === null) return [];
    const found = optionsFor(place, places, words);
    return withPages ? [...found, ...pagesOf(found, words)] : found;
  }, [open, text, places, words, withPages]);
  useEffect(() => setActive(-1), [text]);
  const choose = async (option: Option | undefined) => {
    if (option?.page !== undefined) {
      location.assign(cityPageAddress(option.page, current()));
      return;
    }
    let condition = option?.condition;
    // What stands in the field, which may be newer than what was drawn of it.
    const typed = understand(input.current!.value);
    if (condition === undefined && typed !== null) {
      // Enter before the table has come: it is waited for, because a name means more than its letters.
      const known = places ?? (await loadPlaces().catch(() => null));
      condition = optionsFor(typed, known, words)[0]?.condition ?? typed.condition;
    }
    if (condition === undefined) return;
    setOpen(false);
    setActive(-1);
    onChoose(condition);
  };
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void choose(active >= 0 ? options[active] : undefined);
        }}
      >
        <input
          ref={input}
          type="search"
          // biome-ignore lint/a11y/noRedundantRoles: a search field alone has the role searchbox
          role="combobox"
          aria-label={label}
          aria-describedby={`${id}help`}
          aria-expanded={options.length > 0}
          aria-controls={`${id}list`}
          aria-autocomplete="list"
          list={undefined}
          aria-activedescendant={active >= 0 ? `${id}${active}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder ?? t('searchPlace')}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setTouched(true);
            setOpen(true);
          }}
          onFocus={() => {
            setTouched(true);
            setOpen(true);
          }}
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
            class={option.has ? undefined : 'without'}
            onPointerDown={(event) => {
              event.preventDefault();
              setText(option.label);
              void choose(option);
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

/** Things to try, made of what there is. */
export function Examples({
  cities,
  onChoose,
}: {
  cities: readonly SummaryCity[];
  onChoose(condition: string): void;
}) {
  const { t } = useWords();
  const largest = [...cities].sort((a, b) => b.bytes - a.bytes);
  const [first, second = first, third = second] = largest;
  if (first === undefined) return null;
  const english = (city: SummaryCity) => areaName(city, 'en');
  const examples: Array<[text: string, condition: string]> = [
    [first.name, first.code],
    [english(second!), second!.code],
    ...(third!.kana === null ? [] : [[third!.kana, third!.code] as [string, string]]),
    [first.code, first.code],
  ];
  const unique = [...new Map(examples.map((example) => [example[0], example])).values()];
  return (
    <p class="examples">
      <span class="quiet">{t('examples')}</span>
      {unique.map(([text, condition]) => (
        <button key={text} type="button" class="link" onClick={() => onChoose(condition)}>
          {text}
        </button>
      ))}
    </p>
  );
}

type Words = ReturnType<typeof useWords>;

/** The page of the first municipality that has data. */
function pagesOf(options: readonly Option[], { t }: Words): Option[] {
  const first = options.find(({ condition, has }) => has && /^\d{5}$/.test(condition));
  if (first === undefined) return [];
  const { condition: page, label } = first;
  return [{ page, label, condition: `page ${page}`, note: t('cityPage'), has: true }];
}

/** Areas whose name begins with the text; then what the text itself means, and without any such area similar names. */
function optionsFor(place: Place, places: Places | null, words: Words): Option[] {
  const found = place.kind === 'name' || place.kind === 'code' ? (places?.find(place.text, MOST) ?? []) : [];
  const options = found.map((match) => optionOf(match, words));
  if (options.some(({ condition }) => condition === place.condition)) return options;
  // A person who types the whole name of an area means it, and not a town of that name.
  const own: Option = {
    condition: place.condition,
    label: place.text,
    note: words.t(`kind_${place.kind}`),
    has: true,
  };
  if (place.kind !== 'name') return place.kind === 'code' ? [...options, own] : [own, ...options];
  if (options.length > 0) return [...options, own];
  // A person may mean a town or station of that name, so what is only similar comes behind.
  const similar = places?.similar(place.text, MOST_SIMILAR) ?? [];
  return [own, ...similar.map((match) => optionOf(match, words, words.t('similarName')))];
}

function optionOf(
  { code, name, romaji, city }: Match,
  { t, language, prefecture, types, year }: Words,
  before = '',
): Option {
  const label = areaName({ name, romaji: romaji === '' ? null : romaji }, language);
  const pref = code.length === 2 ? '' : prefecture(code);
  const what =
    city === null
      ? code.length === 2
        ? t('kind_prefecture')
        : t('noDataYet')
      : [
          // A ward has what its city has.
          city.code === code ? '' : areaName(city, language),
          city.max_lod ? `LOD ${city.max_lod}` : '',
          types(city.types.length),
          city.years.length > 0 ? year(city.years[0]!) : '',
        ]
          .filter((part) => part !== '')
          .join(' · ');
  return {
    condition: code.length === 2 ? `g:${name}` : code,
    label: pref === '' ? label : `${label}  ${pref}`,
    note: before === '' ? what : `${before} · ${what}`,
    has: city !== null || code.length === 2,
  };
}
