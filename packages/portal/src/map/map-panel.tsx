/** The panel beside the map: search, what was picked, the country by prefecture, layers. */
import { useRef } from 'preact/hooks';
import { useSignal } from '../core/signal.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useSummary } from '../core/use-summary.ts';
import { lazy } from '../ui/lazy.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { Front, Headline } from './front.tsx';
import { mapHits } from './map-link.ts';
import { Examples, Search } from './search.tsx';

const Picked = lazy(() => import('./picked.tsx').then((module) => module.Picked));
const Layers = lazy(() => import('./layers.tsx').then((module) => module.Layers));
const Hits = lazy(() => import('./hits.tsx').then((module) => module.Hits));

export function MapPanel() {
  const { t } = useWords();
  const summary = useSummary();
  const pick = usePart((s) => s.pick);
  const hits = useSignal(mapHits);
  const closed = useRef(false);
  const choose = (condition: string) => update({ pick: condition, view: 'map' }, { push: true });
  return (
    <>
      {pick === null && hits.length === 0 && summary.error === null && <Headline summary={summary.value} />}
      <Search label={t('search')} withPages onChoose={choose} />
      {pick === null && summary.value !== null && (
        <Examples cities={summary.value.cities} onChoose={choose} />
      )}
      {summary.error !== null && <Failure error={summary.error} retry={summary.retry} />}
      {summary.loading && summary.value === null && <Loading />}
      {hits.length > 0 && <Hits hits={hits} />}
      {summary.value !== null &&
        (pick !== null ? (
          <Picked
            key={pick}
            condition={pick}
            summary={summary.value}
            onClose={() => {
              closed.current = true;
              update({ pick: null }, { push: true });
            }}
          />
        ) : (
          <Front summary={summary.value} takesFocus={closed.current} />
        ))}
      {summary.value !== null && summary.value.totals.datasets > 0 && <Layers />}
    </>
  );
}
