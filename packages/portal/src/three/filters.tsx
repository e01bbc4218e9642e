/**
 * The filters of the model that is open, always in sight: how many features are drawn, and which conditions hide the
 * others. There is a facet for each property that people ask for, and what is drawn as data.
 */
import type { Bounds } from '@citymodel/geo';
import { useMemo, useState } from 'preact/hooks';
import { current, update, usePart, useWords } from '../core/store.ts';
import { AsData } from './as-data.tsx';
import { crossed, type Facet, type FacetCounts, facetsOf } from './facets.ts';
import { FilterChips } from './filter-chips.tsx';
import { Histogram } from './histogram.tsx';
import { KindBars } from './kind-bars.tsx';
import type { TileScene } from './tile-scene.ts';
import { conditionOn, toggleCondition, withCondition } from './where.ts';
import { useThree } from './words.ts';

interface FiltersProps {
  scene: TileScene;
  /** Properties of loaded features; another set whenever tiles have come. */
  names: ReadonlySet<string>;
  /** Feature-type code. */
  type: string;
  /** Code of a municipality or ward; null for all. */
  city: string | null;
  /** Null: the newest. */
  year: number | null;
  bounds: Bounds;
}

export function Filters({ scene, names, type, city, year, bounds }: FiltersProps) {
  const { number } = useWords();
  const three = useThree();
  const where = usePart((s) => s.where);
  const [isOpen, setOpen] = useState(true);
  const facets = useMemo(() => facetsOf((read) => scene.values(read), names), [scene, names]);
  const { all, shown, counts } = useMemo(
    () => crossed(facets, (read) => scene.values(read), names, where),
    [scene, facets, where],
  );
  return (
    <section class="filter-dock" aria-label={three('filters')} data-folded={isOpen ? undefined : ''}>
      <div class="filter-now">
        <div class="filter-head">
          <p class="filter-count" role="status">
            <strong>{number(shown)}</strong> <span>{three('ofAll', { all: number(all) })}</span>
          </p>
          <button
            type="button"
            class="fold"
            aria-expanded={isOpen}
            aria-label={three('filtersFold')}
            title={three(isOpen ? 'filtersFold' : 'filtersUnfold')}
            onClick={() => setOpen(!isOpen)}
          >
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M3 6l5 5 5-5" />
            </svg>
          </button>
        </div>
        <FilterChips where={where} facets={facets} />
        {where !== '' && (
          <button type="button" class="button small" onClick={() => update({ where: '' })}>
            {three('showAll')}
          </button>
        )}
        {isOpen && facets.length > 0 && <p class="quiet small-text">{three('filtersHelp')}</p>}
      </div>
      {isOpen && (
        <div class="facet-row">
          {facets.map((facet, i) => (
            <FacetView key={facet.key} facet={facet} counts={counts[i]!} where={where} />
          ))}
        </div>
      )}
      {isOpen && <AsData scene={scene} query={{ bounds, type, city, year, where }} count={shown} />}
    </section>
  );
}

function FacetView({ facet, counts, where }: { facet: Facet; counts: FacetCounts; where: string }) {
  const three = useThree();
  const { name, legend, key, title, form } = facet;
  const condition = conditionOn(where, name);
  const choose = (next: string) => update({ where: withCondition(current().where, name, next) });
  const parts = { legend, counts, condition, onChoose: choose };
  return (
    <div class={form === 'kinds' ? 'facet kinds-facet' : 'facet'}>
      <div class="facet-head">
        <h3>{three(title)}</h3>
        {key === 'year' && (
          <button
            type="button"
            class="button small"
            aria-pressed={condition === `${name}<1981`}
            onClick={() => update({ where: toggleCondition(current().where, name, `${name}<1981`) })}
          >
            {three('before1981')}
          </button>
        )}
      </div>
      {form === 'kinds' ? <KindBars {...parts} /> : <Histogram {...parts} isFrom={form === 'from'} />}
    </div>
  );
}
