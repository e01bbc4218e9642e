/** What the box "Shadows and depth" says: no more than is drawn. */
import type { Ability } from './scene/effects.ts';
import type { ThreeKey } from './strings.ts';

export interface EffectsState {
  isChecked: boolean;
  /** What the box is called. */
  label: ThreeKey;
  /** Why something is not drawn; null where all is. */
  note: ThreeKey | null;
}

/**
 * @param isWanted what the box was set to last
 * @param hasSun an hour of the sun is chosen: without one there is nothing that throws shadows
 * @param isColoured features have colours of a legend, which shadows would change
 */
export function effectsState(
  ability: Ability,
  isWanted: boolean,
  hasSun: boolean,
  isColoured: boolean,
): EffectsState {
  const hasShadows = hasSun && !isColoured;
  const label = hasShadows ? 'effects' : 'effectsDepth';
  if (ability === 'never') return { isChecked: false, label, note: 'effectsSlow' };
  if (!isWanted) return { isChecked: false, label, note: null };
  const missing = hasShadows ? null : isColoured ? 'effectsColours' : 'effectsSun';
  return { isChecked: true, label, note: missing ?? (ability === 'resting' ? 'effectsResting' : null) };
}
