/** Whether the front page opens on a city that can be turned, in the place of the map. */
import { signal } from '../core/signal.ts';
import type { State } from '../core/state.ts';

/** Once it was closed, the map stays for as long as the page is open. */
export const liveIsClosed = signal(false);

/** True for the front page itself: nobody has chosen a place, a type, layers or a list. */
export function isFront({ view, pick, pref, shown, layers, hit, embed }: State): boolean {
  return (
    view === 'map' &&
    !embed &&
    pick === null &&
    pref === null &&
    shown === null &&
    hit === null &&
    layers.length === 0
  );
}

/** Narrower pages have no room for it beside the panel, CSS pixels. */
const WIDE = '(min-width: 1000px)';

/**
 * True where a city is drawn without anybody waiting for it: a wide page, a graphics card, a person who wants motion
 * and saves no data.
 */
export function canBeLive(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData === true || !matchMedia(WIDE).matches) return false;
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return false;
  // Software drawing is a caveat: such a browser gives null.
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return gl !== null;
}
