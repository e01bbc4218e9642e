import { wordIn } from '../changes/words.ts';
import { update, usePart, useWords } from '../core/store.ts';
import type { Editions } from './editions.ts';
import '../changes/changes.css';

/** The border between two editions over the view, and a slider that moves it; nothing without a border. */
export function SwipeBorder({ editions: { from, to } }: { editions: Editions }) {
  const { language, year } = useWords();
  const border = usePart((s) => s.border);
  if (border === null) return null;
  const [before, after] = [year(String(from)), year(String(to))];
  return (
    <>
      <div class="swipe-bar" style={{ left: `${border}%` }} />
      <input
        type="range"
        class="swipe-slider"
        aria-label={wordIn(language)('swipeHandle')}
        aria-valuetext={`${before} ${Math.round(border)} %`}
        min={0}
        max={100}
        step={0.5}
        value={border}
        onInput={({ currentTarget }) => update({ border: currentTarget.valueAsNumber })}
      />
      <span class="swipe-year from at-border" style={{ right: `${100 - border}%` }}>
        {before}
      </span>
      <span class="swipe-year to at-border" style={{ left: `${border}%` }}>
        {after}
      </span>
    </>
  );
}
