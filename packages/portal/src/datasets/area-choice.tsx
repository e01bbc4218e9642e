/** A field that finds a municipality or ward of the list by name in both languages, or by code. */
import { useId, useMemo, useState } from 'preact/hooks';
import { type FacetValue, loadPlaces } from '../core/data.ts';
import { useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { areaLabels, codeTyped } from './area-labels.ts';

interface AreaChoiceProps {
  value: string;
  values: readonly FacetValue[] | undefined;
  /** Called with a code, or '' for all. */
  onChoose: (code: string) => void;
}

export function AreaChoice({ value, values, onChoose }: AreaChoiceProps) {
  const { t, language } = useWords();
  const id = useId();
  // Names of wards in Latin letters are in the table of places alone.
  const places = useLoaded(language === 'en' ? 'places' : null, loadPlaces).value;
  const labels = useMemo(() => areaLabels(values ?? [], places, language), [values, places, language]);
  const options = useMemo(
    () => [...labels].map(([code, label]) => <option key={code} value={label} />),
    [labels],
  );
  const [typed, setTyped] = useState<string | null>(null);
  const choose = (text: string) => {
    setTyped(null);
    const code = codeTyped(labels, text);
    if (code !== null && code !== value) onChoose(code);
  };
  return (
    <label class="field">
      <span>{t('municipality')}</span>
      <input
        type="search"
        list={id}
        autocomplete="off"
        spellcheck={false}
        placeholder={t('all')}
        value={typed ?? labels.get(value) ?? value}
        onInput={({ currentTarget }) => {
          // What the list gives is there at once; letters wait until the field is left.
          if ([...labels.values()].includes(currentTarget.value)) choose(currentTarget.value);
          else setTyped(currentTarget.value);
        }}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <datalist id={id}>{options}</datalist>
    </label>
  );
}
