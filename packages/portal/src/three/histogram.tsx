/** Bars of a facet of numbers: one is clicked, several are dragged over, and keys do both. */
import { useRef, useState } from 'preact/hooks';
import { useWords } from '../core/store.ts';
import type { LegendEntry } from './colouring.ts';
import type { FacetCounts } from './facets.ts';
import { isChosen, rangeOf } from './ranges.ts';
import { useThree } from './words.ts';

interface HistogramProps {
  legend: readonly LegendEntry[];
  counts: FacetCounts;
  /** The condition on the property now; '' for none. */
  condition: string;
  /** True where bars stand for all above them, so that one is chosen, and no range. */
  isFrom: boolean;
  onChoose: (condition: string) => void;
}

export function Histogram({ legend, counts, condition, isFrom, onChoose }: HistogramProps) {
  const { t, number } = useWords();
  const three = useThree();
  const [drag, setDrag] = useState<[from: number, to: number] | null>(null);
  const dragged = useRef(false);
  const most = Math.max(1, ...counts.all);
  const labelOf = ({ kind, label }: LegendEntry) => (kind === 'missing' ? t('colourMissing') : label);
  const isOn = (at: number): boolean => {
    if (drag !== null) return at >= Math.min(...drag) && at <= Math.max(...drag);
    return isFrom && legend[at]!.kind === 'class'
      ? condition !== '' && isFromOn(legend, condition, at)
      : isChosen(legend[at]!, condition);
  };
  const choose = (from: number, to: number) => {
    const next = isFrom ? legend[to]!.condition! : rangeOf(legend[from]!, legend[to]!);
    onChoose(next === condition ? '' : next);
  };
  return (
    <ul class="histogram" data-filtered={condition !== '' || drag !== null ? '' : undefined}>
      {legend.map((entry, at) => (
        <li key={`${entry.kind}${entry.label}`} class={entry.kind}>
          <button
            type="button"
            aria-pressed={isOn(at)}
            aria-label={three('barCount', {
              label: labelOf(entry),
              left: number(counts.left[at]!),
              all: number(counts.all[at]!),
            })}
            title={`${labelOf(entry)}: ${number(counts.left[at]!)}`}
            onPointerDown={(event) => {
              dragged.current = false;
              // Fingers scroll the bars; a mouse drags over them.
              if (event.pointerType === 'mouse' && event.button === 0) setDrag([at, at]);
            }}
            onPointerEnter={(event) => {
              if (drag === null || event.buttons !== 1) return;
              dragged.current = true;
              setDrag([drag[0], at]);
            }}
            onPointerUp={() => {
              if (drag !== null && dragged.current) choose(drag[0], at);
              setDrag(null);
            }}
            onClick={(event) => {
              // The end of a drag over several is no click on the last.
              if (dragged.current) return;
              const chosen = legend.findIndex((one) => isChosen(one, condition));
              choose(event.shiftKey && chosen >= 0 ? chosen : at, at);
            }}
          >
            <span class="bar-all" style={{ height: `${(100 * counts.all[at]!) / most}%` }} />
            <span class="bar-left" style={{ height: `${(100 * counts.left[at]!) / most}%` }} />
          </button>
          <span class="tick" aria-hidden="true">
            {tickOf(entry)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** True for a class at or above the one that is chosen. */
function isFromOn(legend: readonly LegendEntry[], condition: string, at: number): boolean {
  const chosen = legend.findIndex((entry) => entry.condition === condition);
  return chosen >= 0 && legend[chosen]!.kind === 'class' && at >= chosen;
}

/** The lower bound of a class; a dash for no value. */
function tickOf({ kind, label, condition }: LegendEntry): string {
  if (kind === 'missing') return '–';
  return />=?([\d.]+)/.exec(condition ?? '')?.[1] ?? label.replace(/[^\d.]/g, '').replace(/^/, '<');
}
