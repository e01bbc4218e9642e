import { loadDatasets } from '../core/data.ts';
import { MAP_TILES } from '../core/output-kinds.ts';
import { useSignal } from '../core/signal.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Failure } from '../ui/parts.tsx';
import { mapView } from './map-link.ts';
import { PALETTES } from './palette.ts';

const MOST = 40;
/** From this zoom on the datasets of a view are few enough to choose among. */
const FROM_ZOOM = 9;

/** Vector-tile datasets in the view, to switch on and off. */
export function Layers() {
  const { t, datasetName, fill, number } = useWords();
  const view = useSignal(mapView);
  const chosen = usePart((s) => s.layers.join(','))
    .split(',')
    .filter(Boolean);
  const colours = PALETTES[useTheme()].layers;
  const near = view !== null && view.zoom >= FROM_ZOOM ? view.bounds : null;
  const box = near && [near.west, near.south, near.east, near.north].map((n) => n.toFixed(2)).join(',');
  const found = useLoaded(box, (signal) =>
    loadDatasets({ format: MAP_TILES, bbox: box! }, { limit: MOST }, signal),
  );
  const rows = (found.value?.datasets ?? []).filter((row) => row.composite_url);
  const elsewhere = chosen.filter((id) => !rows.some((row) => row.id === id));
  const toggle = (id: string) =>
    update({ layers: chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id] });
  if (box === null && chosen.length === 0) return null;
  return (
    <section>
      <h2>{t('layers')}</h2>
      {found.error !== null && <Failure error={found.error} retry={found.retry} />}
      {box !== null && found.value !== null && rows.length === 0 && <p class="quiet">{t('layersNone')}</p>}
      <ul class="list checks">
        {[
          ...rows.map((row) => ({ ...row, title: datasetName(row) })),
          ...elsewhere.map((id) => ({ id, title: id, lod: '', year: 0 })),
        ].map((row) => (
          <li key={row.id}>
            <label class="row">
              <input type="checkbox" checked={chosen.includes(row.id)} onChange={() => toggle(row.id)} />
              <span class="row-name">
                {row.title}
                {row.year > 0 && (
                  <span class="quiet">
                    {' '}
                    LOD {row.lod} · {row.year}
                  </span>
                )}
              </span>
              <svg class="swatch" viewBox="0 0 14 14" aria-hidden="true">
                <rect
                  width="14"
                  height="14"
                  fill={
                    chosen.includes(row.id) ? colours[chosen.indexOf(row.id) % colours.length] : 'transparent'
                  }
                />
              </svg>
            </label>
          </li>
        ))}
      </ul>
      {found.value !== null && found.value.total > MOST && (
        <p class="quiet">{fill('layersMore', { count: number(found.value.total - MOST) })}</p>
      )}
    </section>
  );
}
