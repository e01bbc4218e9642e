/** What the colours of water stand for, wherever a flood is drawn. */
import { WATER_DEPTHS } from '@citymodel/base';
import { usePart } from '../core/store.ts';
import { readSpec } from './choice.ts';
import { FLOODS } from './flood-facts.ts';
import { useThree } from './words.ts';

export function WaterLegend() {
  const three = useThree();
  const models = usePart((s) => [s.model ?? '', ...s.also].join(','));
  const isWater = models.split(',').some((model) => FLOODS.has(readSpec(model)?.type ?? ''));
  if (!isWater) return null;
  return (
    <div class="water-legend">
      <h3>{three('waterDepth')}</h3>
      <ul class="scale">
        {WATER_DEPTHS.map(([from, rgb], i) => (
          <li key={from}>
            <span class="swatch" style={{ background: `rgb(${rgb.join(' ')})` }} />
            {depthText(from, WATER_DEPTHS[i - 1]?.[0])}
          </li>
        )).toReversed()}
      </ul>
    </div>
  );
}

/** 0.5 – 3 m. @param to where the next deeper class begins; undefined for the deepest */
function depthText(from: number, to: number | undefined): string {
  if (to === undefined) return `≥ ${from} m`;
  return from === 0 ? `< ${to} m` : `${from} – ${to} m`;
}
