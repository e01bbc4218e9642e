import { loadSummary } from '../core/data.ts';
import { SHOWN } from '../core/state.ts';
import { update, useLaterWords, usePart } from '../core/store.ts';
import { hasShown } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';

/** Narrows the map of the country to what has 3D buildings, textures, floods, roads or the newest year. */
export function Chips() {
  const { t, year, number } = useLaterWords();
  const shown = usePart((s) => s.shown);
  const summary = useLoaded('summary', loadSummary).value;
  if (summary === null || summary.cities.length === 0) return null;
  const newest = summary.totals.newest_year ?? 0;
  const chips = SHOWN.map((kind) => ({
    each: kind,
    count: summary.cities.filter((city) => hasShown(city, kind, newest)).length,
  })).filter(({ count }) => count > 0);
  return (
    <fieldset class="chips">
      <legend class="visually-hidden">{t('narrow')}</legend>
      <button
        type="button"
        class="chip"
        aria-pressed={shown === null}
        onClick={() => update({ shown: null })}
      >
        {t('all')}
      </button>
      {chips.map(({ each: kind, count }) => (
        <button
          key={kind}
          type="button"
          class="chip"
          aria-pressed={shown === kind}
          title={`${number(count)} ${t('municipalitiesCount')}`}
          onClick={() => update({ shown: shown === kind ? null : kind })}
        >
          {kind === 'year' ? year(newest) : t(`shown_${kind}`)} <span class="count">{number(count)}</span>
        </button>
      ))}
    </fieldset>
  );
}
