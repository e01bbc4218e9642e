/** Rows of a facet of kinds: each with how many there are, and chosen by a click. Several may be chosen. */
import { useWords } from '../core/store.ts';
import { InWords } from '../ui/in-words.tsx';
import type { LegendEntry } from './colouring.ts';
import type { FacetCounts } from './facets.ts';
import { isChosen, toggledKind } from './ranges.ts';

interface KindBarsProps {
  legend: readonly LegendEntry[];
  counts: FacetCounts;
  /** The condition on the property now; '' for none. */
  condition: string;
  onChoose: (condition: string) => void;
}

export function KindBars({ legend, counts, condition, onChoose }: KindBarsProps) {
  const { t, number } = useWords();
  const most = Math.max(1, ...counts.all);
  const labelOf = ({ kind, label }: LegendEntry) =>
    kind === 'other' ? t('colourOther') : kind === 'missing' ? t('colourMissing') : <InWords value={label} />;
  return (
    <ul class="kinds" data-filtered={condition === '' ? undefined : ''}>
      {legend.map((entry, at) => (
        <li key={`${entry.kind}${entry.label}`} hidden={counts.all[at] === 0}>
          <button
            type="button"
            disabled={entry.condition === null}
            aria-pressed={isChosen(entry, condition)}
            onClick={() => onChoose(toggledKind(condition, entry))}
          >
            <span class="kind-label">{labelOf(entry)}</span>
            <span class="count">{number(counts.left[at]!)}</span>
            <span class="kind-bar">
              <span class="bar-all" style={{ width: `${(100 * counts.all[at]!) / most}%` }} />
              <span class="bar-left" style={{ width: `${(100 * counts.left[at]!) / most}%` }} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
