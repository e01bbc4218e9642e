/** How areas come into the basket: by drawing, by words, and by search. */
import { useState } from 'preact/hooks';
import { areaBounds, areaCondition, formatArea, parseArea } from '../core/area.ts';
import { areaFromCondition } from '../core/area-text.ts';
import { loadSummary } from '../core/data.ts';
import { totalOf } from '../core/files.ts';
import { boundsOfPlaces, namedPlaces } from '../core/named-place.ts';
import { useSignal } from '../core/signal.ts';
import { MOST_AREAS } from '../core/state.ts';
import { current, update, useWords } from '../core/store.ts';
import { countCondition } from '../map/condition.ts';
import { dataBounds } from '../map/condition-place.ts';
import { type DrawMode, drawMode, drawn, mapView, wanted } from '../map/map-link.ts';
import { Missing } from '../map/missing.tsx';
import { Search } from '../map/search.tsx';
import { Failure } from '../ui/parts.tsx';

const MODES = [
  ['box', 'drawBox'],
  ['polygon', 'drawPolygon'],
  ['meshes', 'drawMeshes'],
] as const;

export function AreaTools({ isFull }: { isFull: boolean }) {
  const { t, fill, number } = useWords();
  const mode = useSignal(drawMode);
  const view = useSignal(mapView);
  const polygon = useSignal(drawn);
  const [missed, setMissed] = useState<string | null>(null);
  const [failure, setFailure] = useState<{ condition: string; error: unknown } | null>(null);
  const add = (text: string) => {
    const { areas } = current();
    if (areas.includes(text) || isFull) return;
    update({ areas: [...areas, text], pack: null }, { push: true });
    drawMode.set(null);
  };
  // A person who searches wants files: where there are none, what is near is offered instead.
  const choose = async (condition: string) => {
    setMissed(null);
    setFailure(null);
    const text = areaFromCondition(condition);
    const area = text === null ? null : parseArea(text);
    if (area === null) return setMissed(condition);
    try {
      const [counts, summary] = await Promise.all([countCondition(areaCondition(area)), loadSummary()]);
      if (totalOf(counts).files === 0) return setMissed(condition);
      add(text!);
      const box = areaBounds(area) ?? boundsOfPlaces(namedPlaces(counts) ?? []) ?? dataBounds(text!, summary);
      if (box !== null) wanted.set(box);
    } catch (error) {
      setFailure({ condition, error });
    }
  };
  if (isFull) return <p class="notice">{fill('areasFull', { count: number(MOST_AREAS) })}</p>;
  return (
    <>
      <Search label={t('areaSearch')} placeholder={t('areaSearchHint')} onChoose={choose} />
      {failure !== null && <Failure error={failure.error} retry={() => choose(failure.condition)} />}
      {missed !== null && <Missing key={missed} condition={missed} onChoose={choose} />}
      <div class="actions">
        {MODES.map(([key, label]) => (
          <button
            key={key}
            type="button"
            class="button"
            aria-pressed={mode === key}
            disabled={view === null}
            onClick={() => drawMode.set(mode === key ? null : (key as DrawMode))}
          >
            {t(label)}
          </button>
        ))}
        <button
          type="button"
          class="button"
          disabled={view === null}
          onClick={() => view && add(formatArea({ kind: 'box', bounds: view.bounds }))}
        >
          {t('useView')}
        </button>
      </div>
      <p class="quiet help" role="status">
        {mode === 'box' && t('drawBoxHelp')}
        {mode === 'polygon' && t('drawPolygonHelp')}
        {mode === 'meshes' && t('drawMeshesHelp')}
      </p>
      {mode === 'polygon' && polygon !== null && (
        <div class="actions">
          <button
            type="button"
            class="button primary"
            disabled={polygon.corners < 3}
            onClick={() => polygon.finish()}
          >
            {t('drawDone')}
          </button>
          <button type="button" class="button" onClick={() => polygon.undo()}>
            {t('drawUndo')}
          </button>
        </div>
      )}
    </>
  );
}
