import type { ComponentChildren } from 'preact';
import { findDataset, loadDatasets } from '../core/data.ts';
import { datasetName } from '../core/dataset-names.ts';
import { MAP_TILES } from '../core/output-kinds.ts';
import { useSignal } from '../core/signal.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Failure } from '../ui/parts.tsx';
import { type LayerRow, layerRows } from './layer-rows.ts';
import { mapView } from './map-link.ts';
import { PALETTES } from './palette.ts';

const MOST = 40;
/** From this zoom on the datasets of a view are few enough to choose among. */
const FROM_ZOOM = 9;

/** Vector-tile datasets in the view, to switch on and off. */
export function Layers() {
  const words = useWords();
  const { t, fill, number } = words;
  const view = useSignal(mapView);
  const chosen = usePart((s) => s.layers.join(','))
    .split(',')
    .filter(Boolean);
  const near = view !== null && view.zoom >= FROM_ZOOM ? view.bounds : null;
  const box = near && [near.west, near.south, near.east, near.north].map((n) => n.toFixed(2)).join(',');
  const found = useLoaded(box, (signal) =>
    loadDatasets({ format: MAP_TILES, bbox: box! }, { limit: MOST }, signal),
  );
  const datasets = (found.value?.datasets ?? []).filter((row) => row.composite_url);
  const elsewhere = chosen.filter((id) => !datasets.some((row) => row.id === id));
  if (box === null && chosen.length === 0) return null;
  return (
    <section>
      <h2>{t('layers')}</h2>
      {found.error !== null && <Failure error={found.error} retry={found.retry} />}
      {box !== null && found.value !== null && datasets.length === 0 && (
        <p class="quiet">{t('layersNone')}</p>
      )}
      <ul class="list checks">
        {layerRows(datasets, (row) => datasetName(row, words)).map((row) => (
          <Row key={row.name} row={row} chosen={chosen} />
        ))}
        {elsewhere.map((id) => (
          <Elsewhere key={id} id={id} chosen={chosen} />
        ))}
      </ul>
      {found.value !== null && found.value.total > MOST && (
        <p class="quiet">{fill('layersMore', { count: number(found.value.total - MOST) })}</p>
      )}
    </section>
  );
}

/** What a place has of a type: a tick, or one for each year and LOD. */
function Row({ row, chosen }: { row: LayerRow; chosen: readonly string[] }) {
  const { year } = useWords();
  const { name, datasets, hasLods, hasYears } = row;
  const [first] = datasets;
  const titled = (
    <span class="row-name">
      {name} {!hasYears && <span class="quiet whole">{year(first!.year)}</span>}
    </span>
  );
  if (datasets.length === 1) {
    return (
      <li>
        <Tick id={first!.id} chosen={chosen} className="row">
          {titled}
        </Tick>
      </li>
    );
  }
  return (
    <li class="editions-row">
      {titled}
      <span class="edition-ticks">
        {datasets.map((one) => (
          <Tick key={one.id} id={one.id} chosen={chosen} className="edition-tick">
            <span class="visually-hidden">{name} </span>
            {[...(hasYears ? [year(one.year)] : []), ...(hasLods ? [`LOD ${one.lod}`] : [])].join(' · ')}
          </Tick>
        ))}
      </span>
    </li>
  );
}

/** A layer that is drawn, and lies outside of the view. */
function Elsewhere({ id, chosen }: { id: string; chosen: readonly string[] }) {
  const words = useWords();
  const { value: row, loading } = useLoaded(id, (signal) => findDataset(id, signal));
  if (row !== null)
    return (
      <Row
        row={{ name: datasetName(row, words), datasets: [row], hasLods: false, hasYears: false }}
        chosen={chosen}
      />
    );
  return (
    <li>
      <Tick id={id} chosen={chosen} className="row">
        <span class="row-name">{loading ? '…' : id}</span>
      </Tick>
    </li>
  );
}

interface TickProps {
  id: string;
  chosen: readonly string[];
  className: string;
  children: ComponentChildren;
}

/** Draws a dataset, with the colour that the map then has it in. */
function Tick({ id, chosen, className, children }: TickProps) {
  const colours = PALETTES[useTheme()].layers;
  const place = chosen.indexOf(id);
  const toggle = () =>
    update({ layers: place === -1 ? [...chosen, id] : chosen.filter((other) => other !== id) });
  return (
    <label class={className}>
      <input type="checkbox" checked={place !== -1} onChange={toggle} />
      {children}
      {place !== -1 && (
        <svg class="swatch" viewBox="0 0 14 14" aria-hidden="true">
          <rect width="14" height="14" fill={colours[place % colours.length]} />
        </svg>
      )}
    </label>
  );
}
