import type { Bounds } from '../../../src/geo/bounds.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { useSignal } from '../core/signal.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { mapView } from './map-link.ts';
import { PALETTES } from './palette.ts';

const MOST = 40;

/** Vector-tile datasets in the view, to switch on and off. */
export function Layers({ datasets }: { datasets: readonly DatasetRow[] }) {
  const { t } = useWords();
  const view = useSignal(mapView);
  const chosen = usePart((s) => s.layers.join(','))
    .split(',')
    .filter(Boolean);
  const colours = PALETTES[useTheme()].layers;
  const rows = datasets.filter(
    (row) =>
      row.format === 'MVT' &&
      row.composite_url &&
      (chosen.includes(row.id) || (view !== null && meets(row.bbox, view.bounds))),
  );
  const toggle = (id: string) =>
    update({ layers: chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id] });
  return (
    <section>
      <h2>{t('layers')}</h2>
      {rows.length === 0 && <p class="quiet">{t(view === null ? 'layersElsewhere' : 'layersNone')}</p>}
      <ul class="list checks">
        {rows.slice(0, MOST).map((row) => (
          <li key={row.id}>
            <label class="row">
              <input type="checkbox" checked={chosen.includes(row.id)} onChange={() => toggle(row.id)} />
              <span class="row-name">
                {row.name}
                <span class="quiet">
                  {' '}
                  LOD {row.lod} · {row.year}
                </span>
              </span>
              <span
                class="swatch"
                style={{
                  background: chosen.includes(row.id)
                    ? colours[chosen.indexOf(row.id) % colours.length]
                    : 'transparent',
                }}
              />
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}

function meets(box: DatasetRow['bbox'], view: Bounds): boolean {
  if (box === null) return false;
  return box[0] <= view.east && box[2] >= view.west && box[1] <= view.north && box[3] >= view.south;
}
