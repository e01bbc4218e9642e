/** The layers of the view: each with an eye, how opaque it is, its year, and what its colours stand for. */
import type { Bounds } from '@citymodel/geo';
import { formatTilesSpec } from 'citymodel-server/shared';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { MOST_MODELS_BESIDE } from '../core/state.ts';
import { current, update, usePart, useWords } from '../core/store.ts';
import { FLOODS } from './flood-facts.ts';
import { GroundLegend } from './ground-legend.tsx';
import { type Layer, layersOf } from './layer-list.ts';
import { GROUND_LAYER, opacityOf, withOpacity } from './layer-opacity.ts';
import { kindName } from './models.ts';
import { groundDatasets } from './scene/ground-style.ts';
import { terrainDatasets } from './terrain-datasets.ts';
import { WaterLegend } from './water-legend.tsx';
import { useThree } from './words.ts';
import '../styles/layers.css';

/** Rows that are not shown yet and stand in the panel at once; a city may have thirty rivers. */
const MOST_OFFERED = 4;

interface LayersProps {
  model: string;
  /** Those of the model's municipality. */
  datasets: readonly DatasetRow[];
  /** Where the model is, degrees; null until it is open. */
  bounds: Bounds | null;
  /** What the colours of the model stand for. */
  children: ComponentChildren;
}

export function Layers({ model, datasets, bounds, children }: LayersProps) {
  const words = useWords();
  const three = useThree();
  const also = usePart((s) => s.also);
  const layers = useMemo(() => layersOf(model, also, datasets), [model, also, datasets]);
  const ground = useMemo(() => groundDatasets(datasets), [datasets]);
  const terrain = useMemo(
    () => (bounds === null ? undefined : terrainDatasets(model, datasets, bounds)[0]),
    [model, datasets, bounds],
  );
  const shown = layers.filter(({ isShown }) => isShown);
  const offered = layers.filter(({ isShown }) => !isShown);
  const flood = shown.find(({ spec }) => FLOODS.has(spec?.type ?? ''));
  const isFull = also.length >= MOST_MODELS_BESIDE;
  const rowOf = (layer: Layer) => <OfferedLayer key={layer.id} layer={layer} isFull={isFull} />;
  return (
    <section class="layers">
      <h3>{three('layers')}</h3>
      <ul>
        {shown.map((layer, i) => (
          <ShownLayer key={layer.id} layer={layer} isMain={i === 0}>
            {i === 0 && children}
            {layer === flood && <WaterLegend />}
          </ShownLayer>
        ))}
        {ground.length > 0 && (
          <li class="layer">
            <LayerHead name={three('groundLayer')} layer={GROUND_LAYER} />
            {terrain !== undefined && (
              <p class="quiet">{three('groundTerrain', { year: words.year(terrain.year) })}</p>
            )}
            <GroundLegend types={ground.map(({ type_en }) => type_en)} />
          </li>
        )}
        {offered.slice(0, MOST_OFFERED).map(rowOf)}
      </ul>
      {offered.length > MOST_OFFERED && (
        <details>
          <summary>{three('moreLayers', { n: offered.length - MOST_OFFERED })}</summary>
          <ul>{offered.slice(MOST_OFFERED).map(rowOf)}</ul>
        </details>
      )}
    </section>
  );
}

/** A layer that the view has, with an eye that takes it away; the model itself is hidden only. */
function ShownLayer({
  layer: { id, kind, spec },
  isMain,
  children,
}: {
  layer: Layer;
  isMain: boolean;
  children: ComponentChildren;
}) {
  const words = useWords();
  const three = useThree();
  const name = kind !== null ? kindName(kind, words) : spec === null ? id : words.type(spec.type);
  const year = spec?.year === 'latest' ? kind?.years[0] : spec?.year;
  const isChoice = !isMain && kind !== null && spec !== null && kind.years.length > 1;
  const take = () => update({ also: current().also.filter((one) => one !== id) });
  const setYear = (value: string) => {
    const next = formatTilesSpec({ ...spec!, year: value === 'latest' ? value : Number(value) });
    update({ also: [...new Set(current().also.map((one) => (one === id ? next : one)))] });
  };
  return (
    <li class="layer">
      <LayerHead name={name} layer={id} onHide={isMain ? undefined : take}>
        {isChoice ? (
          <select
            aria-label={`${words.t('year')}: ${name}`}
            value={String(spec.year)}
            onChange={(event) => setYear(event.currentTarget.value)}
          >
            <option value="latest">{three('newest')}</option>
            {kind.years.map((one) => (
              <option key={one} value={String(one)}>
                {words.year(one)}
              </option>
            ))}
          </select>
        ) : (
          <span class="quiet">{year !== undefined && words.year(year)}</span>
        )}
      </LayerHead>
      {children}
    </li>
  );
}

/** A layer that may be shown as well. */
function OfferedLayer({ layer: { id, kind, spec }, isFull }: { layer: Layer; isFull: boolean }) {
  const words = useWords();
  if (kind === null) return null;
  const year = typeof spec?.year === 'number' ? spec.year : kind.years[0];
  return (
    <li class="layer off">
      <div class="layer-head">
        <label class="eye">
          <input
            type="checkbox"
            checked={false}
            disabled={isFull}
            onChange={() =>
              // A layer that was hidden by a link is wanted now.
              update({
                also: [...current().also, id],
                opacity:
                  opacityOf(current().opacity, id) === 0
                    ? withOpacity(current().opacity, id, 1)
                    : current().opacity,
              })
            }
          />
          <Eye isOpen={false} />
          <span>{kindName(kind, words)}</span>
        </label>
        <span class="quiet">{year !== undefined && words.year(year)}</span>
      </div>
    </li>
  );
}

/** Eye and slider of a layer. @param onHide what the eye does instead of making the layer invisible */
function LayerHead({
  name,
  layer,
  onHide,
  children,
}: {
  name: string;
  layer: string;
  onHide?: (() => void) | undefined;
  children?: ComponentChildren;
}) {
  const three = useThree();
  const opacity = opacityOf(
    usePart((s) => s.opacity),
    layer,
  );
  const set = (value: number) => update({ opacity: withOpacity(current().opacity, layer, value) });
  const isOpen = opacity > 0;
  return (
    <>
      <div class="layer-head">
        <label class="eye">
          <input
            type="checkbox"
            checked={isOpen}
            onChange={() => {
              if (!isOpen) set(1);
              else if (onHide === undefined) set(0);
              else onHide();
            }}
          />
          <Eye isOpen={isOpen} />
          <span>{name}</span>
        </label>
        {children}
      </div>
      {isOpen && (
        <input
          type="range"
          class="opacity"
          aria-label={three('opacityOf', { name })}
          aria-valuetext={`${Math.round(opacity * 100)} %`}
          title={`${Math.round(opacity * 100)} %`}
          min={10}
          max={100}
          step={5}
          value={Math.round(opacity * 100)}
          onInput={(event) => set(event.currentTarget.valueAsNumber / 100)}
        />
      )}
    </>
  );
}

function Eye({ isOpen }: { isOpen: boolean }) {
  return (
    <svg viewBox="0 0 18 18" aria-hidden="true">
      <path d="M1.5 9s2.8-4.8 7.5-4.8S16.5 9 16.5 9s-2.8 4.8-7.5 4.8S1.5 9 1.5 9z" />
      {isOpen ? <circle cx="9" cy="9" r="2.3" /> : <path d="M3 15L15 3" />}
    </svg>
  );
}
