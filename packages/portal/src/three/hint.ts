import type { Key } from '../core/i18n.ts';
import type { ThreeKey } from './strings.ts';

interface Shown {
  /** Type of the features of the model, such as `bldg`; undefined when it is not known. */
  type: string | undefined;
  isWaiting: boolean;
  /** True when the model cannot have features. */
  isEmpty: boolean;
  /** Tiles that have come. */
  loaded: number;
  /** True when a click met nothing. */
  isNothing: boolean;
  /** True when a link asks for a feature that is not in view. */
  isWanted: boolean;
}

/**
 * What to say while no feature is chosen, as a word of the page or of the 3D view; null: nothing, because the notice of
 * tiles says it or no tile is in view.
 */
export function hintOf(shown: Shown): { page: Key } | { three: ThreeKey } | null {
  if (shown.isWaiting) return { page: 'modelLoading' };
  if (shown.isEmpty) return { three: 'emptyModel' };
  if (shown.loaded === 0) return null;
  if (shown.isNothing) return { page: 'nothingThere' };
  if (shown.isWanted) return { three: 'notInView' };
  return { three: shown.type === 'bldg' ? 'clickBuilding' : 'clickAny' };
}
