import { useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { PALETTES } from '../map/palette.ts';
import { BECAME, type Became, type Compared, countsOf } from './comparison.ts';
import { wordIn } from './words.ts';

interface BecameLegendProps {
  compared: Compared;
  /** What the legend leaves out. */
  hidden: ReadonlySet<Became>;
  onToggle(became: Became): void;
}

/** What the colours of two editions stand for, how many features have them, and a choice among them. */
export function BecameLegend({ compared: { differences, isCut }, hidden, onToggle }: BecameLegendProps) {
  const { number, language } = useWords();
  const word = wordIn(language);
  const colours = PALETTES[useTheme()].became;
  const counts = countsOf(differences);
  return (
    <fieldset class="became">
      <legend class="visually-hidden">{word('legend')}</legend>
      {BECAME.map((one) => (
        <label key={one} class={counts[one] === 0 ? 'row none' : 'row'}>
          <input type="checkbox" checked={!hidden.has(one)} onChange={() => onToggle(one)} />
          <svg class="swatch" viewBox="0 0 14 14" aria-hidden="true">
            <rect width="14" height="14" fill={colours[one]} />
          </svg>
          <span class="row-name">{word(one)}</span>
          <span class="count">
            {isCut && '≥ '}
            {number(counts[one])}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
