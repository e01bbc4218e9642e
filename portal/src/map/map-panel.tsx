/** The panel beside the map: search, what was picked, layers, municipalities. */

import { loadCatalogue } from '../core/data.ts';
import { useSignal } from '../core/signal.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { lazy } from '../ui/lazy.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { Cities } from './cities.tsx';
import { Hits } from './hits.tsx';
import { Layers } from './layers.tsx';
import { mapHits } from './map-link.ts';
import { Search } from './search.tsx';

const Picked = lazy(() => import('./picked.tsx').then((module) => module.Picked));

export function MapPanel() {
  const { t } = useWords();
  const catalogue = useLoaded('catalogue', loadCatalogue);
  const pick = usePart((s) => s.pick);
  const hits = useSignal(mapHits);
  if (catalogue.error !== null) return <Failure error={catalogue.error} retry={catalogue.retry} />;
  if (catalogue.value === null) return <Loading />;
  const { cities, datasets } = catalogue.value;
  return (
    <>
      <Search cities={cities} />
      {hits.length > 0 && <Hits hits={hits} datasets={datasets} />}
      {pick !== null ? (
        <Picked
          condition={pick}
          catalogue={catalogue.value}
          onClose={() => update({ pick: null }, { push: true })}
        />
      ) : (
        <section>
          <h2>{t('overview')}</h2>
          <p class="quiet">{t('overviewText')}</p>
          <Cities cities={cities} />
        </section>
      )}
      <Layers datasets={datasets} />
    </>
  );
}
