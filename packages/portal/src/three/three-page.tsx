/** The 3D view: a model with what stands beside it, its colours, and the feature that was clicked. */

import { formatTilesSpec } from 'citymodel-server/shared';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ApiFailure } from '../core/api.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { loadCityDatasets, loadSummary } from '../core/data.ts';
import { addressOf, current, update, usePart, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { reloadPage } from '../ui/lazy.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import '../styles/three.css';
import '../styles/workbench.css';
import '../styles/filters.css';
import { BenchBar } from './bench-bar.tsx';
import { BuildingCard } from './building-card.tsx';
import { bestOf, choiceOf, citiesWithModels, firstCity, keyOf, kindsOf } from './choice.ts';
import { Colours, Legend } from './colours.tsx';
import { creditLine } from './credit.ts';
import { EditionsLegend, EditionsPanel } from './editions-panel.tsx';
import { useEmbedding } from './embedding.ts';
import { featureFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { hintOf } from './hint.ts';
import { opacityOf } from './layer-opacity.ts';
import { Layers } from './layers.tsx';
import { useParts } from './left-out-parts.ts';
import { datasetsOfModel } from './load-model.ts';
import { modelName } from './models.ts';
import { SwipeBorder } from './swipe-border.tsx';
import { TileNotice } from './tile-notice.tsx';
import { useColouring } from './use-colouring.ts';
import { useArrival, useEditions } from './use-editions.ts';
import { useModels } from './use-models.ts';
import { gmlId, tileOwners, useScene } from './use-scene.ts';
import { ViewOptions } from './view-options.tsx';
import { ViewTools } from './view-tools.tsx';
import { WaterLegend } from './water-legend.tsx';
import { useThree } from './words.ts';

/** Datasets before any are known. */
const NONE: readonly DatasetRow[] = [];

export function ThreePage() {
  const words = useWords();
  const { t } = words;
  const three = useThree();
  const summary = useLoaded('summary', loadSummary);
  const cities = useMemo(() => citiesWithModels(summary.value?.cities ?? []), [summary.value]);
  const model = usePart((s) => s.model);
  const loaded = useLoaded(model, () => datasetsOfModel(model!));
  const datasets = loaded.value ?? NONE;
  const where = usePart((s) => s.where);
  const sun = usePart((s) => s.sun);
  const cut = usePart((s) => s.cut);
  const opacity = usePart((s) => s.opacity);
  const embed = usePart((s) => s.embed);
  const wanted = usePart((s) => s.feature);
  const isNarrow = useNarrow();
  const container = useRef<HTMLDivElement>(null);
  const state = useScene(container);
  const { scene, picked, setPicked, names, isWaiting, failure, setFailure } = state;
  const rowOfTile = useMemo(() => tileOwners(datasets), [datasets]);
  const id = picked === null ? null : gmlId(picked);
  const spec = useMemo(() => (model === null ? null : choiceOf(model, datasets)), [model, datasets]);
  const kind = useMemo(
    () => (spec === null ? undefined : kindsOf(datasets).find(({ key }) => key === keyOf(spec))),
    [spec, datasets],
  );
  const edited = useEditions(scene, spec, kind);
  const { shown, besideFailure, retry } = useModels(state, edited.editions?.older ?? null);
  useArrival(scene, shown !== null, edited);
  useEmbedding(state, shown?.model ?? null);

  // Something is shown at once
  useEffect(() => {
    const city = model === null ? firstCity(cities, current()) : null;
    if (city === null) return;
    let live = true;
    loadCityDatasets(city.code).then((rows) => {
      const [kind] = kindsOf(rows);
      // What was chosen meanwhile stays; this effect ends a frame after the choice.
      const isWanted = live && current().model === null;
      if (isWanted && kind !== undefined) update({ model: formatTilesSpec(bestOf(city.code, kind)) });
    }, setFailure);
    return () => {
      live = false;
    };
  }, [model, cities]);
  const canvasName = t('modelCanvas');
  useEffect(() => scene?.setName(canvasName), [scene, canvasName]);
  useEffect(() => scene?.setSun(sun), [scene, sun]);
  useEffect(() => scene?.setCut(cut), [scene, cut]);
  useEffect(() => scene?.setFilter(featureFilter(where, names)), [scene, where, names]);
  useEffect(() => scene?.setOpacity((layer) => opacityOf(opacity, layer)), [scene, opacity]);
  const colours = useColouring(scene, names, rowOfTile);
  useEffect(() => scene?.select(id ?? wanted), [scene, id, wanted]);
  // The feature of the address is looked for among what has come; going back takes the choice away.
  useEffect(() => {
    if (scene === null || id === wanted) return;
    const found = wanted === null || names.size === 0 ? null : scene.find(wanted);
    if (found !== null || picked !== null) setPicked(found);
  }, [scene, wanted, names]);

  const isReady = scene !== null && model !== null && failure === null;
  const { isNothing, tiles } = state;
  // Nobody knows what a model has before it is open.
  const isComing = isWaiting || shown?.model !== model;
  useParts(names, isComing);
  const isEmpty = isReady && !isComing && scene.isEmpty;
  const type = spec?.type;
  const hint = hintOf({ ...tiles, type, isWaiting: isComing, isEmpty, isNothing, isWanted: wanted !== null });
  const name =
    model === null ? '' : modelName(model, datasets, words, { best: three('best'), newest: three('newest') });
  const card = picked !== null && (
    <BuildingCard
      id={id}
      feature={picked}
      row={rowOfTile(picked.tile)}
      onClose={() => {
        setPicked(null);
        update({ feature: null });
        scene?.canvas.focus();
      }}
    />
  );
  const filters = isReady && shown !== null && names.size > 0 && (
    <Filters
      scene={scene}
      names={names}
      type={spec?.type ?? 'bldg'}
      city={/^\d{5}$/.test(spec?.area ?? '') ? spec!.area : null}
      year={typeof spec?.year === 'number' ? spec.year : null}
      bounds={shown.bounds}
    />
  );
  return (
    <>
      {!embed && cities.length > 0 && (
        // The name of a model is that of its datasets.
        <BenchBar
          model={loaded.value === null && loaded.error === null ? null : model}
          cities={cities}
          datasets={datasets}
          scene={isReady ? scene : null}
          edited={edited}
        />
      )}
      {!embed && (
        // On a phone the model is seen first, and the card of what was touched.
        <Sheet wants={picked === null ? 'strip' : 'half'}>
          {[summary, loaded].map(
            ({ error, retry }, i) => error !== null && <Failure key={i} error={error} retry={retry} />,
          )}
          {isNarrow && card}
          {summary.value !== null && cities.length === 0 && (
            <section class="empty">
              <h2>{t('modelNone')}</h2>
              <p>{t('emptyText')}</p>
            </section>
          )}
          {isNarrow && filters}
          {isReady && (
            <Layers model={model} datasets={datasets} bounds={shown?.model === model ? shown.bounds : null}>
              {edited.editions === null ? (
                <Colours names={names} titles={scene.propertyTitles()} shown={colours} />
              ) : (
                <EditionsPanel scene={scene} shown={edited} />
              )}
            </Layers>
          )}
          {isReady && <ViewOptions scene={scene} ability={state.ability} />}
          {picked === null && isReady && (
            <p class="hint quiet" role="status">
              {hint !== null && ('page' in hint ? t(hint.page) : three(hint.three))}
            </p>
          )}
        </Sheet>
      )}
      <section class="stage" aria-label={canvasName}>
        <div class="canvas">
          <div class="canvas-fill" ref={container} />
        </div>
        <p id="three-keys" class="visually-hidden">
          {three('keys')}
        </p>
        {embed && summary.value !== null && cities.length === 0 && (
          <p class="notice over">{t('modelNone')}</p>
        )}
        {isComing && failure === null && (model !== null || cities.length > 0) && (
          <Loading text={t('modelLoading')} />
        )}
        {failure !== null && (
          <div class="over">
            {failure instanceof ApiFailure ? (
              <Failure
                error={failure}
                retry={() => (scene === null ? reloadPage(() => undefined) : retry())}
              />
            ) : (
              <div class="notice bad" role="alert">
                <p>
                  {state.isBroken ? three('drawingEnded') : t(scene === null ? 'failWebgl' : 'modelFailed')}
                </p>
                <p lang="en">{String((failure as Error).message ?? failure)}</p>
                {scene !== null && (
                  <button
                    type="button"
                    class="button"
                    onClick={() => (state.isBroken ? location.reload() : retry())}
                  >
                    {t('retry')}
                  </button>
                )}
              </div>
            )}
          </div>
        )}
        {failure === null && besideFailure !== null && (
          <div class="over">
            <Failure error={besideFailure} retry={retry} />
          </div>
        )}
        {isEmpty && <p class="notice over">{three('emptyModel')}</p>}
        {isReady && (
          <>
            {/* What is shown stays, and so does the notice, while the service does not answer. */}
            <TileNotice state={state.tiles} retry={() => scene.retry().catch(() => undefined)} />
            {edited.editions !== null && <SwipeBorder editions={edited.editions} />}
            <ViewTools scene={scene} measure={state.measure} />
          </>
        )}
        {embed && isReady && (
          <div class="frame-legend">
            {edited.editions === null && colours !== null && <Legend {...colours} />}
            <EditionsLegend shown={edited} />
            <WaterLegend />
          </div>
        )}
        {embed && (
          <p class="embed-foot">
            <span>
              {name}
              {model !== null && datasets.length > 0 && (
                <span class="quiet"> · {creditLine(model, datasets)}</span>
              )}
            </span>
            <a href={addressOf({ embed: false })} target="_blank" rel="noopener noreferrer">
              {three('openPortal')}
            </a>
          </p>
        )}
      </section>
      {!embed && !isNarrow && (
        <>
          {card && <div class="float card-float">{card}</div>}
          <div class="float filter-float">{filters}</div>
        </>
      )}
    </>
  );
}
