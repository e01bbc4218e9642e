import { unite } from '../core/area.ts';
import { loadCatalogue } from '../core/data.ts';
import { useSignal } from '../core/signal.ts';
import { COLOURINGS, type Colouring } from '../core/state.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { classNames } from './classes.ts';
import { meshState, wanted } from './map-link.ts';
import { PALETTES } from './palette.ts';

/** What the colours of the map mean, and the choice of what they stand for. */
export function Legend() {
  const { t, language } = useWords();
  const by = usePart((s) => s.by);
  const { ramp } = PALETTES[useTheme()];
  const meshes = useSignal(meshState);
  const catalogue = useLoaded('catalogue', loadCatalogue);
  const cities = catalogue.value?.cities ?? [];
  const newest = Math.max(...cities.flatMap((city) => [...city.years]), 0);
  const words = { noDetail: t('noDetail'), older: t('olderThan'), ja: language === 'ja' };
  const everything = cities.map((city) => city.bounds).filter((bounds) => bounds !== null);
  return (
    <aside class="legend" aria-label={t('legend')}>
      <label>
        <span>{t('colourBy')}</span>
        <select value={by} onChange={(event) => update({ by: event.currentTarget.value as Colouring })}>
          {COLOURINGS.map((colouring) => (
            <option key={colouring} value={colouring}>
              {t(`by_${colouring}`)}
            </option>
          ))}
        </select>
      </label>
      <ol>
        {classNames(by, newest, words).map((name, i) => (
          <li key={name}>
            <span class="swatch" style={{ background: ramp[i] }} />
            {name}
          </li>
        ))}
      </ol>
      <div class="legend-foot">
        <button
          type="button"
          class="button small"
          disabled={everything.length === 0}
          onClick={() => wanted.set(everything.reduce(unite))}
        >
          {t('fitAll')}
        </button>
        <span class="quiet" role="status">
          {meshes === 'loading' ? t('meshesLoading') : ''}
        </span>
      </div>
    </aside>
  );
}
