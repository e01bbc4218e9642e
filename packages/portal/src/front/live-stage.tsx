/** Decides, after the page has been shown, whether a city takes the place of the map, and fetches the code for it. */
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSignal } from '../core/signal.ts';
import { current, usePart } from '../core/store.ts';
import type { Summary } from '../core/summary.ts';
import { useSummary } from '../core/use-summary.ts';
import { canBeLive, isFront, liveIsClosed } from './live.ts';

/** How long an idle browser is waited for, ms. */
const PATIENCE = 4_000;

export function LiveStage() {
  const summary = useSummary().value;
  const isOpen = usePart(isFront);
  const isClosed = useSignal(liveIsClosed);
  // A link to a place of the map shows that place.
  const { current: isFresh } = useRef(isFront(current()) && current().at === null);
  const [city, setCity] = useState<{ Live: ComponentType<{ summary: Summary }> } | null>(null);
  const isWanted = isFresh && isOpen && !isClosed && summary !== null && summary.cities.length > 0;
  useEffect(() => {
    if (!isWanted || !canBeLive()) return;
    // Without this code the map stays.
    const load = () =>
      import('./live-city.tsx').then(
        ({ LiveCity }) => setCity({ Live: LiveCity }),
        () => {},
      );
    if (!('requestIdleCallback' in globalThis)) {
      const timer = setTimeout(load, PATIENCE / 4);
      return () => clearTimeout(timer);
    }
    const idle = requestIdleCallback(load, { timeout: PATIENCE });
    return () => cancelIdleCallback(idle);
  }, [isWanted]);
  return isWanted && city !== null ? <city.Live summary={summary} /> : null;
}
