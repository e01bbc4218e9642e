import { useState } from 'preact/hooks';
import { loadSummary } from '../core/data.ts';
import { useSignal } from '../core/signal.ts';
import { COLOURINGS, type Colouring } from '../core/state.ts';
import { update, useLaterWords, usePart } from '../core/store.ts';
import { boundsOfAll, hasShown, shownLod } from '../core/summary.ts';
import { useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { classNames, classOf, isInLegend, lodNames } from './classes.ts';
import { mapView, meshesLoading, wanted } from './map-link.ts';
import { MESH_ZOOM, meshOpacity } from './map-style.ts';
import { classColours, over, PALETTES } from './palette.ts';

/** What the colours of the map mean, how many municipalities have each, and the choice of what they stand for. */
export function Legend() {
  const { t, language, number } = useLaterWords();
  const by = usePart((s) => s.by);
  // Where there is little room, the choice comes when it is asked for.
  const [isOpen, setOpen] = useState(false);
  const shown = usePart((s) => s.shown);
  const hasLayers = usePart((s) => s.layers.length > 0);
  const palette = PALETTES[useTheme()];
  const areMeshesLoading = useSignal(meshesLoading);
  const zoom = useSignal(mapView)?.zoom ?? 0;
  const summary = useLoaded('summary', loadSummary).value;
  const newest = summary?.totals.newest_year ?? 0;
  const cities = summary?.cities.filter((city) => hasShown(city, shown, newest)) ?? [];
  const words = {
    lods: lodNames(shown, t),
    older: t('olderThan'),
    ja: language === 'ja',
  };
  // Without data there is nothing that colours could mean.
  if (summary?.cities.length === 0) return null;
  const counts = [0, 0, 0, 0, 0];
  for (const city of cities) {
    const content = { maxLod: shownLod(city, shown), types: city.types.length, year: city.years[0] ?? 0 };
    counts[classOf(content, by, newest)]!++;
  }
  const everything = boundsOfAll(cities);
  const areCircles = zoom < MESH_ZOOM;
  const colours = classColours(palette, by).map((colour) =>
    areCircles ? colour : over(colour, meshOpacity(zoom, hasLayers), palette.land),
  );
  return (
    <aside class={isOpen ? 'legend open' : 'legend'} aria-label={t('legend')}>
      <label>
        <span>{t('colourBy')}</span>
        <select value={by} onChange={(event) => update({ by: event.currentTarget.value as Colouring })}>
          {COLOURINGS.map((colouring) => (
            <option key={colouring} value={colouring}>
              {t(`by_${colouring}`)}
              {colouring === 'lod' &&
                shown !== null &&
                shown !== 'year' &&
                `${t('of')}${t(`shown_${shown}`)}`}
            </option>
          ))}
        </select>
      </label>
      <ol>
        {classNames(by, newest, words).map((name, i) =>
          !isInLegend(i, counts, by, areCircles) ? null : (
            <li key={i}>
              <svg class={areCircles ? 'swatch round' : 'swatch'} viewBox="0 0 14 14" aria-hidden="true">
                <rect width="14" height="14" fill={colours[i]} />
              </svg>
              <span class="row-name">
                {shortName(name)}
                <span class="legend-detail">{name.slice(shortName(name).length)}</span>
              </span>
              {/* They count municipalities, not meshes. */}
              {areCircles && <span class="quiet">{number(counts[i]!)}</span>}
            </li>
          ),
        )}
      </ol>
      <button
        type="button"
        class="button small legend-more"
        aria-label={t('colourBy')}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path d="m2.5 4.5 3.5 3.5 3.5-3.5" />
        </svg>
      </button>
      <div class="legend-foot">
        <span class="quiet" role="status">
          {areMeshesLoading ? t('meshesLoading') : areCircles ? t('circleSize') : ''}
        </span>
        <button
          type="button"
          class="button small"
          disabled={everything === null}
          onClick={() => wanted.set(everything)}
        >
          {t('fitAll')}
        </button>
      </div>
    </aside>
  );
}

/** LOD 2 of LOD 2 Roofs: where there is little room, the rest comes when it is asked for. */
function shortName(name: string): string {
  return /^LOD \d/.exec(name)?.[0] ?? name;
}
